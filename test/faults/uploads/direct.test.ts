/** Uploads whose parts are in a bucket, on a real S3 server. What they share with those on disk is tested there. */
import { randomBytes } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { ByteBudget } from '../../../src/adapters/store/byteBudget.js';
import { EitherStaging } from '../../../src/adapters/store/eitherStaging.js';
import { sourceKeyOf } from '../../../src/ports/uploadStaging.js';
import { until } from '../../support/worker/pipeline.js';
import { openBucket, PART_BYTES } from '../../support/uploads/bucket.js';
import { head, openPatch, patch, send, tusUpload } from '../../support/uploads/client.js';
import { DirectScene, type Begun } from './directScene.js';
import { UploadNode } from '../../support/uploads/uploadNode.js';

const MIB = 1024 * 1024;
const cleanUp = new AsyncDisposableStack();
let scene: DirectScene;
beforeAll(async () => {
  scene = cleanUp.use(await DirectScene.open());
});
afterEach(() => scene.expectNothingHeld());
afterAll(() => cleanUp.disposeAsync());

describe('a video uploaded into the bucket', () => {
  it.each([
    ['nothing', 0],
    ['one byte', 1],
    ['exactly one part', PART_BYTES],
    ['a part and a byte', PART_BYTES + 1],
  ])('is stored with %s', async (_what, sizeBytes) => {
    const video = randomBytes(sizeBytes);
    const upload = await scene.rig.begun(sizeBytes);
    await tusUpload(upload.url, video, { accountId: upload.accountId }).done;
    await scene.expectUploaded(upload, video);
  });

  it('is stored from requests that end anywhere in a part', async () => {
    const video = randomBytes(2 * PART_BYTES + 777);
    const upload = await scene.rig.begun(video.length);
    await tusUpload(upload.url, video, { accountId: upload.accountId, chunkSize: 3 * MIB - 1 }).done;
    await scene.expectUploaded(upload, video);
  });
});

describe('an upload resumes', () => {
  it('where its connection broke, to the byte', async () => {
    const video = randomBytes(2 * PART_BYTES);
    const upload = await scene.rig.begun(video.length);
    const { req } = openPatch(upload.url, upload.accountId, { offset: 0, contentLength: video.length });
    req.write(video.subarray(0, PART_BYTES + 1000));
    await until(async () => (await scene.partsOf(upload)) === 1);
    req.destroy();
    expect(await scene.offsetOf(upload)).toBe(String(PART_BYTES + 1000));
    expect(await scene.objects(upload)).toEqual(['.tail']);
    await tusUpload(upload.url, video, { accountId: upload.accountId }).done;
    await scene.expectUploaded(upload, video);
    expect(scene.rig.node.logLines).toEqual([]);
  });

  it('after a kill in another process, and then on another machine', async () => {
    const video = randomBytes(3 * PART_BYTES + 5);
    const upload = await scene.rig.begun(video.length);
    const [first, second] = await Promise.all([scene.spawned(), scene.spawned()]);
    const killed = openPatch(`${first.url}/uploads/${upload.uploadId}`, upload.accountId, {
      offset: 0,
      contentLength: video.length,
    });
    killed.req.on('error', () => undefined);
    killed.req.write(video.subarray(0, PART_BYTES + 2 * MIB));
    await until(async () => (await scene.partsOf(upload)) === 1);
    first.child.kill('SIGKILL');

    const again = `${second.url}/uploads/${upload.uploadId}`;
    // The half part was in the memory of the killed process; the full one was not.
    expect((await head(again, upload.accountId)).headers.get('upload-offset')).toBe(String(PART_BYTES));
    const piece = video.subarray(PART_BYTES, 2 * PART_BYTES + MIB);
    expect((await patch(again, upload.accountId, PART_BYTES, piece)).status).toBe(204);
    second.child.kill('SIGKILL');

    expect(await scene.offsetOf(upload)).toBe(String(2 * PART_BYTES + MIB));
    await tusUpload(upload.url, video, { accountId: upload.accountId }).done;
    await scene.expectUploaded(upload, video);
  });

  it('at the beginning, if the bucket has discarded its parts', async () => {
    const video = randomBytes(PART_BYTES + MIB);
    const upload = await scene.begunVideo(video);
    await scene.store.multiparts.abort(sourceKeyOf(upload), (await scene.multipartOf(upload))!);
    expect(await scene.offsetOf(upload)).toBe('0');
    await tusUpload(upload.url, video, { accountId: upload.accountId }).done;
    await scene.expectUploaded(upload, video);
  });

  it('on disk, if it began there before uploads went to the bucket', async () => {
    const upload = await scene.rig.begun(10);
    const keeping = await openBucket(scene.settings);
    cleanUp.defer(() => keeping.store.close());
    const dir = await scene.folder();
    const old = await UploadNode.start({ databaseUrl: scene.rig.database.runtimeUrl, dir });
    expect((await patch(`${old.url}/uploads/${upload.uploadId}`, upload.accountId, 0, '01234')).status).toBe(204);
    const { staging: disk } = old;
    const gather = (sql: Parameters<typeof keeping.gather>[0]) => new EitherStaging(keeping.gather(sql), disk);
    const moved = await UploadNode.start({
      databaseUrl: scene.rig.database.runtimeUrl,
      dir,
      store: scene.store,
      gather,
    });
    await old.stop();
    const answer = await patch(`${moved.url}/uploads/${upload.uploadId}`, upload.accountId, 5, '56789');
    expect(answer.status).toBe(204);
    expect(await disk.sizeBytes(upload)).toBeNull();
    const next = await scene.rig.begun(3);
    expect((await patch(`${moved.url}/uploads/${next.uploadId}`, next.accountId, 0, 'ab')).status).toBe(204);
    expect([await disk.sizeBytes(next), await scene.objects(next)]).toEqual([null, ['.tail']]);
    await moved.stop();
    await scene.expectUploaded(upload, Buffer.from('0123456789'));
  });
});

describe('several writers', () => {
  it('are admitted one at a time, over all processes', async () => {
    const keeping = await openBucket(scene.settings);
    cleanUp.defer(() => keeping.store.close());
    const second = await scene.rig.secondNode(keeping);
    cleanUp.defer(() => second.stop());
    for (let round = 0; round < 2; round += 1) {
      const size = 300_000;
      const upload = await scene.rig.begun(size);
      const answers = await Promise.all(
        ['a', 'b', 'c', 'd'].map((letter, n) =>
          patch(
            `${(n % 2 ? scene.rig.node : second).url}/uploads/${upload.uploadId}`,
            upload.accountId,
            0,
            letter.repeat(size),
          ),
        ),
      );
      expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
      expect(answers.every(({ status }) => [204, 409, 423].includes(status))).toBe(true);
      const source = await scene.rig.sourceOf(upload.videoId);
      await scene.expectUploaded(upload, Buffer.alloc(size, source[0]));
    }
  });

  it('do no harm if one wakes up after another took over', async () => {
    const video = randomBytes(2 * PART_BYTES);
    const upload = await scene.rig.begun(video.length);
    const open = { ...upload, sizeBytes: video.length };
    const frozen = new PassThrough();
    const writing = scene.staging().write(open, 0, frozen);
    frozen.write(video.subarray(0, PART_BYTES));
    await until(async () => (await scene.partsOf(upload)) === 1);

    await tusUpload(upload.url, video, { accountId: upload.accountId }).done;
    frozen.end(video.subarray(PART_BYTES));
    // Servers differ in whether they accept a part that the finished video already has.
    await writing.catch(() => undefined);
    await scene.expectUploaded(upload, video);
  });
});

describe('a crash while finishing', () => {
  it('before the parts became an object is repaired by the sweep', async () => {
    const video = randomBytes(PART_BYTES + 3);
    const upload = await scene.rig.begun(video.length);
    await scene.rig.node.uploads.receive(upload, 0, Readable.from([video]));
    expect(await scene.rig.node.uploads.recoverUploads()).toBe(1);
    await scene.expectUploaded(upload, video);
  });

  it('after that is repaired when the client asks', async () => {
    const video = randomBytes(3);
    const upload = await scene.rig.begun(video.length);
    await scene.rig.node.uploads.receive(upload, 0, Readable.from([video]));
    const id = await scene.multipartOf(upload);
    const key = sourceKeyOf(upload);
    await scene.store.multiparts.complete(key, id!, (await scene.store.multiparts.parts(key, id!))!);
    expect(await scene.offsetOf(upload)).toBe('3');
    await scene.expectUploaded(upload, video);
  });
});

describe('no bytes remain', () => {
  const video = randomBytes(2 * PART_BYTES);

  it('of an upload that is cancelled', async () => {
    const upload = await scene.begunVideo(video);
    expect((await send(upload.url, { method: 'DELETE', accountId: upload.accountId })).status).toBe(204);
    await scene.expectNothingLeft(upload);
    expect((await scene.rig.rows.videoState(upload.videoId)).status).toBe('awaiting_upload');
  });

  it('of an upload that expires, or whose video is deleted', async () => {
    const [expired, deleted] = [await scene.begunVideo(video), await scene.begunVideo(video)];
    await scene.rig.rows.expire(expired.uploadId);
    await scene.rig.rows.query('update video set deleted_at = now() where id = $1', [deleted.videoId]);
    expect((await head(expired.url, expired.accountId)).status).toBe(410);
    await scene.rig.node.uploads.expireUploads();
    await scene.expectNothingLeft(expired);
    await scene.expectNothingLeft(deleted);
  });

  it('unlisted, since each listing begins where the last one ended', async () => {
    const begun = [await scene.begunVideo(video), await scene.begunVideo(video), await scene.begunVideo(video)];
    const staging = scene.staging({ maxListed: 2, leftoverAgeSeconds: -60 });
    const listed = async (): Promise<string[]> => {
      const ids: string[] = [];
      for await (const { uploadId } of staging.listIdle()) ids.push(uploadId);
      return ids;
    };
    const seen: string[] = [];
    while (!begun.every(({ uploadId }) => seen.includes(uploadId))) {
      const page = await listed();
      expect(page.length).toBeLessThanOrEqual(2);
      expect(seen).not.toEqual(expect.arrayContaining(page.length === 0 ? [''] : page));
      seen.push(...page);
    }
    for (const upload of begun) await send(upload.url, { method: 'DELETE', accountId: upload.accountId });
  });

  it('of parts without an open upload, once no process can be sending them', async () => {
    const upload = await scene.begunVideo(video);
    const key = sourceKeyOf(upload);
    const stray = await scene.store.multiparts.begin(key);
    for await (const { uploadId } of scene.staging().listIdle()) expect.fail(`${uploadId} is taken for idle`);
    await scene.rig.node.uploads.expireUploads();
    expect(await scene.unfinished(upload)).toHaveLength(2);

    // Servers report the start in whole seconds, perhaps rounded up.
    const impatient = await scene.rig.secondNode({
      store: scene.store,
      gather: () => scene.staging({ leftoverAgeSeconds: -4000 }),
    });
    cleanUp.defer(() => impatient.stop());
    await impatient.uploads.expireUploads();
    expect(await scene.store.multiparts.parts(key, stray)).toBeNull();
    expect(await scene.offsetOf(upload)).toBe(String(PART_BYTES + 1000));
    await scene.rig.rows.expire(upload.uploadId);
    await scene.rig.node.uploads.expireUploads();
    await scene.expectNothingLeft(upload);
  });
});

describe('lengths', () => {
  it('beyond the announced one are refused, and the excess is discarded', async () => {
    const upload = await scene.rig.begun(100_000);
    expect((await patch(upload.url, upload.accountId, 0, Buffer.alloc(100_001))).status).toBe(413);
    const { req, answer } = openPatch(upload.url, upload.accountId, { offset: 0 });
    req.end(Buffer.alloc(300_000));
    expect((await answer).status).toBe(413);
    expect(Number(await scene.offsetOf(upload))).toBeLessThanOrEqual(100_000);
  });

  it('at another offset change nothing', async () => {
    const upload = await scene.rig.begun(10);
    expect((await patch(upload.url, upload.accountId, 0, '01234')).status).toBe(204);
    for (const offset of [0, 4, 6, 10, 2 ** 60]) {
      expect((await patch(upload.url, upload.accountId, offset, 'x')).status).toBe(409);
    }
    for (const offset of ['-1', 'five', '1e1', '']) {
      const headers = { 'upload-offset': offset, 'content-type': 'application/offset+octet-stream' };
      const { status } = await send(upload.url, { method: 'PATCH', accountId: upload.accountId, headers, body: 'x' });
      expect([400, 409, 412]).toContain(status);
    }
    expect((await patch(upload.url, upload.accountId, 5, '56789')).status).toBe(204);
    await scene.expectUploaded(upload, Buffer.from('0123456789'));
  });
});

describe('the memory of uploads', () => {
  async function sentWith(memory: ByteBudget): Promise<{ upload: Begun; sent: Promise<number>; video: Buffer }> {
    const video = randomBytes(4 * PART_BYTES + 1);
    const upload = await scene.rig.begun(video.length);
    const staging = scene.staging({ budget: memory });
    const sent = staging.write({ ...upload, sizeBytes: video.length }, 0, Readable.from(pieces(video)));
    return { upload, sent, video };
  }

  it.each([
    ['two parts if there is memory for them', 8, 2],
    ['one part if there is memory for only one', 1, 1],
  ])('holds %s', async (_what, parts, most) => {
    const memory = new ByteBudget(parts * PART_BYTES);
    const { upload, sent, video } = await sentWith(memory);
    expect(await sent).toBe(video.length);
    expect(memory.usage).toEqual({ heldBytes: 0, mostBytes: most * PART_BYTES });
    await scene.rig.node.uploads.finish(upload);
    await scene.expectUploaded(upload, video);
  });

  it('refuses a video without space, and releases what it counted', async () => {
    const memory = new ByteBudget(PART_BYTES);
    const others = memory.take(1)!;
    const { upload, sent } = await sentWith(memory);
    await expect(sent).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    others[Symbol.dispose]();
    expect(memory.usage.heldBytes).toBe(0);
    await scene.rig.node.uploads.discard(upload);
    await scene.expectNothingLeft(upload);
  });
});

function* pieces(video: Buffer): Generator<Buffer> {
  for (let at = 0; at < video.length; at += 60_001) yield video.subarray(at, at + 60_001);
}
