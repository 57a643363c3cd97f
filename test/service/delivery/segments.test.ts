import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { S3ObjectStore } from '../../../src/adapters/store/s3.js';
import edge, { type EdgeSettings } from '../../../src/api/delivery/edge/worker.js';
import { mediaOrigins, segmentSource } from '../../../src/api/delivery/segmentSource.js';
import type { ObjectLinks } from '../../../src/ports/objectLinks.js';
import { makeBucket, startSwift, type Swift } from '../../support/swift.js';
import { DeliveryRig, INIT, SEGMENT, type PublishedVideo } from './rig.js';

const CDN = 'https://cdn.example';
const DAY_SECONDS = 24 * 3600;

let swift: Swift;
let folder: string;
let store: S3ObjectStore;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dhara-segments-'));
  swift = await startSwift();
  await makeBucket(swift, 'videos');
  store = await S3ObjectStore.open({
    ...swift,
    bucket: 'videos',
    prefix: 'dhara/',
    forcePathStyle: true,
    downloadDir: folder,
  });
});
afterAll(async () => {
  store?.close();
  await swift?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Init segment and media segments, in order. */
function addressesIn(playlist: string): string[] {
  const init = /^#EXT-X-MAP:URI="([^"]+)"$/m.exec(playlist)?.[1];
  return [init ?? '', ...playlist.split('\n').filter((line) => line !== '' && !line.startsWith('#'))];
}

describe('segments at presigned addresses', () => {
  let rig: DeliveryRig;
  let video: PublishedVideo;
  beforeAll(async () => {
    rig = await DeliveryRig.start({ store, segments: { kind: 'presigned', links: store.links } });
    video = await rig.published();
  });
  afterAll(() => rig.stop());

  const playlistOf = async (grant: string, rendition = '480p', file = 'index.m3u8') => {
    const answer = await rig.send(`/media/${grant}/${video.vid}/1-2/${rendition}/${file}`);
    expect(answer.status).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-cache');
    return answer.body.toString();
  };
  const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

  it('are shared by I-frame playlists, as byte ranges', async () => {
    const grant = rig.grant(video, inSeconds(3600));
    const playlist = await playlistOf(grant, '480p', 'iframes.m3u8');
    expect(playlist).toContain('#EXT-X-BYTERANGE:90@10\n');
    // The signatures contain the second in which they were made.
    const objectsIn = (text: string) => addressesIn(text).map((address) => new URL(address).pathname);
    expect(objectsIn(playlist)).toEqual(objectsIn(await playlistOf(grant)));
  });

  it('play: the bucket sends them whole and in ranges, to pages on any site', async () => {
    for (const rendition of ['480p', 'audio']) {
      const playlist = await playlistOf(rig.grant(video), rendition);
      expect(playlist).toMatch(/^#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-MAP:URI="http/);
      const [init, segment, ...more] = addressesIn(playlist);
      expect(more).toEqual([]);
      const headers = { origin: 'https://player.example' };
      const first = await fetch(init!, { headers });
      expect(Buffer.from(await first.arrayBuffer()).equals(INIT)).toBe(true);
      expect(first.headers.get('content-type')).toBe(rendition === 'audio' ? 'audio/mp4' : 'video/mp4');
      const second = await fetch(segment!, { headers: { ...headers, range: 'bytes=10-99' } });
      expect(second.status).toBe(206);
      expect(second.headers.get('access-control-allow-origin')).toBe('https://player.example');
      expect(Buffer.from(await second.arrayBuffer()).equals(SEGMENT.subarray(10, 100))).toBe(true);
    }
  });

  it('expire with the grant, never later', async () => {
    const ends = async (expiresAt: number) => {
      const [, segment] = addressesIn(await playlistOf(rig.grant(video, expiresAt)));
      const { searchParams } = new URL(segment!);
      const signed = searchParams.get('X-Amz-Date')!.replace(/(....)(..)(..T..)(..)(..Z)/, '$1-$2-$3:$4:$5');
      return Date.parse(signed) / 1000 + Number(searchParams.get('X-Amz-Expires'));
    };
    for (const seconds of [60, 899, 901, 1800, 6 * 3600]) {
      const expiresAt = inSeconds(seconds);
      const end = await ends(expiresAt);
      expect(end).toBeLessThanOrEqual(expiresAt);
      expect(end).toBeGreaterThan(expiresAt - 15 * 60);
    }
    const over = await rig.send(`/media/${rig.grant(video, inSeconds(-1))}/${video.vid}/1-2/480p/index.m3u8`);
    expect(over.status).toBe(403);
  });

  it('are signed once for views that end together', async () => {
    const end = Math.ceil(inSeconds(3600) / 900) * 900 + 10;
    const one = await playlistOf(rig.grant(video, end));
    expect(await playlistOf(rig.grant(video, end + 60))).toBe(one);
    expect(await playlistOf(rig.grant(video, end + 900))).not.toBe(one);
  });

  it('are not listed for a deleted video, cached or not', async () => {
    const gone = await rig.published();
    const path = `${rig.base(gone)}/1-2/480p/index.m3u8`;
    expect((await rig.send(path)).status).toBe(200);
    await rig.change(gone, 'update video set deleted_at = now() where id = $1', [gone.videoId]);
    expect((await rig.send(path)).status).toBe(404);
  });

  it('are also sent by the service on request', async () => {
    const answer = await rig.send(`${rig.base(video)}/1-2/480p/seg_00000.m4s`, { headers: { range: 'bytes=5-9' } });
    expect(answer.status).toBe(206);
    expect(answer.body.equals(SEGMENT.subarray(5, 10))).toBe(true);
    expect((await rig.send(video.posterUrl)).status).toBe(200);
    expect((await rig.send(`${rig.base(video)}/1-2/480p/seg_00001.m4s`)).status).toBe(404);
  });

  it('leave no secret in the log', () => {
    expect(rig.logLines.join('\n')).not.toMatch(/X-Amz|testing/);
  });
});

describe('segments from a CDN', () => {
  let rig: DeliveryRig;
  let video: PublishedVideo;
  let settings: EdgeSettings;
  beforeAll(async () => {
    rig = await DeliveryRig.start({ store, segments: { kind: 'cdn', origin: CDN } });
    video = await rig.published();
    settings = {
      GRANT_KEY: rig.grantKey.toString('base64'),
      BUCKET_URL: store.links.baseUrl,
      S3_REGION: swift.region,
      S3_ACCESS_KEY_ID: swift.accessKeyId,
      S3_SECRET_ACCESS_KEY: swift.secretAccessKey,
    };
  });
  afterAll(() => rig.stop());

  const ask = (address: string, options: RequestInit = {}, changed: Partial<EdgeSettings> = {}) =>
    edge.fetch(new Request(address, options), { ...settings, ...changed });
  const addresses = async (rendition = '480p') =>
    addressesIn((await rig.send(`${rig.base(video)}/1-2/${rendition}/index.m3u8`)).body.toString());

  it('play: the edge verifies the grant, and sends them whole and in ranges', async () => {
    for (const rendition of ['480p', 'audio']) {
      const [init, segment] = await addresses(rendition);
      expect(init!.startsWith(`${CDN}/`)).toBe(true);
      const whole = await ask(init!);
      expect(whole.status).toBe(200);
      expect(Buffer.from(await whole.arrayBuffer()).equals(INIT)).toBe(true);
      expect(whole.headers.get('content-type')).toBe(rendition === 'audio' ? 'audio/mp4' : 'video/mp4');
      expect(whole.headers.get('access-control-allow-origin')).toBe('*');
      expect(Number(/max-age=(\d+)/.exec(whole.headers.get('cache-control')!)?.[1])).toBeLessThanOrEqual(3600);
      const part = await ask(segment!, { headers: { range: 'bytes=10-99' } });
      expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 10-99/${SEGMENT.length}`]);
      expect(Buffer.from(await part.arrayBuffer()).equals(SEGMENT.subarray(10, 100))).toBe(true);
    }
  });

  it('support HEAD, conditional requests and preflight requests', async () => {
    const [, segment] = await addresses();
    const head = await ask(segment!, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(SEGMENT.length)]);
    const etag = head.headers.get('etag')!;
    expect((await ask(segment!, { headers: { 'if-none-match': etag } })).status).toBe(304);
    const outside = await ask(segment!, { headers: { range: `bytes=${SEGMENT.length}-` } });
    expect([outside.status, await outside.text()]).toEqual([416, '']);
    const preflight = await ask(segment!, { method: 'OPTIONS' });
    expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([
      204,
      'Range, If-Range, If-None-Match, If-Modified-Since',
    ]);
    expect((await ask(segment!, { method: 'POST', body: 'x' })).status).toBe(405);
  });

  it('are refused for every grant that is not exactly valid', async () => {
    const [, segment = ''] = await addresses();
    const [grant = ''] = segment.slice(CDN.length + 1).split('/');
    const other = await rig.published();
    const over = rig.grant(video, Math.floor(Date.now() / 1000));
    for (let at = 0; at < grant.length; at += 1) {
      const forged = `${grant.slice(0, at)}${grant[at] === 'A' ? 'B' : 'A'}${grant.slice(at + 1)}`;
      expect((await ask(segment.replace(grant, forged))).status).toBe(403);
    }
    expect((await ask(segment.replace(grant, over))).status).toBe(403);
    expect((await ask(segment.replace(video.vid, other.vid))).status).toBe(403);
    expect((await ask(segment, {}, { GRANT_KEY: Buffer.alloc(32).toString('base64') })).status).toBe(403);
  });

  it('play while the master key is rotated, as the edge has both keys', async () => {
    const [segment = ''] = await addresses();
    const strange = Buffer.alloc(32).toString('base64');
    for (const keys of [`${settings.GRANT_KEY},${strange}`, `${strange},${settings.GRANT_KEY}`]) {
      expect((await ask(segment, {}, { GRANT_KEY: keys })).status).toBe(200);
    }
  });

  it.each([
    ['seg_00001.m4s', 404],
    ['index.m3u8', 404],
    ['key', 404],
    ['../audio/init.mp4/', 404],
    ['%2e%2e/init.mp4', 404],
  ])('are not found at %s', async (file, status) => {
    const [, segment = ''] = await addresses();
    expect((await ask(segment.replace('seg_00000.m4s', file))).status).toBe(status);
  });

  it('have one spelling per video', async () => {
    const [, segment = ''] = await addresses();
    expect((await ask(segment.replace('/vid_', '/vid_1'))).status).toBe(404);
    expect((await ask(segment.replace(video.vid, video.videoId))).status).toBe(404);
    expect((await ask(segment.replace(video.vid, `vid_${'z'.repeat(22)}`))).status).toBe(404);
  });

  it('are fetched from the bucket once for all viewers, and sent to none without a grant', async () => {
    const kept = new Map<string, Response>();
    const waiting: Promise<unknown>[] = [];
    const cache = {
      match: (request: Request) => Promise.resolve(kept.get(request.url)?.clone()),
      put: async (request: Request, response: Response) => {
        kept.set(request.url, new Response(await response.arrayBuffer(), response));
      },
    };
    vi.stubGlobal('caches', { default: cache });
    try {
      const context = { waitUntil: (promise: Promise<unknown>) => void waiting.push(promise) };
      const [, one = ''] = await addresses();
      const [, other = ''] = await addresses();
      expect(one).not.toBe(other);
      const first = await edge.fetch(new Request(one), settings, context);
      expect(Buffer.from(await first.arrayBuffer()).equals(SEGMENT)).toBe(true);
      await Promise.all(waiting);
      const away = { ...settings, BUCKET_URL: 'http://127.0.0.1:1/videos/' };
      const second = await edge.fetch(new Request(other), away, context);
      expect(Buffer.from(await second.arrayBuffer()).equals(SEGMENT)).toBe(true);
      expect(Number(/max-age=(\d+)/.exec(second.headers.get('cache-control')!)?.[1])).toBeLessThanOrEqual(3600);
      const forged = other.replace(/.(?=\/vid_)/, (last) => (last === 'A' ? 'B' : 'A'));
      expect((await edge.fetch(new Request(forged), away, context)).status).toBe(403);
      const missing = other.replace('seg_00000', 'seg_00009');
      expect((await edge.fetch(new Request(missing), settings, context)).status).toBe(404);
      expect(kept.size).toBe(1);
      // A deleted video disappears from the edge within the day in which its bytes leave the bucket.
      const [stored] = kept.values();
      const keptFor = /^public, max-age=(\d+)$/.exec(stored!.headers.get('cache-control')!)?.[1];
      expect(Number(keptFor)).toBeLessThan(DAY_SECONDS);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it('are cached for less than a day, however long the grant is valid', async () => {
    const grant = rig.grant(video, Math.floor(Date.now() / 1000) + 400 * DAY_SECONDS);
    const [, segment = ''] = await addresses();
    const [old = ''] = segment.slice(CDN.length + 1).split('/');
    const answer = await ask(segment.replace(old, grant));
    expect(answer.status).toBe(200);
    expect(Number(/max-age=(\d+)/.exec(answer.headers.get('cache-control')!)?.[1])).toBeLessThan(DAY_SECONDS);
  });

  it('return 502 if the bucket refuses or is away', async () => {
    const [, segment = ''] = await addresses();
    expect((await ask(segment, {}, { S3_SECRET_ACCESS_KEY: 'wrong' })).status).toBe(502);
    expect((await ask(segment, {}, { BUCKET_URL: 'http://127.0.0.1:1/videos/' })).status).toBe(502);
  });
});

describe('the content security policy of pages', () => {
  it('allows fetching from the segments’ origin, and from no other', () => {
    const bucket = new URL(store.links.baseUrl).origin;
    const chosen = (cdnUrl: string | undefined, presigned: boolean, links: ObjectLinks | null = store.links) =>
      mediaOrigins(segmentSource(links, { cdnUrl, presigned }));
    expect(chosen(undefined, false)).toEqual([]);
    expect(chosen(undefined, true)).toEqual([bucket]);
    expect(chosen('https://cdn.example/', true)).toEqual(['https://cdn.example']);
    // The store has no links, as while videos are moved.
    expect(chosen('https://cdn.example/', true, null)).toEqual([]);
  });
});
