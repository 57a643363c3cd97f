import { randomUUID } from 'node:crypto';

import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { videoIdOf } from '../../../src/domain/shared/ids.js';
import { EncryptionScene, type Video } from '../../support/encryption/scene.js';

let scene: EncryptionScene;
let video: Video;
let other: Video;
let rows: pg.Pool;

beforeAll(async () => {
  scene = await EncryptionScene.start({ segmentsPerKey: 1 });
  rows = new pg.Pool({ connectionString: scene.migrationUrl, max: 1 });
  video = await scene.video({ durationSeconds: 9 });
  other = await scene.video({ durationSeconds: 5 });
});
afterAll(async () => {
  await rows.end();
  await scene.stop();
});

async function keyAt(url: string, options: RequestInit = {}): Promise<Buffer> {
  const answer = await fetch(url, options);
  expect(answer.status).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
}

/** The code of a refusal, after checking that it has no key and is not cached. */
async function refusalOf(url: string, options: RequestInit = {}): Promise<string> {
  const answer = await fetch(url, options);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  const { success, error } = (await answer.json()) as { success: boolean; error: { code: string; status: number } };
  expect([success, error.status]).toEqual([false, answer.status]);
  return error.code;
}

describe('a media key', () => {
  it('is 16 bytes, for any site, and never cached', async () => {
    const answer = await fetch(scene.keyUrl(video));
    expect(Buffer.from(await answer.arrayBuffer())).toHaveLength(16);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': '16',
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'referrer-policy': 'no-referrer',
    });
    expect(answer.headers.get('etag')).toBeNull();
    const head = await fetch(scene.keyUrl(video), { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '16']);
    expect((await fetch(scene.keyUrl(video), { method: 'OPTIONS' })).status).toBe(204);
    expect(await refusalOf(scene.keyUrl(video), { method: 'POST' })).toBe('METHOD_NOT_ALLOWED');
  });

  it('is the same for every view of this video, and different for another', async () => {
    const key = await keyAt(scene.keyUrl(video));
    expect((await keyAt(scene.keyUrl(video))).equals(key)).toBe(true);
    expect((await keyAt(scene.keyUrl(video, 1))).equals(key)).toBe(false);
    expect((await keyAt(scene.keyUrl(other))).equals(key)).toBe(false);
  });

  it('is sent to views that began before the master key changed, until they expire', async () => {
    const key = await keyAt(scene.keyUrl(video));
    const old = scene.keyUrl(video, 0, scene.grant(video, 3600, scene.oldGrantKey));
    expect((await keyAt(old)).equals(key)).toBe(true);
    const over = scene.keyUrl(video, 0, scene.grant(video, -1, scene.oldGrantKey));
    expect(await refusalOf(over)).toBe('FORBIDDEN');
  });

  it('is refused to a grant of another video or account, and to a forged or expired one', async () => {
    const grant = scene.grant(video);
    const grants = [
      scene.grant(other),
      scene.grant({ ...video, accountId: other.accountId }),
      scene.grant(video, -1),
      `${grant.startsWith('A') ? 'B' : 'A'}${grant.slice(1)}`,
      `${grant.slice(0, -1)}${grant.endsWith('A') ? 'B' : 'A'}`,
      'none',
    ];
    const codes = await Promise.all(grants.map((wrong) => refusalOf(scene.keyUrl(video, 0, wrong))));
    // The second is a valid grant, for a video that its account does not have.
    expect(codes).toEqual(['FORBIDDEN', 'VIDEO_NOT_FOUND', 'FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN']);
  });

  it.each(['99', '-1', '01', '1.5', '1e1', '0x1', '9999999', 'x', '..%2f0'])(
    'with the number %s is not found',
    async (index) => {
      const answer = await fetch(`${scene.base(video)}/${video.run}/key/${index}`);
      expect(answer.status).toBe(404);
    },
  );

  it('of another run is not found', async () => {
    for (const run of ['1-2', '2-1', '0-1', '1-0', '99999999999-1']) {
      expect((await fetch(`${scene.base(video)}/${run}/key/0`)).status).toBe(404);
    }
  });
});

describe('an account with allowed sites', () => {
  afterEach(() => rows.query(`update account set allowed_domains = '{}'`));

  it('sends its keys to pages on these sites only', async () => {
    await rows.query(`update account set allowed_domains = '{videos.example}' where id = $1`, [video.accountId]);
    const from = (origin: string) => ({ headers: { origin } });
    expect(await refusalOf(scene.keyUrl(video), from('https://elsewhere.example'))).toBe('DOMAIN_NOT_ALLOWED');
    await keyAt(scene.keyUrl(video), from('https://videos.example'));
    await keyAt(scene.keyUrl(other), from('https://elsewhere.example'));
  });
});

describe('rows of keys that were changed', () => {
  const exchange = `
    update media_key k set sealed = o.sealed, master_key_id = o.master_key_id from media_key o
    where k.video_id = $1 and k.key_index = $2 and o.video_id = $3 and o.key_index = $4`;

  it.each([
    ['another key of the video', () => [video.videoId, 1]],
    ['a key of another video', () => [other.videoId, 0]],
  ])('open nothing if they contain %s', async (_what, source) => {
    const before = await rows.query('select sealed from media_key where video_id = $1 and key_index = 0', [
      video.videoId,
    ]);
    await rows.query(exchange, [video.videoId, 0, ...source()]);
    expect(await refusalOf(scene.keyUrl(video))).toBe('INTERNAL_ERROR');
    await rows.query('update media_key set sealed = $1 where video_id = $2 and key_index = 0', [
      (before.rows as { sealed: Buffer }[])[0]!.sealed,
      video.videoId,
    ]);
    await keyAt(scene.keyUrl(video));
  });

  it('by one bit open nothing', async () => {
    const flip = `update media_key set sealed = set_bit(sealed, 100, 1 - get_bit(sealed, 100)) where video_id = $1`;
    await rows.query(flip, [video.videoId]);
    expect(await refusalOf(scene.keyUrl(video))).toBe('INTERNAL_ERROR');
    await rows.query(flip, [video.videoId]);
    await keyAt(scene.keyUrl(video));
  });
});

describe('media keys at rest', () => {
  it('are encrypted in every row', async () => {
    const key = await keyAt(scene.keyUrl(video));
    const found = await rows.query<{ sealed: Buffer }>('select sealed from media_key');
    expect(found.rows.length).toBeGreaterThan(2);
    for (const { sealed } of found.rows) {
      expect(sealed.includes(key)).toBe(false);
      expect(sealed.length).toBe(12 + 16 + 16);
    }
  });
});

describe('a deleted video', () => {
  it('has no keys from that moment on', async () => {
    const doomed = await scene.video({ durationSeconds: 4 });
    const url = scene.keyUrl(doomed);
    await keyAt(url);
    await scene.pipeline.videos.delete(doomed.accountId, doomed.videoId);
    expect(await refusalOf(url)).toBe('VIDEO_NOT_FOUND');
    const { rowCount } = await rows.query('select from media_key where video_id = $1', [doomed.videoId]);
    expect(rowCount).toBe(0);
  });

  it('gives the same error as one that never existed', async () => {
    const nobody = { accountId: randomUUID(), videoId: randomUUID(), run: '1-1', renditions: [] };
    expect(await refusalOf(scene.keyUrl(nobody))).toBe('VIDEO_NOT_FOUND');
    expect(scene.keyUrl(nobody)).toContain(videoIdOf(nobody.videoId));
  });
});
