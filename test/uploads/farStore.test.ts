import { fork, type ChildProcess } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { DiskObjectStore } from '../../src/adapters/store/disk.js';
import { FallbackObjectStore } from '../../src/adapters/store/fallback.js';
import { S3ObjectStore, type S3ObjectStoreOptions } from '../../src/adapters/store/s3.js';
import { makeBucket, startSwift, unfinishedUploads, type Swift } from '../setup/swift.js';
import { until } from '../worker/pipeline.js';
import { head, patch, tusUpload } from './client.js';
import { UploadRig } from './rig.js';

const MIB = 1024 * 1024;
const BUCKET = 'films';
const cleanUp = new AsyncDisposableStack();
afterAll(() => cleanUp.disposeAsync());

async function folder(): Promise<string> {
  return cleanUp.use(await mkdtempDisposable(join(tmpdir(), 'dhara-far-'))).path;
}

/** A store on disk that takes its time: files go in when they are let in. */
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

describe('while a finished upload is handed over to a store that takes long', () => {
  it('the client that asks again waits for the same, and the sweep leaves it alone', async () => {
    const dir = await folder();
    const [here, there] = [await slowStore(dir), await slowStore(dir)];
    const rig = await UploadRig.start(here);
    const second = await rig.secondNode(there);
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

  it('one that fails is tried again by whoever comes next', async () => {
    const rig = await UploadRig.start(await slowStore(await folder()));
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

describe('an upload to S3', () => {
  let rig: UploadRig;
  let settings: S3ObjectStoreOptions;
  let swift: Swift;
  beforeAll(async () => {
    swift = await startSwift();
    cleanUp.defer(() => swift.stop());
    await makeBucket(swift, BUCKET);
    const { endpoint, region, accessKeyId, secretAccessKey } = swift;
    const access = { endpoint, region, accessKeyId, secretAccessKey, bucket: BUCKET, forcePathStyle: true };
    settings = { ...access, prefix: '', downloadDir: await folder() };
    const store = await S3ObjectStore.open(settings);
    cleanUp.defer(() => store.close());
    rig = await UploadRig.start(store);
    cleanUp.defer(() => rig.stop());
  });

  it('gathers on disk, and ends as one object', async () => {
    const film = randomBytes(20 * MIB);
    const { accountId, videoId, url } = await rig.begun(film.length);
    await tusUpload(url, film, { accountId, chunkSize: 7 * MIB }).done;
    expect((await rig.rows.videoState(videoId)).status).toBe('uploaded');
    expect(sha256(await rig.sourceOf(videoId))).toBe(sha256(film));
    expect(await rig.stagedFiles()).toEqual([]);
  });

  it('outlives a kill while it is being handed over', async () => {
    const film = randomBytes(96 * MIB);
    const { accountId, uploadId, videoId } = await rig.begun(film.length);
    const { child, url } = await spawned();
    const sending = tusUpload(`${url}/uploads/${uploadId}`, film, { accountId }).done.catch(() => undefined);
    await until(async () => (await unfinishedUploads(swift, BUCKET)).some((key) => key.includes(videoId)));
    child.kill('SIGKILL');
    await sending;
    expect((await rig.rows.videoState(videoId)).status).toBe('uploading');
    // The dead process's lease has to run out.
    await until(async () => (await rig.node.uploads.recoverUploads()) === 1);
    expect((await rig.rows.videoState(videoId)).status).toBe('uploaded');
    expect(sha256(await rig.sourceOf(videoId))).toBe(sha256(film));
    expect(await rig.stagedFiles()).toEqual([]);
    expect(await rig.rows.measureJobs(videoId)).toBe(1);
  });

  async function spawned(): Promise<{ child: ChildProcess; url: string }> {
    const args = [rig.database.runtimeUrl, rig.dir, JSON.stringify(settings)];
    const child = fork(new URL('uploadProcess.ts', import.meta.url), args, { execArgv: ['--import', 'tsx'] });
    cleanUp.defer(() => void child.kill('SIGKILL'));
    const [message] = (await once(child, 'message')) as [{ url: string }];
    return { child, url: message.url };
  }
});

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
