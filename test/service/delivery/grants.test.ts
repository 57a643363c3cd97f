import { beforeEach, describe, expect, it } from 'vitest';

import { DeliveryRig, MEDIA_PLAYLIST, POSTER, SEGMENT, type PublishedVideo } from './rig.js';

const rig = await DeliveryRig.ofFile();
let video: PublishedVideo;
beforeEach(async () => {
  video = await rig.published();
});

const FILES = [
  'master.m3u8',
  '1-2/480p/index.m3u8',
  '1-2/480p/iframes.m3u8',
  '1-2/480p/init.mp4',
  '1-2/480p/seg_00000.m4s',
  '1-2/audio/index.m3u8',
];

describe('with a grant', () => {
  it('the master playlist lists the playable renditions by relative addresses', async () => {
    const answer = await rig.send(`${rig.base(video)}/master.m3u8`);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/vnd.apple.mpegurl');
    const lines = answer.body.toString().split('\n');
    expect(lines[0]).toBe('#EXTM3U');
    expect(lines).toContain('1-2/480p/index.m3u8');
    expect(answer.body.toString()).toContain('RESOLUTION=854x480,FRAME-RATE=25.000');
    expect(answer.body.toString()).toContain('URI="1-2/audio/index.m3u8"');
    expect(answer.body.toString()).toContain('RESOLUTION=854x480,URI="1-2/480p/iframes.m3u8"');
  });

  it('the master playlist leaves out renditions that do not play yet', async () => {
    await rig.change(video, `update video set playable_rungs = '{audio}', status = 'processing' where id = $1`, [
      video.videoId,
    ]);
    const text = (await rig.send(`${rig.base(video)}/master.m3u8`)).body.toString();
    expect(text).toContain('1-2/audio/index.m3u8');
    expect(text).not.toContain('480p');
    for (const list of ['index', 'iframes']) {
      expect((await rig.send(`${rig.base(video)}/1-2/480p/${list}.m3u8`)).status).toBe(404);
    }
  });

  it('every file of the stream can be fetched', async () => {
    const base = rig.base(video);
    expect((await rig.send(`${base}/1-2/480p/index.m3u8`)).body.toString()).toBe(MEDIA_PLAYLIST);
    expect((await rig.send(`${base}/1-2/480p/seg_00000.m4s`)).body.equals(SEGMENT)).toBe(true);
    for (const file of FILES) expect((await rig.send(`${base}/${file}`)).status).toBe(200);
  });

  it('renditions of other runs are not found', async () => {
    await rig.put(`videos/${video.accountId}/${video.videoId}/1-3/480p/index.m3u8`, MEDIA_PLAYLIST);
    expect((await rig.send(`${rig.base(video)}/1-3/480p/index.m3u8`)).status).toBe(404);
  });

  it('a video without renditions is not found', async () => {
    await rig.change(video, `update video set playable_rungs = '{}', pictures_prefix = null where id = $1`, [
      video.videoId,
    ]);
    expect((await rig.send(`${rig.base(video)}/master.m3u8`)).status).toBe(404);
    expect((await rig.send(`${rig.base(video)}/1-2/480p/seg_00001.m4s`)).status).toBe(404);
  });

  it('playlists are not found once the video is deleted', async () => {
    const base = rig.base(video);
    await rig.change(video, 'update video set deleted_at = now() where id = $1', [video.videoId]);
    for (const file of FILES.filter((name) => name.endsWith('.m3u8'))) {
      const answer = await rig.send(`${base}/${file}`);
      expect(answer.status).toBe(404);
      expect(JSON.parse(answer.body.toString())).toMatchObject({
        success: false,
        error: { code: 'VIDEO_NOT_FOUND', status: 404 },
      });
    }
    expect((await rig.send(video.posterUrl)).status).toBe(404);
  });
});

describe('without a valid grant', () => {
  async function expectForbidden(path: string): Promise<void> {
    const answer = await rig.send(path);
    expect(answer.status).toBe(403);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    expect(JSON.parse(answer.body.toString())).toEqual({
      success: false,
      error: { code: 'FORBIDDEN', message: 'This playback link is invalid or has expired.', status: 403 },
    });
  }

  it('an expired grant opens nothing', async () => {
    const expired = rig.grant(video, Math.floor(Date.now() / 1000) - 1);
    for (const file of FILES) await expectForbidden(`/media/${expired}/${video.vid}/${file}`);
  });

  it('a forged grant opens nothing, whichever character is forged', async () => {
    const grant = rig.grant(video);
    for (const at of [0, 1, 20, 45, 52, 60, 83]) {
      const forged = `${grant.slice(0, at)}${grant[at] === 'A' ? 'B' : 'A'}${grant.slice(at + 1)}`;
      await expectForbidden(`/media/${forged}/${video.vid}/${FILES[at % FILES.length]}`);
    }
    for (const malformed of ['x', `${grant}A`, grant.slice(1)]) {
      await expectForbidden(`/media/${malformed}/${video.vid}/master.m3u8`);
    }
  });

  it('a grant of another video opens nothing', async () => {
    const other = await rig.published();
    for (const file of FILES) await expectForbidden(`/media/${rig.grant(other)}/${video.vid}/${file}`);
  });

  it('no log line contains the grant', async () => {
    const grant = rig.grant(video);
    await rig.send(`/media/${grant}/${video.vid}/1-2/480p/seg_99999.m4s`);
    await rig.send(`/media/${grant}x/${video.vid}/master.m3u8`);
    expect(rig.logLines.join('')).not.toContain(grant.slice(0, 20));
  });
});

describe('malformed paths', () => {
  const strange = (base: string): string[] => [
    `${base}/1-2/480p/..%2f..%2f..%2f..%2fetc%2fpasswd`,
    `${base}/1-2/../../../../etc/passwd`,
    `${base}/1-2/%2e%2e/index.m3u8`,
    `${base}/..%2f1-2/480p/init.mp4`,
    `${base}/1-2/480p/init.mp4%00`,
    `${base}/1-2/480p/INIT.mp4`,
    `${base}/1-2/480p/seg_0.m4s`,
    `${base}/1-2/480p/seg_000000.m4s`,
    `${base}/1-2/480p/init.mp4/`,
    `${base}/1-2/480p/`,
    `${base}/1-2/480p`,
    `${base}/1-2/480P/init.mp4`,
    `${base}/0-0/480p/init.mp4`,
    `${base}/01-2/480p/init.mp4`,
    `${base}/MASTER.m3u8`,
    `${base}/%zz/480p/init.mp4`,
    `${base}/`,
    base,
    '/media/',
    '/media',
    '/media/posters',
    `/media/posters/x/y/z`,
  ];

  it('are not found', async () => {
    for (const path of strange(rig.base(video))) {
      const answer = await rig.send(path);
      expect([path, answer.status]).toEqual([path, 404]);
      expect(JSON.parse(answer.body.toString())).toMatchObject({ success: false });
    }
  });

  it('such as a UUID in place of the id are not found', async () => {
    expect((await rig.send(`/media/${rig.grant(video)}/${video.videoId}/master.m3u8`)).status).toBe(404);
  });
});

describe('sites outside the allowed sites', () => {
  it('get no playlist, while requests without an origin do', async () => {
    const own = await rig.published();
    await rig.change(own, 'update account set allowed_domains = $2 where id = $1', [own.accountId, ['shop.example']]);
    const playlists = [`${rig.base(own)}/master.m3u8`, `${rig.base(own)}/1-2/480p/index.m3u8`];
    for (const path of playlists) {
      const statusFor = async (headers: Record<string, string>) => (await rig.send(path, { headers })).status;
      expect(await statusFor({ origin: 'https://shop.example' })).toBe(200);
      expect(await statusFor({})).toBe(200);
      expect(await statusFor({ referer: 'https://other.example/page' })).toBe(403);
      const refused = await rig.send(path, { headers: { origin: 'https://other.example' } });
      expect(JSON.parse(refused.body.toString()).error).toMatchObject({ code: 'DOMAIN_NOT_ALLOWED', status: 403 });
    }
  });
});

describe('posters', () => {
  it('are public to everybody who has the link', async () => {
    const answer = await rig.send(video.posterUrl);
    expect(answer.status).toBe(200);
    expect(answer.body.equals(POSTER)).toBe(true);
    expect(answer.headers['content-type']).toBe('image/jpeg');
    expect(answer.headers['cache-control']).toBe('public, max-age=31536000, s-maxage=43200, immutable');
  });

  it('are not found by a changed link', async () => {
    const other = await rig.published();
    const token = video.posterUrl.split('/').at(-1)!;
    expect(
      (await rig.send(video.posterUrl.replace(token, `${token.startsWith('x') ? 'y' : 'x'}${token.slice(1)}`))).status,
    ).toBe(404);
    expect((await rig.send(other.posterUrl.replace(/[^/]+$/, token))).status).toBe(404);
    expect((await rig.send(video.posterUrl.replace(video.accountId, other.accountId))).status).toBe(404);
  });
});
