import { afterAll, beforeAll, expect, it } from 'vitest';

import { mediaFolder } from '../../support/media.js';
import { type Nginx, proxyConfiguration, startNginx } from '../../support/nginx.js';
import { DeliveryRig, INIT, SEGMENT, type PublishedVideo } from './rig.js';

/** `SEGMENT_DELIVERY=accel` with the configuration in `deploy/nginx`. */
let rig: DeliveryRig;
let nginx: Nginx;
let folder: Awaited<ReturnType<typeof mediaFolder>>;
let video: PublishedVideo;
let base: string;
beforeAll(async () => {
  rig = await DeliveryRig.start({ isAccelerated: true });
  folder = await mediaFolder();
  nginx = await startNginx(folder.path, (port) => proxyConfiguration(rig.port, rig.objectsDir, port));
  video = await rig.published();
  base = `http://127.0.0.1:${nginx.port}${rig.base(video)}`;
});
afterAll(async () => {
  await nginx?.stop();
  await folder?.[Symbol.asyncDispose]();
  await rig?.stop();
});

const bytesOf = async (answer: Response): Promise<Buffer> => Buffer.from(await answer.arrayBuffer());

it.each([
  ['480p/seg_00000.m4s', SEGMENT, 'video/mp4'],
  ['audio/seg_00000.m4s', SEGMENT, 'audio/mp4'],
  ['480p/init.mp4', INIT, 'video/mp4'],
])('nginx sends %s to pages on any site', async (file, content, contentType) => {
  for (let times = 0; times < 2; times += 1) {
    const answer = await fetch(`${base}/1-2/${file}`, { headers: { origin: 'https://player.example' } });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, contentType]);
    expect((await bytesOf(answer)).equals(content)).toBe(true);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer.headers.get('x-accel-redirect')).toBeNull();
    expect(Number(/max-age=(\d+)/.exec(answer.headers.get('cache-control')!)?.[1])).toBeLessThanOrEqual(3600);
  }
});

it('nginx supports ranges and conditional requests', async () => {
  const segment = `${base}/1-2/480p/seg_00000.m4s`;
  const part = await fetch(segment, { headers: { range: 'bytes=10-99' } });
  expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 10-99/${SEGMENT.length}`]);
  expect((await bytesOf(part)).equals(SEGMENT.subarray(10, 100))).toBe(true);
  const head = await fetch(segment, { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length')]).toEqual([200, String(SEGMENT.length)]);
  const again = await fetch(segment, { headers: { 'if-none-match': head.headers.get('etag')! } });
  expect(again.status).toBe(304);
});

it('playlists come from the service', async () => {
  for (const file of ['master.m3u8', '1-2/480p/index.m3u8']) {
    const answer = await fetch(`${base}/${file}`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/vnd.apple.mpegurl']);
    expect(await answer.text()).toMatch(/^#EXTM3U/);
  }
});

it('nginx sends nothing that the service refuses', async () => {
  const other = await rig.published();
  const of = (grant: string, of = video) =>
    `http://127.0.0.1:${nginx.port}/media/${grant}/${of.vid}/1-2/480p/seg_00000.m4s`;
  const over = rig.grant(video, Math.floor(Date.now() / 1000) - 1);
  expect((await fetch(of(over))).status).toBe(403);
  expect((await fetch(of(rig.grant(video), other))).status).toBe(403);
  expect((await fetch(`${base}/1-2/480p/seg_00009.m4s`)).status).toBe(404);
  const gone = of(rig.grant(other), other);
  expect((await fetch(gone)).status).toBe(200);
  await rig.change(other, 'update video set deleted_at = now() where id = $1', [other.videoId]);
  expect((await fetch(gone)).status).toBe(404);
});

it('nginx does not serve its internal paths', async () => {
  const inside = `http://127.0.0.1:${nginx.port}/_dhara/objects/${video.prefix}480p/seg_00000.m4s`;
  expect((await fetch(inside)).status).toBe(404);
  expect((await fetch(inside, { headers: { 'x-accel-redirect': `/_dhara/objects/${video.prefix}` } })).status).toBe(
    404,
  );
  expect((await fetch(inside.replace('/_dhara', '//_dhara'))).status).toBe(404);
  expect((await fetch(inside.replace('/objects', '/x/../objects'))).status).toBe(404);
});
