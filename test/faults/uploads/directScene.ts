import { fork, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect } from 'vitest';

import { ByteBudget } from '../../../src/adapters/store/byteBudget.js';
import type { S3ObjectStore, S3ObjectStoreOptions } from '../../../src/adapters/store/s3.js';
import { S3UploadStaging, type S3StagingOptions } from '../../../src/adapters/store/s3Staging.js';
import { multipartRows } from '../../../src/domain/media/uploads/multipartRows.js';
import { PostgresDatabase } from '../../../src/db/database.js';
import { sourceKeyOf } from '../../../src/ports/uploadStaging.js';
import { makeBucket, startSwift, unfinishedUploads, type Swift } from '../../support/swift.js';
import { until } from '../../support/worker/pipeline.js';
import { openBucket, PART_BYTES } from '../../support/uploads/bucket.js';
import { head, patch } from '../../support/uploads/client.js';
import { UploadRig } from '../../support/uploads/rig.js';
import { OWN_PROCESS } from '../../support/ownProcess.js';

const BUCKET = 'videos';
const BUDGET_BYTES = 12 * PART_BYTES;

export type Begun = Awaited<ReturnType<UploadRig['begun']>>;

/** An S3 server, and a process whose uploads go into its bucket. */
export class DirectScene implements AsyncDisposable {
  private constructor(
    private readonly swift: Swift,
    readonly settings: S3ObjectStoreOptions,
    readonly store: S3ObjectStore,
    readonly budget: ByteBudget,
    readonly rig: UploadRig,
    readonly db: PostgresDatabase,
    private readonly cleanUp: AsyncDisposableStack,
  ) {}

  static async open(): Promise<DirectScene> {
    await using cleanUp = new AsyncDisposableStack();
    const swift = await startSwift();
    cleanUp.defer(() => swift.stop());
    await makeBucket(swift, BUCKET);
    const { endpoint, region, accessKeyId, secretAccessKey } = swift;
    const access = { endpoint, region, accessKeyId, secretAccessKey, bucket: BUCKET, forcePathStyle: true };
    const settings = { ...access, prefix: 'dhara/', downloadDir: await folder(cleanUp) };
    const keeping = await openBucket(settings, new ByteBudget(BUDGET_BYTES));
    const { store, budget } = keeping;
    cleanUp.defer(() => store.close());
    const rig = await UploadRig.start(keeping);
    cleanUp.defer(() => rig.stop());
    const db = await PostgresDatabase.connect({ url: rig.database.runtimeUrl, maxConnections: 4 });
    cleanUp.defer(() => db.close());
    return new DirectScene(swift, settings, store, budget, rig, db, cleanUp.move());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.cleanUp.disposeAsync();
  }

  folder(): Promise<string> {
    return folder(this.cleanUp);
  }

  /** Another staging over the same bucket and database, with other limits. */
  staging(changed: Partial<S3StagingOptions> = {}): S3UploadStaging {
    const { budget } = this;
    const { multiparts } = this.store;
    return new S3UploadStaging({
      rows: multipartRows(this.db.sql),
      multiparts,
      budget,
      partBytes: PART_BYTES,
      ...changed,
    });
  }

  /** A separate process with its own folder, like another machine. */
  async spawned(): Promise<{ child: ChildProcess; url: string }> {
    const args = [this.rig.database.runtimeUrl, await this.folder(), JSON.stringify(this.settings)];
    const child = fork(new URL('../../support/uploads/uploadProcess.ts', import.meta.url), args, {
      execArgv: [...OWN_PROCESS],
    });
    this.cleanUp.defer(() => void child.kill('SIGKILL'));
    const [message] = (await once(child, 'message')) as [{ url: string }];
    return { child, url: message.url };
  }

  /** An upload of which a part and some bytes came, in a request that has ended. */
  async begunVideo(video: Buffer<ArrayBuffer>): Promise<Begun> {
    const upload = await this.rig.begun(video.length);
    const answer = await patch(upload.url, upload.accountId, 0, video.subarray(0, PART_BYTES + 1000));
    expect(answer.status).toBe(204);
    expect(await this.objects(upload)).toEqual(['.tail']);
    expect(await this.unfinished(upload)).toHaveLength(1);
    return upload;
  }

  /** Multipart uploads of this video that are neither complete nor aborted. */
  async unfinished({ videoId }: Begun): Promise<string[]> {
    return (await unfinishedUploads(this.swift, BUCKET)).filter((key) => key.includes(videoId));
  }

  /** The suffixes of all objects under the video's key. */
  async objects(upload: Begun): Promise<string[]> {
    const keys: string[] = [];
    for await (const { key } of this.store.list(`sources/${upload.accountId}/${upload.videoId}/`)) {
      keys.push(key.replace(sourceKeyOf(upload), ''));
    }
    return keys;
  }

  async multipartOf({ uploadId }: Begun): Promise<string | null> {
    const text = 'select multipart_id as id from upload where id = $1';
    const [row] = await this.rig.rows.query<{ id: string | null }>(text, [uploadId]);
    return row!.id;
  }

  async partsOf(upload: Begun): Promise<number> {
    const id = await this.multipartOf(upload);
    return id === null ? 0 : ((await this.store.multiparts.parts(sourceKeyOf(upload), id))?.length ?? 0);
  }

  async offsetOf({ url, accountId }: Begun): Promise<string | null> {
    return (await head(url, accountId)).headers.get('upload-offset');
  }

  async expectUploaded(upload: Begun, video: Buffer): Promise<void> {
    expect(await this.rig.rows.videoState(upload.videoId)).toEqual({
      status: 'uploaded',
      source_key: sourceKeyOf(upload),
      size_bytes: String(video.length),
    });
    expect(sha256(await this.rig.sourceOf(upload.videoId))).toBe(sha256(video));
    expect(await this.rig.rows.measureJobs(upload.videoId)).toBe(1);
    expect(await this.unfinished(upload)).toEqual([]);
    expect(await this.objects(upload)).toEqual(['']);
  }

  async expectNothingLeft(upload: Begun): Promise<void> {
    expect(await this.unfinished(upload)).toEqual([]);
    expect(await this.objects(upload)).toEqual([]);
    expect(await this.rig.rows.query('select id from upload where id = $1', [upload.uploadId])).toEqual([]);
  }

  /** After every test, no disk holds a video, and all counted memory is released. */
  async expectNothingHeld(): Promise<void> {
    expect(await this.rig.stagedFiles()).toEqual([]);
    await until(() => Promise.resolve(this.budget.usage.heldBytes === 0));
  }
}

async function folder(cleanUp: AsyncDisposableStack): Promise<string> {
  return cleanUp.use(await mkdtempDisposable(join(tmpdir(), 'dhara-direct-'))).path;
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
