import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { NdjsonViewLines } from '../../../src/adapters/views/ndjsonViewLines.js';
import { viewLine } from '../../../src/domain/playback/analytics/viewLine.js';
import { measured, writtenView } from '../../support/analytics/watching.js';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dhara-lines-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const VIEW = writtenView({
  accountId: 'a',
  viewId: 'b',
  videoId: 'c',
  audience: 'preview',
  measured: measured({ ranges: [0, 10, 20, 30], errors: [{ code: 'NETWORK', atMs: 5 }] }),
});
const LINE = viewLine(VIEW, new Date('2026-03-14T13:00:00Z'));
const fail = (error: unknown) => {
  throw error;
};

describe('views as newline-delimited JSON', () => {
  it('are appended to the file, one line each, with the documented fields', async () => {
    const file = join(dir, 'views.ndjson');
    for (let n = 0; n < 2; n += 1) {
      const lines = NdjsonViewLines.open(file, fail);
      lines.write([LINE, LINE]);
      lines.write([]);
      await lines.close();
    }
    const text = await readFile(file, 'utf8');
    expect(text.endsWith('}\n')).toBe(true);
    const written = text.trim().split('\n');
    expect(written).toHaveLength(4);
    expect(JSON.parse(written[3]!)).toEqual({
      v: 1,
      viewId: 'b',
      accountId: 'a',
      videoId: 'c',
      keyId: null,
      audience: 'preview',
      mintedAt: '2026-03-14T12:30:00.000Z',
      writtenAt: '2026-03-14T13:00:00.000Z',
      durationMs: 100_000,
      country: '',
      browser: 'Chrome',
      device: 'Desktop',
      seq: 1,
      startupMs: 800,
      watchedMs: 0,
      stalledMs: 0,
      stalls: 0,
      switches: 0,
      ranges: [
        [0, 10],
        [20, 30],
      ],
      errors: [{ code: 'NETWORK', atMs: 5 }],
      ended: false,
    });
    const operations = await readFile('docs/operations.md', 'utf8');
    for (const field of Object.keys(LINE)) expect(operations).toContain(`\`${field}\``);
  });

  it('are dropped and counted if the file cannot be written', async () => {
    const failed = Promise.withResolvers<unknown>();
    const lines = NdjsonViewLines.open(join(dir, 'missing', 'views.ndjson'), failed.resolve);
    lines.write([LINE]);
    expect(await failed.promise).toMatchObject({ code: 'ENOENT' });
    lines.write([LINE, LINE]);
    expect(lines.dropped).toBe(2);
    await lines.close();
  });
});
