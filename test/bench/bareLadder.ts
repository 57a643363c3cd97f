import { execFile } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const LADDER = [
  { height: 1080, width: 1920, crf: 22, maxrate: '7000k', bufsize: '14000k' },
  { height: 720, width: 1280, crf: 21, maxrate: '4000k', bufsize: '8000k' },
  { height: 480, width: 854, crf: 21, maxrate: '1600k', bufsize: '3200k' },
];

/**
 * Pictures of up to so many lines, from 1080 down, and sound, from one decode, as fMP4 HLS, at the service's rate
 * control. Returns seconds.
 */
export async function bareLadder(clip: string, dir: string, { upTo = 1080 } = {}): Promise<number> {
  const rungs = LADDER.filter(({ height }) => height <= upTo);
  const names = [...rungs.map((rung) => String(rung.height)), 'audio'];
  for (const name of names) await mkdir(join(dir, name), { recursive: true });
  const hls = (name: string) => [
    words('-f hls -hls_time 4 -hls_playlist_type vod -hls_segment_type fmp4 -hls_flags independent_segments'),
    ['-hls_segment_filename', join(dir, name, 'seg_%05d.m4s'), join(dir, name, 'index.m3u8')],
  ];
  const split = `[0:v]split=${rungs.length}${rungs.map((_, n) => `[s${n}]`).join('')}`;
  const scales = rungs.map((rung, n) => `[s${n}]scale=${rung.width}:${rung.height}[v${n}]`);
  const encode = rungs.flatMap(({ height, crf, maxrate, bufsize }, n) => [
    words(`-map [v${n}] -c:v libx264 -preset veryfast -profile:v high -crf ${crf}`),
    words(`-maxrate ${maxrate} -bufsize ${bufsize} -sc_threshold 0 -force_key_frames expr:gte(t,n_forced*4)`),
    ...hls(String(height)),
  ]);
  const startedAt = performance.now();
  const input = [...words('-v error -nostdin -y -i'), clip, '-filter_complex', [split, ...scales].join(';')];
  await run('ffmpeg', [input, ...encode, words('-map 0:a -c:a aac -b:a 128k'), ...hls('audio')].flat());
  const seconds = (performance.now() - startedAt) / 1000;
  await rm(dir, { recursive: true });
  return seconds;
}

function words(text: string): string[] {
  return text.split(' ');
}
