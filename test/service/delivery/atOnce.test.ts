import { randomUUID } from 'node:crypto';

import { beforeAll, describe, expect, it } from 'vitest';

import { videoIdOf } from '../../../src/domain/shared/ids.js';
import { DeliveryRig, FILES_OF_A_GRANT, MEDIA_PLAYLIST, SEGMENT } from './rig.js';

const TAKES_GZIP = { 'accept-encoding': 'gzip, deflate, br' };

const rig = await DeliveryRig.ofFile();
const video = await rig.published();
const base = rig.base(video);

/** The response to one request, and whether it was made without the router. */
async function ask(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const before = rig.atOnce;
  const { status, headers: answered, body } = await rig.send(path, { method, headers });
  const { date: _date, ...same } = answered;
  return { isAtOnce: rig.atOnce > before, answer: { status, headers: same, body } };
}

describe('a file in memory', () => {
  it.each(FILES_OF_A_GRANT.flatMap((file) => [[file, {}] as const, [file, TAKES_GZIP] as const]))(
    '%s (%o) gets the same response as from the router',
    async (file, headers) => {
      const first = await ask(`${base}/${file}`, headers);
      // The time for which caches may keep it counts down with the grant.
      const kept = (one: typeof first) => ({
        ...one.answer,
        headers: {
          ...one.answer.headers,
          'cache-control': one.answer.headers['cache-control']?.replaceAll(/\d+/g, 'n'),
        },
      });
      await expect.poll(async () => (await ask(`${base}/${file}`, headers)).isAtOnce).toBe(true);
      const again = await ask(`${base}/${file}`, headers);
      expect(first.answer.status).toBe(200);
      expect(kept(again)).toEqual(kept(first));
    },
  );

  it('is refused to pages outside the allowed sites of its account', async () => {
    const own = await rig.published();
    const files = [`${rig.base(own)}/master.m3u8`, `${rig.base(own)}/1-2/480p/index.m3u8`];
    await rig.change(own, `update account set allowed_domains = '{shop.example}' where id = $1`, [own.accountId]);
    for (const file of files) {
      for (const status of [200, 200]) {
        expect((await ask(file, { origin: 'https://shop.example' })).answer.status).toBe(status);
      }
      expect((await ask(file, { origin: 'https://other.example' })).answer.status).toBe(403);
      expect((await ask(file)).answer.status).toBe(200);
    }
  });
});

describe('requests that are left to the router', () => {
  const segment = () => `${base}/1-2/480p/seg_00000.m4s`;
  beforeAll(async () => {
    for (let times = 0; times < 2; times += 1) for (const file of FILES_OF_A_GRANT) await ask(`${base}/${file}`);
  });

  it.each([
    ['a range request', { range: 'bytes=0-9' }, 'GET', 206],
    ['a HEAD request', {}, 'HEAD', 200],
    ['a request for a file that the client already has', { 'if-none-match': '*' }, 'GET', 304],
    ['a request with If-Modified-Since', { 'if-modified-since': new Date('2100-01-01').toUTCString() }, 'GET', 304],
    ['a CORS preflight', {}, 'OPTIONS', 204],
    ['a POST request', {}, 'POST', 405],
  ])('include %s', async (_, headers, method, status) => {
    const { isAtOnce, answer } = await ask(segment(), headers, method);
    expect([isAtOnce, answer.status]).toEqual([false, status]);
  });

  it.each([
    ['another spelling of the path', () => segment().replace('/media/', '//media/')],
    ['a query', () => `${segment()}?v=1`],
    ['an escaped letter', () => segment().replace('seg_', '%73eg_')],
    ['a grant of another video', () => segment().replace(video.vid, videoIdOf(randomUUID()))],
    [
      'a forged grant',
      () => segment().replace(/\/media\/(.)/, (_, first: string) => `/media/${first === 'A' ? 'B' : 'A'}`),
    ],
    [
      'an expired grant',
      () => `/media/${rig.grant(video, Math.floor(Date.now() / 1000) - 1)}/${video.vid}/1-2/480p/seg_00000.m4s`,
    ],
    ['an invalid run', () => segment().replace('/1-2/', '/0-2/')],
    ['another run', () => segment().replace('/1-2/', '/1-3/')],
  ])('include %s', async (_, path) => {
    expect((await ask(path())).isAtOnce).toBe(false);
  });
});

it('an expired grant opens nothing, even after it was used', async () => {
  const now = Date.now() / 1000;
  const ending = `/media/${rig.grant(video, Math.floor(now) + 60)}/${video.vid}`;
  expect((await ask(`${ending}/1-2/480p/seg_00000.m4s`)).answer.status).toBe(200);
  rig.nowEpochSeconds = () => now + 61;
  try {
    for (const file of FILES_OF_A_GRANT) expect((await ask(`${ending}/${file}`)).answer.status).toBe(403);
  } finally {
    rig.nowEpochSeconds = () => Date.now() / 1000;
  }
});

it('many viewers of one video get the same bytes from one read', async () => {
  const own = await rig.published();
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, nth) =>
      rig.send(`${rig.base(own)}/1-2/480p/${nth % 2 ? 'seg_00000.m4s' : 'index.m3u8'}`),
    ),
  );
  for (const [nth, { status, body }] of answers.entries()) {
    expect(status).toBe(200);
    expect(body.equals(nth % 2 ? SEGMENT : Buffer.from(MEDIA_PLAYLIST))).toBe(true);
  }
});
