import { expect } from 'vitest';

import { ffmpegLog } from '../media.js';
import type { Demo } from '../service.js';
import { streamOf } from './load.js';

/** Fetches and decodes every rendition to its end. */
export async function expectPlaysToItsEnd(demo: Demo, videoId: string, seconds: number): Promise<void> {
  const log = await ffmpegLog('-i', await streamOf(demo, videoId), '-map', '0', '-f', 'null', '-');
  expect(log).not.toMatch(/error|failed|invalid|skipping/i);
  const [, minutes, rest] = /time=00:(\d\d):(\d\d\.\d+)/.exec(log.slice(log.lastIndexOf('time=')))!;
  expect(Number(minutes) * 60 + Number(rest)).toBeGreaterThan(seconds - 0.5);
}
