/**
 * The pipeline beside the bare ffmpeg command a good engineer would type: upload finished → ready, against the ladder
 * alone. In alternating pairs.
 *
 * BENCH_PAIRS=5  BENCH_CLIP_SECONDS=12
 */
import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

import { findFreePort } from '../../src/db/embedded/port.js';
import { Client } from '../graphql/client.js';
import { makeClip } from '../setup/media.js';
import { makeDataDir } from '../setup/dataDir.js';
import { ServiceProcess, signIn } from '../setup/service.js';

const run = promisify(execFile);

const PAIRS = Number(process.env['BENCH_PAIRS'] ?? 5);
const CLIP_SECONDS = Number(process.env['BENCH_CLIP_SECONDS'] ?? 12);
const MAX_RATIO = 1.1;
const ALLOWANCE_SECONDS = 2;
const POLL_MS = 25;

const folder = await makeDataDir();
const settings = { DATA_DIR: join(folder.path, 'data'), PORT: String(await findFreePort()), LOG_LEVEL: 'warn' };
const service = ServiceProcess.start(['all'], settings);
try {
  const demo = await service.demo();
  const client = new Client(demo.url, await signIn(demo));
  const clip = await makeClip(folder.path, {
    durationSeconds: CLIP_SECONDS,
    width: 1920,
    height: 1080,
    frameRate: '30',
  });

  const excess: number[] = [];
  const pairs: string[] = [];
  for (let pair = 0; pair <= PAIRS; pair += 1) {
    const bareSeconds = await bareLadder(clip, join(folder.path, `bare-${pair}`));
    const serviceSeconds = await uploadedToReady(client, clip);
    // The first pair warms the caches of both.
    if (pair === 0) continue;
    excess.push(serviceSeconds - bareSeconds * MAX_RATIO);
    pairs.push(`${bareSeconds.toFixed(1)}→${serviceSeconds.toFixed(1)}`);
  }
  const median = excess.toSorted((a, b) => a - b)[Math.floor(excess.length / 2)]!;
  const isMet = median <= ALLOWANCE_SECONDS;
  console.log(
    `${isMet ? 'ok    ' : 'MISSED'} pipeline: 1080p ladder of ${CLIP_SECONDS} s, upload finished to ready, is ` +
      `${MAX_RATIO} × bare ffmpeg ${median < 0 ? '-' : '+'} ${Math.abs(median).toFixed(2)} s ` +
      `(target at most + ${ALLOWANCE_SECONDS} s; seconds bare→service ${pairs.join(' ')})`,
  );
  if (!isMet) process.exitCode = 1;
} finally {
  await service.stop();
  await folder.remove();
}

/** 1080p, 720p, 480p and sound from one decode, as fMP4 HLS, at the service's rate control. Returns seconds. */
async function bareLadder(clip: string, dir: string): Promise<number> {
  const rungs = [
    { height: 1080, width: 1920, crf: 22, maxrate: '7000k', bufsize: '14000k' },
    { height: 720, width: 1280, crf: 21, maxrate: '4000k', bufsize: '8000k' },
    { height: 480, width: 854, crf: 21, maxrate: '1600k', bufsize: '3200k' },
  ];
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

/** From the answer to the upload's last byte to `ready`, in seconds. */
async function uploadedToReady(client: Client, clip: string): Promise<number> {
  const { createVideo } = await client.data(
    `mutation ($input: CreateVideoInput!) { createVideo(input: $input) { video { id } upload { url } } }`,
    { input: { filename: 'clip.mp4', sizeBytes: (await stat(clip)).size, quality: 'P1080', autoProcess: true } },
  );
  const sent = await fetch(new URL(createVideo.upload.url as string, client.url), {
    method: 'PATCH',
    headers: {
      cookie: client.cookie,
      origin: client.url,
      'tus-resumable': '1.0.0',
      'upload-offset': '0',
      'content-type': 'application/offset+octet-stream',
    },
    body: await readFile(clip),
  });
  if (!sent.ok) throw new Error(`upload: ${sent.status} ${await sent.text()}`);
  const startedAt = performance.now();
  for (;;) {
    const { video } = await client.data('query ($id: ID!) { video(id: $id) { status failure { message } } }', {
      id: createVideo.video.id,
    });
    if (video.status === 'READY') return (performance.now() - startedAt) / 1000;
    if (video.status === 'FAILED') throw new Error(video.failure.message);
    await delay(POLL_MS);
  }
}
