import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { DeliveryRig, type PublishedVideo } from './rig.js';

let rig: DeliveryRig;
let video: PublishedVideo;
let captionId: string;

beforeAll(async () => {
  rig = await DeliveryRig.start();
  video = await rig.published();
  captionId = await withCaptions(video);
});
afterAll(() => rig.stop());

const SHEET = Buffer.from('a sheet');
const TRICK_PLAY = {
  path: 'storyboard/iframes.m3u8',
  width: 416,
  height: 234,
  codecs: 'avc1.64000d',
  bitrate: 90_000,
  averageBitrate: 60_000,
};
const PICTURES = Buffer.from('small pictures');

async function withCaptions({ accountId, videoId, prefix, posterUrl }: PublishedVideo): Promise<string> {
  const id = randomUUID();
  await rig.rows.query(
    `update video set storyboard_path = 'storyboard/index.vtt', preview_path = $3, duration_ms = 90500,
       trick_play = $4,
       chapters = '[{"startMs": 0, "title": "One & only"}, {"startMs": 30000, "title": "Two"}]'
     where account_id = $1 and id = $2`,
    [accountId, videoId, posterUrl.slice(1).replace('.jpg', '.webp'), JSON.stringify(TRICK_PLAY)],
  );
  await addCaption({ accountId, videoId }, id, 'en', 'English');
  for (const [file, content] of [
    ['index.vtt', 'WEBVTT\n\n00:00:00.000 --> 00:00:02.000\nsheet_1.jpg#xywh=0,0,160,90\n'],
    ['sheet_1.jpg', SHEET],
    ['iframes.m3u8', '#EXTM3U\n#EXT-X-I-FRAMES-ONLY\n'],
    ['iframes.mp4', PICTURES],
    ['preview.webp', 'moving'],
  ] as const) {
    await rig.put(`${prefix}storyboard/${file}`, content);
  }
  return id;
}

async function addCaption(of: { accountId: string; videoId: string }, id: string, language: string, label: string) {
  await rig.rows.query(
    `insert into caption (account_id, video_id, id, language, label, origin, vtt, size_bytes, created_at)
     values ($1, $2, $3, $4, $5, 'upload', $6, 40, now())`,
    [of.accountId, of.videoId, id, language, label, 'WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nHello\n'],
  );
}

const paths = (): string[] => [
  'chapters.vtt',
  `captions/${captionId}.vtt`,
  `captions/${captionId}.m3u8`,
  '1-2/storyboard/index.vtt',
  '1-2/storyboard/sheet_1.jpg',
  '1-2/storyboard/iframes.m3u8',
  '1-2/storyboard/iframes.mp4',
];

describe('captions, chapters and pictures of a video', () => {
  it('are in the master playlist, and can be fetched from there', async () => {
    const base = rig.base(video);
    const master = (await rig.send(`${base}/master.m3u8`)).body.toString();
    expect(master).toContain(
      `#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="captions",NAME="English",LANGUAGE="en",DEFAULT=NO,AUTOSELECT=YES,FORCED=NO,URI="captions/${captionId}.m3u8"`,
    );
    const variants = master.split('\n').filter((line) => line.startsWith('#EXT-X-STREAM-INF'));
    expect(variants).toHaveLength(2);
    for (const variant of variants) expect(variant).toContain(',SUBTITLES="captions"');

    const playlist = await rig.send(`${base}/captions/${captionId}.m3u8`);
    expect(playlist.headers['content-type']).toBe('application/vnd.apple.mpegurl');
    expect(playlist.body.toString()).toContain(`#EXTINF:90.500,\n${captionId}.vtt\n#EXT-X-ENDLIST`);
    const captions = await rig.send(`${base}/captions/${captionId}.vtt`);
    expect(captions.headers['content-type']).toBe('text/vtt; charset=utf-8');
    expect(captions.body.toString()).toBe(
      'WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000\n\n00:00:01.000 --> 00:00:02.000\nHello\n',
    );
  });

  it('include chapters, a storyboard and a preview', async () => {
    const base = rig.base(video);
    const chapters = await rig.send(`${base}/chapters.vtt`);
    expect(chapters.headers['content-type']).toBe('text/vtt; charset=utf-8');
    expect(chapters.body.toString()).toBe(
      'WEBVTT\n\n00:00:00.000 --> 00:00:30.000\nOne &amp; only\n\n00:00:30.000 --> 00:01:30.500\nTwo\n',
    );
    const index = await rig.send(`${base}/1-2/storyboard/index.vtt`);
    expect([index.status, index.headers['content-type']]).toEqual([200, 'text/vtt; charset=utf-8']);
    const sheet = await rig.send(`${base}/1-2/storyboard/sheet_1.jpg`);
    expect([sheet.status, sheet.headers['content-type']]).toEqual([200, 'image/jpeg']);
    expect(sheet.headers['cache-control']).toMatch(/^public, max-age=(3[56]\d\d), s-maxage=\1, immutable$/);
    expect(sheet.body.equals(SHEET)).toBe(true);
    const preview = await rig.send(video.posterUrl.replace('.jpg', '.webp'));
    expect([preview.status, preview.headers['content-type']]).toEqual([200, 'image/webp']);
    expect(preview.headers['access-control-allow-origin']).toBe('*');
  });

  it('include an I-frame track, which the master playlist lists after everything else', async () => {
    const base = rig.base(video);
    const master = (await rig.send(`${base}/master.m3u8`)).body.toString();
    expect(master.trimEnd().split('\n').at(-1)).toBe(
      '#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=90000,AVERAGE-BANDWIDTH=60000,CODECS="avc1.64000d",RESOLUTION=416x234,' +
        'URI="1-2/storyboard/iframes.m3u8"',
    );
    const playlist = await rig.send(`${base}/1-2/storyboard/iframes.m3u8`);
    expect([playlist.status, playlist.headers['content-type']]).toEqual([200, 'application/vnd.apple.mpegurl']);
    const range = await rig.send(`${base}/1-2/storyboard/iframes.mp4`, { headers: { range: 'bytes=6-13' } });
    expect([range.status, range.headers['content-type'], range.body.toString()]).toEqual([
      206,
      'video/mp4',
      'pictures'.slice(0, 8),
    ]);
    const other = await rig.published();
    expect((await rig.send(`${rig.base(other)}/master.m3u8`)).body.toString()).not.toContain('storyboard');
  });

  it('have labels that cannot break a playlist', async () => {
    const other = await rig.published();
    await addCaption(other, randomUUID(), 'und', 'The "best", \\ of: #EXT-X-ENDLIST');
    const master = (await rig.send(`${rig.base(other)}/master.m3u8`)).body.toString();
    expect(master).toContain(`NAME="The 'best', \\ of: #EXT-X-ENDLIST",LANGUAGE="und",DEFAULT=NO`);
    expect(master.split('\n').filter((line) => line.startsWith('#EXT-X-ENDLIST'))).toEqual([]);
  });

  it('return 304 for a matching ETag', async () => {
    const path = `${rig.base(video)}/captions/${captionId}.vtt`;
    const { etag } = (await rig.send(path)).headers;
    expect((await rig.send(path, { headers: { 'if-none-match': etag! } })).status).toBe(304);
  });

  it('are read once from the database, and refused when their track is deleted', async () => {
    const own = await rig.published();
    const id = await withCaptions(own);
    const path = `${rig.base(own)}/captions/${id}.vtt`;
    const { body } = await rig.send(path);
    // The service never changes the text of a track.
    await rig.change(own, `update caption set vtt = 'WEBVTT' where id = $1`, [id]);
    expect((await rig.send(path)).body.equals(body)).toBe(true);
    await rig.change(own, 'delete from caption where id = $1', [id]);
    expect((await rig.send(path)).status).toBe(404);
    expect((await rig.send(path.replace('.vtt', '.m3u8'))).status).toBe(404);
  });

  it('require the grant of their video', async () => {
    const other = await rig.published();
    const expired = rig.grant(video, Math.floor(Date.now() / 1000) - 1);
    for (const path of paths()) {
      for (const grant of [rig.grant(other), expired, 'x'.repeat(84), 'none']) {
        const answer = await rig.send(`/media/${grant}/${video.vid}/${path}`);
        expect({ path, status: answer.status }).toEqual({ path, status: 403 });
      }
      // A valid grant of another video does not open these captions either.
      expect((await rig.send(`${rig.base(other)}/${path}`)).status).toBe(404);
    }
  });

  it('are refused outside the allowed sites of the account', async () => {
    const own = await rig.published();
    const id = await withCaptions(own);
    await rig.change(own, `update account set allowed_domains = '{shop.example}' where id = $1`, [own.accountId]);
    for (const path of ['chapters.vtt', `captions/${id}.vtt`, `captions/${id}.m3u8`]) {
      const statusFor = async (origin: string): Promise<number> =>
        (await rig.send(`${rig.base(own)}/${path}`, { headers: { origin } })).status;
      expect(await statusFor('https://shop.example')).toBe(200);
      expect(await statusFor('https://other.example')).toBe(403);
    }
  });

  it.each([
    'captions/x.vtt',
    'captions/..%2f..%2fetc.vtt',
    'captions/00000000-0000-0000-0000-000000000000.vtt',
    'captions/00000000-0000-0000-0000-000000000000.txt',
    '1-2/storyboard/preview.webp',
    '1-2/storyboard/sheet_0.jpg',
    '1-2/storyboard/sheet_999.jpg',
    '1-2/storyboard/..%2fposter.jpg',
    '1-3/storyboard/index.vtt',
    'chapters.m3u8',
  ])('are not found at %s', async (path) => {
    expect((await rig.send(`${rig.base(video)}/${path}`)).status).toBe(404);
  });

  it('are not found once the video is deleted', async () => {
    const gone = await rig.published();
    const id = await withCaptions(gone);
    const base = rig.base(gone);
    await rig.change(gone, 'update video set deleted_at = now() where id = $1', [gone.videoId]);
    for (const path of [
      'chapters.vtt',
      `captions/${id}.vtt`,
      `captions/${id}.m3u8`,
      '1-2/storyboard/index.vtt',
      '1-2/storyboard/sheet_1.jpg',
    ]) {
      expect({ path, status: (await rig.send(`${base}/${path}`)).status }).toEqual({ path, status: 404 });
    }
    expect((await rig.send(gone.posterUrl.replace('.jpg', '.webp'))).status).toBe(404);
  });
});
