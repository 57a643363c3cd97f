import { expect, it } from 'vitest';

import { loadConfig, publicUrlOf } from '../../src/config.js';

it.each(['https://video.example', 'https://video.example/', 'http://localhost:4000'])('%s is an origin', (text) => {
  expect(publicUrlOf(loadConfig({ PUBLIC_URL: text }))).toBe(new URL(text).origin);
});

it.each([
  'https://video.example/path',
  'https://video.example/?a=1',
  'https://video.example/#a',
  'https://user@video.example',
  'ftp://video.example',
  'video.example',
])('%s is refused by name', (text) => {
  expect(() => loadConfig({ PUBLIC_URL: text })).toThrow(/^Wrong setting. PUBLIC_URL: /);
});

it.each([
  [{ PORT: '70000' }, 'PORT'],
  [{ MASTER_KEY: 'short' }, 'MASTER_KEY'],
  [{ DATABASE_URL: 'mysql://localhost/x' }, 'DATABASE_URL'],
  [{ NODE_ENV: 'production' }, 'PUBLIC_URL, DATABASE_URL, MASTER_KEY, SMTP_URL'],
])('%j is refused in one line that names it', (wrong, names) => {
  expect(() => loadConfig(wrong)).toThrow(new RegExp(`^.*${names}.*$`, 'v'));
});
