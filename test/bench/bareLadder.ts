import { execFile } from 'node:child_process';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { h264Settings, presetOf } from '../../src/adapters/transcode/encode/videoOutput.js';
import { renditionsFor } from '../../src/domain/media/pipeline/ladder.js';
import type { VideoRendition } from '../../src/ports/transcoder.js';
import { paperProbe } from '../support/worker/paperProbe.js';
import { processorSeconds } from './processorTime.js';

const run = promisify(execFile);

const LADDER = renditionsFor('1080p', paperProbe(1_000, 1080)).filter((rendition) => rendition.quality !== 'audio');

export interface Bare {
  readonly seconds: number;
  /** Of this process and all below it. */
  readonly processorSeconds: number;
  /** Bytes of all written files. */
  readonly bytes: number;
}

/**
 * Renditions of up to this many lines, from 1080 down, and sound, from one decode, as fMP4 HLS, with the service's rate
 * control.
 * @param asOurs adds the service's other encoder settings
 */
export async function bareLadder(clip: string, dir: string, { upTo = 1080, asOurs = false } = {}): Promise<Bare> {
  const renditions = LADDER.filter(({ height }) => height <= upTo);
  const names = [...renditions.map((rendition) => String(rendition.height)), 'audio'];
  for (const name of names) await mkdir(join(dir, name), { recursive: true });
  const hls = (name: string) => [
    words('-f hls -hls_time 4 -hls_playlist_type vod -hls_segment_type fmp4 -hls_flags independent_segments'),
    ['-hls_segment_filename', join(dir, name, 'seg_%05d.m4s'), join(dir, name, 'index.m3u8')],
  ];
  const split = `[0:v]split=${renditions.length}${renditions.map((_, n) => `[s${n}]`).join('')}`;
  const scales = renditions.map((rendition, n) => `[s${n}]scale=${rendition.width}:${rendition.height}[v${n}]`);
  const encode = renditions.flatMap((rendition, n) => [
    words(`-map [v${n}] -c:v libx264 -preset ${asOurs ? presetOf(rendition, 'veryfast') : 'veryfast'}`),
    asOurs ? h264Settings(rendition) : plainSettings(rendition),
    words('-force_key_frames expr:gte(t,n_forced*4)'),
    ...hls(String(rendition.height)),
  ]);
  const startedAt = performance.now();
  const usedBefore = processorSeconds(process.pid);
  const input = [...words('-v error -nostdin -y -i'), clip, '-filter_complex', [split, ...scales].join(';')];
  await run('ffmpeg', [input, ...encode, words('-map 0:a -c:a aac -b:a 128k'), ...hls('audio')].flat());
  const seconds = (performance.now() - startedAt) / 1000;
  const used = processorSeconds(process.pid) - usedBefore;
  const files = await readdir(dir, { recursive: true, withFileTypes: true });
  const sizes = files.filter((file) => file.isFile()).map((file) => stat(join(file.parentPath, file.name)));
  const bytes = (await Promise.all(sizes)).reduce((total, { size }) => total + size, 0);
  await rm(dir, { recursive: true });
  return { seconds, processorSeconds: used, bytes };
}

function plainSettings({ crf, maxBitrateBps, bufferBits }: VideoRendition): string[] {
  return words(`-profile:v high -crf ${crf} -maxrate ${maxBitrateBps} -bufsize ${bufferBits} -sc_threshold 0`);
}

function words(text: string): string[] {
  return text.split(' ');
}
