import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, it } from 'vitest';

import { DiskObjectStore } from '../../../src/adapters/store/disk.js';
import { FallbackObjectStore } from '../../../src/adapters/store/fallback.js';
import { until } from '../../support/worker/pipeline.js';
import { head, patch } from '../../support/uploads/client.js';
import { UploadRig } from '../../support/uploads/rig.js';

const cleanUp = new AsyncDisposableStack();
afterAll(() => cleanUp.disposeAsync());

async function folder(): Promise<string> {
  return cleanUp.use(await mkdtempDisposable(join(tmpdir(), 'dhara-far-'))).path;
}

/** A slow store on disk: files are moved when the test lets them. */
class SlowStore extends FallbackObjectStore {
  moves = 0;
  private let: () => void = () => undefined;
  private readonly letIn = new Promise<void>((resolve) => (this.let = resolve));

  override async putFile(key: string, path: string): Promise<{ sizeBytes: number }> {
    this.moves += 1;
    await this.letIn;
    return super.putFile(key, path);
  }

  open(): void {
    this.let();
  }
}

async function slowStore(dir: string): Promise<SlowStore> {
  const disk = await DiskObjectStore.open({ dir });
  return new SlowStore(disk, disk);
}

describe('while a finished upload is moved to a slow store', () => {
  it('a client that asks again waits for the same move, and the sweep leaves it alone', async () => {
    const dir = await folder();
    const [here, there] = [await slowStore(dir), await slowStore(dir)];
    const rig = await UploadRig.start({ store: here });
    const second = await rig.secondNode({ store: there });
    cleanUp.defer(async () => {
      await second.stop();
      await rig.stop();
    });
    const { accountId, uploadId, videoId, url } = await rig.begun(5);
    const sent = patch(url, accountId, 0, '01234');
    await until(() => Promise.resolve(here.moves === 1));
    const again = [head(url, accountId), head(url, accountId)];
    expect(await second.uploads.recoverUploads()).toBe(0);
    expect([here.moves, there.moves]).toEqual([1, 0]);

    here.open();
    expect((await sent).status).toBe(204);
    for (const answer of await Promise.all(again)) {
      expect([answer.status, answer.headers.get('upload-offset')]).toEqual([200, '5']);
    }
    expect(await second.uploads.resume(accountId, uploadId)).toMatchObject({ finished: true });
    expect([here.moves, there.moves]).toEqual([1, 0]);
    expect(await rig.rows.measureJobs(videoId)).toBe(1);
    expect((await rig.sourceOf(videoId)).toString()).toBe('01234');
  });

  it('a move that fails is retried by the next caller', async () => {
    const rig = await UploadRig.start({ store: await slowStore(await folder()) });
    cleanUp.defer(() => rig.stop());
    const { accountId, uploadId, videoId } = await rig.begun(5);
    await rig.node.uploads.resume(accountId, uploadId);
    await writeFile(rig.node.staging.path({ accountId, uploadId }), '01234');
    const store = rig.node.store as SlowStore;
    const failing = store.putFile.bind(store);
    store.putFile = () => Promise.reject(new Error('the store is away'));
    await expect(rig.node.uploads.finish({ accountId, uploadId })).rejects.toThrow('the store is away');
    store.putFile = failing;
    store.open();
    await rig.node.uploads.finish({ accountId, uploadId });
    expect((await rig.sourceOf(videoId)).toString()).toBe('01234');
  });
});
