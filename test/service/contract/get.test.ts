import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { newId, videoIdOf } from '../../../src/domain/shared/ids.js';
import { call } from '../../support/contract/client.js';
import { addVideo, openCustomer, type RestService, startRestService } from '../../support/contract/service.js';

let service: RestService;
beforeAll(async () => {
  service = await startRestService();
});
afterAll(() => service.stop());

async function addRendition(accountId: string, videoId: string, quality: string): Promise<void> {
  const isAudio = quality === 'audio';
  await service.db.sql.query(
    {
      name: 'test-add-rendition',
      text: `insert into rendition (account_id, video_id, quality, width, height, bitrate, average_bitrate, codecs,
          size_bytes, path, prefix) values ($1, $2, $3, $4, $5, $6, $6, $7, 1000, 'index.m3u8', 'videos/x/')`,
    },
    [
      accountId,
      videoId,
      quality,
      isAudio ? null : 854,
      isAudio ? null : 480,
      isAudio ? 130_000 : 900_000,
      isAudio ? 'mp4a.40.2' : 'avc1.64001f',
    ],
  );
}

describe('GET /v1/video/:videoId', () => {
  it('accepts both spellings of the id, and the UUID in any case', async () => {
    const { accountId, key } = await openCustomer(service);
    const id = await addVideo(service.db, accountId);
    const answers = await Promise.all(
      [id, id.toUpperCase(), videoIdOf(id)].map((spelling) => call(service, `/v1/video/${spelling}`, { key })),
    );
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(body).toEqual(answers[0]!.body);
    }
  });

  it('lists the renditions that already play, and no others', async () => {
    const { accountId, key } = await openCustomer(service);
    const id = await addVideo(service.db, accountId, { status: 'processing', playableRungs: ['audio', '480p'] });
    for (const quality of ['audio', '480p', '1080p']) await addRendition(accountId, id, quality);
    const { data } = (await call(service, `/v1/video/${id}`, { key })).body;

    expect(data.playableRungs).toEqual(['audio', '480p']);
    expect(data.renditions).toEqual([
      { quality: '480p', width: 854, height: 480, bitrate: 900_000, codecs: 'avc1.64001f', sizeBytes: 1000 },
    ]);
    const sound = { bitrate: 130_000, codecs: 'mp4a.40.2', sizeBytes: 1000 };
    const main = { language: 'und', label: 'Main', isDefault: true, isDescription: false };
    expect(data.audio).toEqual({ ...sound, tracks: [{ ...main, ...sound }] });
    expect(data.captions).toEqual([]);
    expect(data.failure).toBeNull();
  });

  it('returns the reason why a video failed', async () => {
    const { accountId, key } = await openCustomer(service);
    const id = await addVideo(service.db, accountId, { status: 'failed', failureCode: 'UNUSABLE_SOURCE' });
    const { data } = (await call(service, `/v1/video/${id}`, { key })).body;
    expect(data.failure).toEqual({ code: 'UNUSABLE_SOURCE', message: 'UNUSABLE_SOURCE' });
  });

  it('gives the same error for another account’s video, a deleted one and a malformed id', async () => {
    const { accountId, key } = await openCustomer(service);
    const other = await openCustomer(service);
    const theirs = await addVideo(service.db, other.accountId);
    const gone = await addVideo(service.db, accountId);
    await service.db.sql.query({ name: 't', text: 'update video set deleted_at = now() where id = $1' }, [gone]);

    const bodies = new Set<string>();
    for (const id of [
      theirs,
      videoIdOf(theirs),
      gone,
      newId(),
      'x',
      'vid_0OIl',
      'vid_zzzzzzzzzzzzzzzzzzzzzz',
      '%ff',
      '%',
    ]) {
      const { status, body } = await call(service, `/v1/video/${id}`, { key });
      expect(status).toBe(404);
      bodies.add(JSON.stringify(body));
    }
    expect([...bodies]).toEqual([
      '{"success":false,"error":{"code":"VIDEO_NOT_FOUND","message":"Video not found.","status":404}}',
    ]);
  });

  it('checks the key before the video', async () => {
    const { accountId } = await openCustomer(service);
    const id = await addVideo(service.db, accountId);
    for (const path of [id, '%ff', 'x']) {
      expect((await call(service, `/v1/video/${path}`)).status).toBe(401);
    }
  });

  it('returns 405 for other methods', async () => {
    const { status, headers } = await call(service, `/v1/video/${newId()}`, { method: 'DELETE' });
    expect(status).toBe(405);
    expect(headers.get('allow')).toBe('GET, HEAD, OPTIONS');
  });
});

describe('other paths below /v1', () => {
  it.each(['/v1', '/v1/', '/v1/nope', '/v1/video/a/b', '/v1/video/a/playback-token/b', '/v1/Video', '/v1/%ff'])(
    'return 404 in the envelope: %s',
    async (path) => {
      const { status, body } = await call(service, path);
      expect(status).toBe(404);
      expect(body.error.code).toBe('NOT_FOUND');
    },
  );

  it('keep the caller’s request id if it is well-formed', async () => {
    const sane = await call(service, '/v1/nope', { headers: { 'x-request-id': 'my-request-0001' } });
    expect(sane.headers.get('x-request-id')).toBe('my-request-0001');
    const odd = await call(service, '/v1/nope', { headers: { 'x-request-id': 'a b<script>' } });
    expect(odd.headers.get('x-request-id')).not.toContain('<');
  });
});
