import { randomBytes } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { eventsOf } from '../../support/events/log.js';
import { errorOf, head, openPatch, patch, tusUpload } from '../../support/uploads/client.js';
import { UploadRig } from '../../support/uploads/rig.js';
import { EXPIRES_IN_SECONDS, MAX_SIZE_BYTES } from '../../support/uploads/uploadNode.js';

let rig: UploadRig;
beforeAll(async () => {
  rig = await UploadRig.start();
});
afterAll(() => rig.stop());

describe('an uploaded file', () => {
  it('makes its video uploaded, is stored, and queued for measuring', async () => {
    const bytes = randomBytes(2_000_000);
    const { accountId, videoId, uploadId, url } = await rig.begun(bytes.length);

    await tusUpload(url, bytes, { accountId, chunkSize: 700_000 }).done;

    const key = `sources/${accountId}/${videoId}/${uploadId}`;
    expect(await rig.rows.videoState(videoId)).toEqual({ status: 'uploaded', source_key: key, size_bytes: '2000000' });
    expect((await rig.sourceOf(videoId)).equals(bytes)).toBe(true);
    expect(await rig.rows.measureJobs(videoId)).toBe(1);
    expect(
      await rig.rows.query('select key, size_bytes, removed_at from stored_object where video_id = $1', [videoId]),
    ).toEqual([{ key, size_bytes: '2000000', removed_at: null }]);
    expect(await rig.stagedFiles()).not.toContain(`${accountId}.${uploadId}`);
    const events = await eventsOf(rig.node.db, accountId);
    expect(events.map(({ type, data }) => [type, data['uuid'], data['status']])).toEqual([
      ['video.uploaded', videoId, 'uploaded'],
    ]);
  });

  it('notifies subscribers of every step', async () => {
    const { accountId, videoId, url } = await rig.begun(10);
    const client = await rig.rows.pool.connect();
    const heard: string[] = [];
    try {
      client.on('notification', ({ payload }) => heard.push(payload!));
      await client.query('listen dhara_events');
      await patch(url, accountId, 0, '01234');
      await patch(url, accountId, 5, '56789');
      await expect
        .poll(() => heard.map((text) => JSON.parse(text) as unknown))
        .toEqual([
          { kind: 'video', accountId, videoId },
          // The last byte is also an event in the account's log.
          { kind: 'event', accountId },
          { kind: 'video', accountId, videoId },
        ]);
    } finally {
      await client.query('unlisten *');
      client.release();
    }
  });

  it('of zero bytes is complete at the first HEAD', async () => {
    const { accountId, videoId, url } = await rig.begun(0);
    await tusUpload(url, Buffer.alloc(0), { accountId }).done;
    expect(await rig.rows.videoState(videoId)).toMatchObject({ status: 'uploaded', size_bytes: '0' });
    expect(await rig.rows.measureJobs(videoId)).toBe(1);
  });

  it('is uploading from the first byte, and each byte postpones its expiry', async () => {
    const { accountId, videoId, uploadId, url } = await rig.begun(10);
    expect((await rig.rows.videoState(videoId)).status).toBe('awaiting_upload');
    expect((await head(url, accountId)).headers.get('upload-offset')).toBe('0');
    expect((await rig.rows.videoState(videoId)).status).toBe('awaiting_upload');
    await rig.rows.query(`update upload set expires_at = now() + interval '1 min' where id = $1`, [uploadId]);

    const answer = await patch(url, accountId, 0, '01234');

    expect(answer.status).toBe(204);
    expect(answer.headers.get('upload-offset')).toBe('5');
    expect((await rig.rows.videoState(videoId)).status).toBe('uploading');
    const expires = (await head(url, accountId)).headers.get('upload-expires');
    expect(Date.parse(expires!) - Date.now()).toBeGreaterThan((EXPIRES_IN_SECONDS - 60) * 1000);
  });
});

describe('after a lost connection', () => {
  it('half-way, what arrived is kept, and the client resumes', async () => {
    const bytes = randomBytes(1_000_000);
    const { accountId, videoId, uploadId, url } = await rig.begun(bytes.length);
    const { req } = openPatch(url, accountId, { offset: 0, contentLength: bytes.length });
    req.write(bytes.subarray(0, 400_000));
    await expect.poll(() => rig.node.staging.sizeBytes({ accountId, uploadId })).toBe(400_000);
    req.destroy();

    expect((await head(url, accountId)).headers.get('upload-offset')).toBe('400000');
    await tusUpload(url, bytes, { accountId }).done;
    expect((await rig.sourceOf(videoId)).equals(bytes)).toBe(true);
    // A lost network is no error of the service: it logs nothing.
    expect(rig.node.logLines).toEqual([]);
  });

  it('at the very end, the client learns that everything arrived', async () => {
    const { accountId, url } = await rig.begun(5);
    await patch(url, accountId, 0, '01234');

    const again = await head(url, accountId);
    expect(again.status).toBe(200);
    expect(again.headers.get('upload-offset')).toBe('5');
    expect(again.headers.get('upload-length')).toBe('5');
    expect(again.headers.get('tus-resumable')).toBe('1.0.0');
    expect((await patch(url, accountId, 0, '01234')).status).toBe(409);
    await tusUpload(url, Buffer.from('01234'), { accountId }).done;
  });

  it('with a lost server, another one on the same folder resumes', async () => {
    const bytes = randomBytes(3_000_000);
    const { accountId, videoId, uploadId } = await rig.begun(bytes.length);
    const first = await rig.secondNode();
    const { req } = openPatch(`${first.url}/uploads/${uploadId}`, accountId, {
      offset: 0,
      contentLength: bytes.length,
    });
    req.write(bytes.subarray(0, 1_200_000));
    await expect.poll(() => first.staging.sizeBytes({ accountId, uploadId })).toBeGreaterThan(1_000_000);
    await first.stop();

    const second = await rig.secondNode();
    try {
      const sent: number[] = [];
      await tusUpload(`${second.url}/uploads/${uploadId}`, bytes, { accountId, onProgress: (n) => sent.push(n) }).done;
      expect(sent[0]).toBeGreaterThan(1_000_000);
      expect((await rig.sourceOf(videoId)).equals(bytes)).toBe(true);
    } finally {
      await second.stop();
    }
  });
});

describe('the size of an upload', () => {
  it('is refused above the limit, before the first byte', async () => {
    const accountId = await rig.rows.account();
    const videoId = await rig.rows.video(accountId);
    await expect(rig.node.uploads.begin(accountId, videoId, { sizeBytes: MAX_SIZE_BYTES + 1 })).rejects.toMatchObject({
      code: 'FILE_TOO_LARGE',
      details: { maxSizeBytes: String(MAX_SIZE_BYTES) },
    });
    for (const sizeBytes of [-1, 1.5, Number.NaN]) {
      await expect(rig.node.uploads.begin(accountId, videoId, { sizeBytes })).rejects.toMatchObject({
        code: 'INVALID_INPUT',
      });
    }
  });

  it('is refused above the announced one, with a length', async () => {
    const { accountId, url } = await rig.begun(5);
    const { done } = tusUpload(url, Buffer.from('0123456789'), { accountId });
    const error = errorOf(await done.catch((thrown: unknown) => thrown));
    expect(error).toMatchObject({ status: 413, code: 'FILE_TOO_LARGE' });
  });

  it('is refused above the announced one without a length, and the excess is discarded', async () => {
    const { accountId, uploadId, url } = await rig.begun(100_000);
    const { req, answer } = openPatch(url, accountId, { offset: 0 });
    req.end(Buffer.alloc(300_000));
    expect((await answer).status).toBe(413);
    expect((await rig.node.staging.sizeBytes({ accountId, uploadId }))!).toBeLessThanOrEqual(100_000);
  });
});
