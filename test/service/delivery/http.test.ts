import { readdir, readlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { DeliveryRig, SEGMENT } from './rig.js';

const rig = await DeliveryRig.ofFile();
const video = await rig.published();
const base = rig.base(video);
const segment = `${base}/1-2/480p/seg_00000.m4s`;

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') => rig.send(path, { method, headers });
const SIZE = SEGMENT.length;

describe('range requests', () => {
  it.each([
    ['bytes=0-0', 0, 0],
    ['bytes=0-99', 0, 99],
    ['bytes=100-', 100, SIZE - 1],
    ['bytes=-1', SIZE - 1, SIZE - 1],
    [`bytes=-${SIZE * 2}`, 0, SIZE - 1],
    [`bytes=50-${SIZE * 2}`, 50, SIZE - 1],
    [`bytes=${SIZE - 1}-`, SIZE - 1, SIZE - 1],
    ['Bytes= 5-9', 5, 9],
  ])('%s returns part of the file', async (range, start, end) => {
    const answer = await get(segment, { range });
    expect(answer.status).toBe(206);
    expect(answer.headers['content-range']).toBe(`bytes ${start}-${end}/${SIZE}`);
    expect(answer.headers['content-length']).toBe(String(end - start + 1));
    expect(answer.body.equals(SEGMENT.subarray(start, end + 1))).toBe(true);
  });

  it.each(['bytes=0-1,5-6', 'bytes=5-4', 'bytes=-', 'bytes=a-b', 'items=0-1', '0-1', 'bytes=1'])(
    '%s returns the whole file',
    async (range) => {
      const answer = await get(segment, { range });
      expect(answer.status).toBe(200);
      expect(answer.headers['content-range']).toBeUndefined();
      expect(answer.body.equals(SEGMENT)).toBe(true);
    },
  );

  it.each([`bytes=${SIZE}-`, `bytes=${SIZE}-${SIZE + 5}`, 'bytes=-0', 'bytes=99999999999999999999-'])(
    '%s returns 416',
    async (range) => {
      const answer = await get(segment, { range });
      expect(answer.status).toBe(416);
      expect(answer.headers['content-range']).toBe(`bytes */${SIZE}`);
      expect(answer.body).toHaveLength(0);
    },
  );

  it('apply to GET only', async () => {
    const answer = await get(segment, { range: 'bytes=0-9' }, 'HEAD');
    expect(answer.status).toBe(200);
    expect(answer.headers['content-length']).toBe(String(SIZE));
  });

  it('apply only while the file has the ETag in If-Range', async () => {
    const { etag, 'last-modified': modified } = (await get(segment, {}, 'HEAD')).headers;
    expect((await get(segment, { range: 'bytes=0-9', 'if-range': etag! })).status).toBe(206);
    expect((await get(segment, { range: 'bytes=0-9', 'if-range': '"another"' })).status).toBe(200);
    expect((await get(segment, { range: 'bytes=0-9', 'if-range': `W/${etag}` })).status).toBe(200);
    expect((await get(segment, { range: 'bytes=0-9', 'if-range': modified! })).status).toBe(200);
  });
});

describe('conditional requests', () => {
  // The seconds of `Cache-Control` run down with the grant.
  beforeEach(() => {
    const now = Date.now() / 1000;
    rig.nowEpochSeconds = () => now;
  });
  afterEach(() => void (rig.nowEpochSeconds = () => Date.now() / 1000));

  it.each(['master.m3u8', '1-2/480p/index.m3u8', '1-2/480p/seg_00000.m4s'])(
    'for %s return 304 for a matching ETag',
    async (file) => {
      const path = `${base}/${file}`;
      const first = await get(path);
      const etag = first.headers.etag!;
      expect(etag).toMatch(/^"[!-~]+"$/);
      for (const tag of [etag, `"x", ${etag}`, `W/${etag}`, '*']) {
        const again = await get(path, { 'if-none-match': tag });
        expect(again.status).toBe(304);
        expect(again.body).toHaveLength(0);
        expect(again.headers.etag).toBe(etag);
        expect(again.headers['cache-control']).toBe(first.headers['cache-control']);
        expect(again.headers['access-control-allow-origin']).toBe('*');
      }
      expect((await get(path, { 'if-none-match': '"x"' })).status).toBe(200);
      expect((await get(path)).headers.etag).toBe(etag);
    },
  );

  it('prefer the ETag over the date', async () => {
    const modified = (await get(segment)).headers['last-modified']!;
    expect((await get(segment, { 'if-modified-since': modified })).status).toBe(304);
    expect((await get(segment, { 'if-modified-since': modified, 'if-none-match': '"x"' })).status).toBe(200);
    expect((await get(segment, { 'if-modified-since': new Date(0).toUTCString() })).status).toBe(200);
    expect((await get(segment, { 'if-modified-since': 'yesterday' })).status).toBe(200);
  });

  it('get a new master playlist when the ladder changes', async () => {
    const other = await rig.published();
    const path = `${rig.base(other)}/master.m3u8`;
    const before = (await get(path)).headers.etag!;
    await rig.change(other, `update video set playable_rungs = '{audio}' where id = $1`, [other.videoId]);
    const after = await get(path, { 'if-none-match': before });
    expect(after.status).toBe(200);
    expect(after.headers.etag).not.toBe(before);
  });
});

describe('compression', () => {
  const TEXTS = ['master.m3u8', '1-2/480p/index.m3u8', '1-2/480p/iframes.m3u8'];
  const takesGzip = { 'accept-encoding': 'br, gzip, deflate' };

  it.each(TEXTS)('sends %s in gzip to clients that accept it, and as it is to others', async (file) => {
    const path = `${base}/${file}`;
    const plain = await get(path);
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.headers.vary).toBe('Accept-Encoding');
    for (const method of ['GET', 'HEAD']) {
      const { headers, body } = await get(path, takesGzip, method);
      expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
      expect(headers['content-type']).toBe('application/vnd.apple.mpegurl');
      if (method === 'GET') expect(gunzipSync(body).equals(plain.body)).toBe(true);
      else expect(body).toHaveLength(0);
    }
    for (const refused of ['identity', 'gzip;q=0', 'br', '']) {
      expect((await get(path, { 'accept-encoding': refused })).body.equals(plain.body)).toBe(true);
    }
  });

  it.each(TEXTS)('gives %s different ETags with and without gzip', async (file) => {
    const path = `${base}/${file}`;
    const [plain, small] = [(await get(path)).headers.etag!, (await get(path, takesGzip)).headers.etag!];
    expect(small).not.toBe(plain);
    expect((await get(path, { ...takesGzip, 'if-none-match': small })).status).toBe(304);
    expect((await get(path, { ...takesGzip, 'if-none-match': plain })).status).toBe(200);
  });

  it('does not apply to ranges or media', async () => {
    const path = `${base}/1-2/480p/index.m3u8`;
    const part = await get(path, { ...takesGzip, range: 'bytes=0-6' });
    expect([part.status, part.body.toString()]).toEqual([206, '#EXTM3U']);
    const { headers, body } = await get(segment, takesGzip);
    expect([headers['content-encoding'], headers.vary]).toEqual([undefined, undefined]);
    expect(body.equals(SEGMENT)).toBe(true);
  });

  it('does not apply to errors', async () => {
    const { headers, body } = await get(`${base}/1-2/720p/index.m3u8`, takesGzip);
    expect(headers['content-encoding']).toBeUndefined();
    expect(JSON.parse(body.toString())).toMatchObject({ success: false });
  });
});

describe('headers', () => {
  it.each([
    ['master.m3u8', 'application/vnd.apple.mpegurl'],
    ['1-2/480p/index.m3u8', 'application/vnd.apple.mpegurl'],
    ['1-2/480p/init.mp4', 'video/mp4'],
    ['1-2/480p/seg_00000.m4s', 'video/mp4'],
    ['1-2/audio/init.mp4', 'audio/mp4'],
    ['1-2/audio/seg_00000.m4s', 'audio/mp4'],
  ])('say that %s is %s, for any site', async (file, type) => {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, body } = await get(`${base}/${file}`, { origin: 'https://blog.example' }, method);
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        'content-type': type,
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      });
      expect(headers['access-control-expose-headers']).toMatch(/Content-Range.*ETag/);
      if (method === 'HEAD') expect(body).toHaveLength(0);
      else expect(headers['content-length']).toBe(String(body.length));
    }
  });

  it('let playlists be revalidated, and segments be kept until their grant expires', async () => {
    expect((await get(`${base}/master.m3u8`)).headers['cache-control']).toBe('no-cache');
    expect((await get(`${base}/1-2/480p/index.m3u8`)).headers['cache-control']).toBe('no-cache');
    const match = /^public, max-age=(\d+), s-maxage=(\d+), immutable$/.exec(
      (await get(segment)).headers['cache-control']!,
    );
    expect(Number(match![1])).toBeLessThanOrEqual(3600);
    expect(Number(match![1])).toBeGreaterThan(3000);
    expect(match![2]).toBe(match![1]);
    const longGrant = rig.grant(video, Math.floor(Date.now() / 1000) + 10 * 365 * 86_400);
    const cached = (await get(`/media/${longGrant}/${video.vid}/1-2/480p/init.mp4`)).headers['cache-control'];
    // Shared caches forget a deleted video within a day; browser caches are private.
    expect(cached).toBe('public, max-age=31536000, s-maxage=43200, immutable');
  });

  it('allow preflight requests', async () => {
    const headers = {
      origin: 'https://blog.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'range',
    };
    const answer = await get(segment, headers, 'OPTIONS');
    expect(answer.status).toBe(204);
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    expect(answer.headers['access-control-allow-headers']).toMatch(/\bRange\b/);
    expect(answer.headers['access-control-allow-methods']).toBe('GET, HEAD, OPTIONS');
  });

  it('allow only GET, HEAD and OPTIONS', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const answer = await get(segment, {}, method);
      expect(answer.status).toBe(405);
      expect(answer.headers.allow).toBe('GET, HEAD, OPTIONS');
    }
  });
});

describe('a viewer who leaves', () => {
  /** The number of open files with this name in this process. */
  async function openFiles(name: string): Promise<number> {
    const fds = await readdir('/proc/self/fd');
    const targets = await Promise.all(fds.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
    return targets.filter((target) => target.endsWith(name)).length;
  }

  it('half-way leaves no file open', async () => {
    // More than the buffers of the sockets hold, so that the server waits for its reader.
    await rig.put(`${video.prefix}480p/seg_00077.m4s`, Buffer.alloc(40_000_000));
    const path = `${base}/1-2/480p/seg_00077.m4s`;
    const sockets = Array.from({ length: 5 }, () => {
      const socket = connect(rig.port, '127.0.0.1');
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
      socket.once('data', () => socket.pause());
      return socket;
    });
    await expect.poll(() => openFiles('seg_00077.m4s')).toBe(5);
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => openFiles('seg_00077.m4s')).toBe(0);
    expect(rig.logLines).toEqual([]);
    expect((await get(path)).body).toHaveLength(40_000_000);
  });
});
