import { expect, it } from 'vitest';

import { redactPath } from '../../../src/api/http/redactPath.js';

const GRANT = 'AcWYk3tmTECend88aFyQvMDhl3kYJi9I86vjf7eaialGAABrAXflrlEM-tPkCo013FLeWII1MI0WNQQqXr7m';
const TOKEN = 'eyJhbGciOiJFZERTQSJ9.eyJpc3MiOiJ4In0aaaaaaaaaaaaaaaaaaaaaaa.NMm4UgFGlzx1zXwbWPAEr0o9nF3uVE';
const KEY = 'dk_live_witTZPbAMhvJSgUsfMTWOPQtSnM1UT0y3HLsMNIrOZf1fBZvd';

it.each([
  [`/media/${GRANT}/vid_1/master.m3u8`, '/media/[grant]/vid_1/master.m3u8'],
  [`//media//${GRANT}/vid_1/master.m3u8`, '/media/[grant]/vid_1/master.m3u8'],
  [`http://proxy.example:80/media/${GRANT}/vid_1/master.m3u8`, '/media/[grant]/vid_1/master.m3u8'],
  [`/media\\${GRANT}\\vid_1`, '/media/[grant]/vid_1'],
  [`/v1/video/playback/manifest/${TOKEN}?a=${TOKEN}`, '/v1/video/playback/manifest/[token]'],
  [`HTTP://x/v1/video/playback/manifest/${TOKEN}`, '/v1/video/playback/manifest/[token]'],
  [`/v1/video/playback/manifest%2F${TOKEN}`, '/v1/video/playback/manifest%2F[secret]'],
  [`/v1/video/${KEY}`, '/v1/video/[secret]'],
  ['/sandbox/pay/order_DESxiijbl9xjDB/pay', '/sandbox/pay/[order]/pay'],
  [`/player/${GRANT}`, '/player/[secret]'],
  ['/media/posters/a/vid_1/token.jpg', '/media/posters/a/vid_1/token.jpg'],
  [
    '/v1/video/01a1fc66-e7fa-74d6-bc20-a17e5d355e24/playback-token',
    '/v1/video/01a1fc66-e7fa-74d6-bc20-a17e5d355e24/playback-token',
  ],
])('%s is logged as %s', (url, path) => {
  expect(redactPath(url)).toBe(path);
});

it('long paths are searched only as far as they are logged', () => {
  const path = redactPath(`/${'eyJ'.repeat(5_000)}`);

  expect(path.length).toBeLessThanOrEqual(512);
});
