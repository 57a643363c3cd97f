import { utimes, writeFile } from 'node:fs/promises';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { eventTypesOf } from '../../support/events/log.js';
import { head, openPatch, patch, send } from '../../support/uploads/client.js';
import { UploadRig } from '../../support/uploads/rig.js';

let rig: UploadRig;
beforeAll(async () => {
  rig = await UploadRig.start();
});
afterAll(() => rig.stop());

describe('a crash while finishing', () => {
  /** The state after a kill between the move and the transaction. */
  async function moved() {
    const upload = await rig.begun(5);
    await rig.node.uploads.resume(upload.accountId, upload.uploadId);
    await rig.node.uploads.touch(upload);
    const path = rig.node.staging.path(upload);
    await writeFile(path, '01234');
    const key = `sources/${upload.accountId}/${upload.videoId}/${upload.uploadId}`;
    await rig.node.store.putFile(key, path);
    return upload;
  }

  async function expectFinishedOnce({ accountId, videoId }: { accountId: string; videoId: string }) {
    expect((await rig.rows.videoState(videoId)).status).toBe('uploaded');
    expect((await rig.sourceOf(videoId)).toString()).toBe('01234');
    expect(await rig.rows.measureJobs(videoId)).toBe(1);
    expect(await eventTypesOf(rig.node.db, accountId)).toEqual(['video.uploaded']);
  }

  it('is repaired when the client asks', async () => {
    const upload = await moved();
    expect((await head(upload.url, upload.accountId)).headers.get('upload-offset')).toBe('5');
    await expectFinishedOnce(upload);
  });

  it('is repaired by the sweep, before and after the upload has expired', async () => {
    const upload = await moved();
    expect(await rig.node.uploads.recoverUploads()).toBeGreaterThanOrEqual(1);
    await expectFinishedOnce(upload);

    const late = await moved();
    await rig.rows.expire(late.uploadId);
    await rig.node.uploads.expireUploads();
    await expectFinishedOnce(late);
  });

  it('is repaired even before the move', async () => {
    const upload = await rig.begun(5);
    await rig.node.uploads.resume(upload.accountId, upload.uploadId);
    await rig.node.uploads.touch(upload);
    await writeFile(rig.node.staging.path(upload), '01234');
    await rig.node.uploads.recoverUploads();
    await expectFinishedOnce(upload);
  });

  it('is repaired once, no matter who comes first', async () => {
    for (let round = 0; round < 10; round += 1) {
      const upload = await moved();
      await Promise.all([
        rig.node.uploads.finish(upload),
        rig.node.uploads.finish(upload),
        rig.node.uploads.recoverUploads(),
        head(upload.url, upload.accountId),
      ]);
      await expectFinishedOnce(upload);
    }
  });

  it('does not finish an incomplete upload', async () => {
    const { accountId, uploadId, url, videoId } = await rig.begun(5);
    await patch(url, accountId, 0, '012');
    await expect(rig.node.uploads.finish({ accountId, uploadId })).rejects.toMatchObject({ code: 'INVALID_STATE' });
    expect((await rig.rows.videoState(videoId)).status).toBe('uploading');
  });
});

describe('an upload ends', () => {
  it('when it expires: its file and row are removed, and its video waits again', async () => {
    const { accountId, videoId, uploadId, url } = await rig.begun(10);
    await patch(url, accountId, 0, '01234');
    await rig.rows.expire(uploadId);

    expect((await head(url, accountId)).status).toBe(410);
    const refused = await patch(url, accountId, 5, '56789');
    expect(refused.status).toBe(410);
    expect(JSON.parse(refused.text)).toMatchObject({ error: { code: 'UPLOAD_EXPIRED' } });
    await rig.node.uploads.expireUploads();

    expect((await head(url, accountId)).status).toBe(404);
    expect((await rig.rows.videoState(videoId)).status).toBe('awaiting_upload');
    expect(await rig.stagedFiles()).not.toContain(`${accountId}.${uploadId}`);
    expect((await rig.node.uploads.begin(accountId, videoId, { sizeBytes: 3 })).uploadId).not.toBe(uploadId);
  });

  it('at its expiry only if no writer is active', async () => {
    const { accountId, uploadId, url, videoId } = await rig.begun(10);
    const { req, answer } = openPatch(url, accountId, { offset: 0, contentLength: 10 });
    req.write('0123');
    await expect.poll(() => rig.node.staging.sizeBytes({ accountId, uploadId })).toBe(4);
    await rig.rows.expire(uploadId);
    await rig.node.uploads.expireUploads();
    req.end('456789');
    expect((await answer).status).toBe(204);
    expect((await rig.sourceOf(videoId)).toString()).toBe('0123456789');
  });

  it('when it is cancelled', async () => {
    const { accountId, videoId, uploadId, url } = await rig.begun(10);
    await patch(url, accountId, 0, '01234');
    expect((await send(url, { method: 'DELETE', accountId })).status).toBe(204);
    expect((await head(url, accountId)).status).toBe(404);
    expect((await rig.rows.videoState(videoId)).status).toBe('awaiting_upload');
    expect(await rig.stagedFiles()).not.toContain(`${accountId}.${uploadId}`);
  });

  it('only once: a finished one can be neither cancelled nor expired', async () => {
    const { accountId, uploadId, url, videoId } = await rig.begun(5);
    await patch(url, accountId, 0, '01234');
    expect((await send(url, { method: 'DELETE', accountId })).status).toBe(409);
    await rig.rows.expire(uploadId);
    await rig.node.uploads.expireUploads();
    expect((await rig.sourceOf(videoId)).toString()).toBe('01234');
  });

  it('when another replaces it', async () => {
    const { accountId, videoId, uploadId, url } = await rig.begun(10);
    await patch(url, accountId, 0, '01234');
    const next = await rig.node.uploads.begin(accountId, videoId, { sizeBytes: 4 });
    expect((await patch(url, accountId, 5, '56789')).status).toBe(410);
    await rig.node.uploads.expireUploads();
    expect(await rig.rows.query('select id from upload where video_id = $1', [videoId])).toEqual([
      { id: next.uploadId },
    ]);
    expect(await rig.stagedFiles()).not.toContain(`${accountId}.${uploadId}`);
    await patch(`${rig.node.url}/uploads/${next.uploadId}`, accountId, 0, 'abcd');
    expect((await rig.sourceOf(videoId)).toString()).toBe('abcd');
    await expect(rig.node.uploads.begin(accountId, videoId, { sizeBytes: 4 })).rejects.toMatchObject({
      code: 'INVALID_STATE',
    });
  });

  it('with its file: files without a row are removed', async () => {
    const known = await rig.begun(10);
    await patch(known.url, known.accountId, 0, '01234');
    const unknown = { accountId: known.accountId, uploadId: 'f'.repeat(40) };
    const young = { accountId: known.accountId, uploadId: 'e'.repeat(40) };
    const twoHoursAgo = new Date(Date.now() - 2 * 3_600_000);
    for (const ref of [known, unknown, young]) {
      await rig.node.staging.create(ref);
      if (ref !== young) await utimes(rig.node.staging.path(ref), twoHoursAgo, twoHoursAgo);
    }
    await rig.node.uploads.expireUploads();
    expect(await rig.node.staging.sizeBytes(unknown)).toBeNull();
    expect(await rig.node.staging.sizeBytes(young)).toBe(0);
    expect(await rig.node.staging.sizeBytes(known)).toBe(5);
  });

  it('when its video is deleted', async () => {
    const { accountId, videoId, uploadId, url } = await rig.begun(10);
    await patch(url, accountId, 0, '01234');
    await rig.rows.query('update video set deleted_at = now() where id = $1', [videoId]);
    expect((await patch(url, accountId, 5, '56789')).status).toBe(404);
    await rig.node.uploads.expireUploads();
    expect(await rig.rows.query('select id from upload where video_id = $1', [videoId])).toEqual([]);
    expect(await rig.stagedFiles()).not.toContain(`${accountId}.${uploadId}`);
  });

  it('with an object to remove, if its video is deleted while it finishes', async () => {
    const { accountId, videoId, uploadId, url } = await rig.begun(5);
    const { req, answer } = openPatch(url, accountId, { offset: 0, contentLength: 5 });
    req.write('0123');
    await expect.poll(() => rig.node.staging.sizeBytes({ accountId, uploadId })).toBe(4);
    await rig.rows.query('update video set deleted_at = now() where id = $1', [videoId]);
    req.end('4');
    expect((await answer).status).toBe(404);
    await rig.node.uploads.expireUploads();
    const [row] = await rig.rows.query<{ removed_at: Date | null }>(
      'select removed_at from stored_object where video_id = $1',
      [videoId],
    );
    expect(row!.removed_at).not.toBeNull();
    expect(await rig.rows.measureJobs(videoId)).toBe(0);
  });

  it('before it begins, for another account’s video', async () => {
    const { videoId } = await rig.begun(5);
    const stranger = await rig.rows.account();
    await expect(rig.node.uploads.begin(stranger, videoId, { sizeBytes: 1 })).rejects.toMatchObject({
      code: 'VIDEO_NOT_FOUND',
    });
  });
});
