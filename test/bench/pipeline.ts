/**
 * The pipeline beside bare ffmpeg, in alternating pairs: a short video, which is made in one stage, and one with early
 * play. And how soon a source plays that is passed through, for several lengths up to an hour. A ladder in one stage is compared with its own command run bare: the same renditions, from one decode, with the
 * same encoder settings. Everything else, and the ladder once more, is compared with what a good engineer would type,
 * which is the preset with only rate control: less work, for fewer bytes at the same `-crf`. `quality.ts` shows what
 * our settings gain from that.
 *
 * BENCH_PAIRS=5  BENCH_CLIP_SECONDS=12  BENCH_EARLY_PAIRS=3 (0 for none)  BENCH_EARLY_SECONDS=64  BENCH_FRAME_RATE=30
 * BENCH_PASSED_SECONDS=60,600,3600
 */
import { openAsBlob } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { findFreePort } from '../support/freePort.js';
import { Client } from '../support/graphql/client.js';
import { ffmpeg, makeClip } from '../support/media.js';
import { makeDataDir } from '../support/dataDir.js';
import { ServiceProcess, signIn } from '../support/service.js';
import { createVideo, sendFile } from '../support/uploads/clip.js';
import { bareLadder, type Bare } from './bareLadder.js';
import { ProcessorMeter } from './processorTime.js';

const PAIRS = Number(process.env['BENCH_PAIRS'] ?? 5);
const CLIP_SECONDS = Number(process.env['BENCH_CLIP_SECONDS'] ?? 12);
const EARLY_PAIRS = Number(process.env['BENCH_EARLY_PAIRS'] ?? 3);
const EARLY_SECONDS = Number(process.env['BENCH_EARLY_SECONDS'] ?? 64);
const FRAME_RATE = process.env['BENCH_FRAME_RATE'] ?? '30';
/** From the end of the upload to ready: measuring, buying and storing come on top of the ladder. */
const MAX_RATIO = 1.1;
const ALLOWANCE_SECONDS = 2;
/** For the ladder itself. */
const MAX_LADDER_RATIO = 1.05;
/** Beside the preset with nothing but rate control. */
const MAX_PRESET_RATIO = 1.15;
const MAX_EARLY_RATIO = 1.2;
const MAX_FIRST_SHARE = 0.25;
/** From the end of the upload until a source of any length plays that is passed through. */
const PASSED_SECONDS = (process.env['BENCH_PASSED_SECONDS'] ?? '60,600,3600').split(',').map(Number);
const MAX_FIRST_PICTURE_SECONDS = 2;
const PASSED_POLL_MS = 50;
/** Each poll takes 8 ms of processor time from the encoder: four a second are two percent. */
const POLL_MS = 1_000;
const DELETE = `mutation ($id: ID!) { deleteVideo(id: $id) }`;
const STATE = `query ($id: ID!) {
  video(id: $id) { status playableRungs failure { message } processing { startedAt finishedAt } }
}`;

/** Times in seconds. */
interface Pair {
  readonly bare: Bare;
  /** With the service's own encoder settings; null unless requested. */
  readonly own: Bare | null;
  /** From the response to the upload's last byte. */
  readonly ready: number;
  /** From the claim to the publication of the last stage. */
  readonly ladder: number;
  /** From the claim until something plays, up to a second too long. */
  readonly first: number;
  /** From the end of the upload until it is ready, of this process, the service and ffmpeg. */
  readonly processorSeconds: number;
}

const folder = await makeDataDir();
const settings = { DATA_DIR: join(folder.path, 'data'), PORT: String(await findFreePort()), LOG_LEVEL: 'warn' };
const service = ServiceProcess.start(['all'], settings);
try {
  const demo = await service.demo();
  const client = new Client(demo.url, await signIn(demo));

  if (isWanted('short')) await tellShort(client);
  if (isWanted('early') && EARLY_PAIRS > 0) await tellEarlyPlay(client);
  if (isWanted('passed')) await tellPassed(client);
} finally {
  await service.stop();
  await folder.remove();
}

function isWanted(scenario: string): boolean {
  return process.env['BENCH_ONLY']?.split(',').includes(scenario) ?? true;
}

async function tellShort(client: Client): Promise<void> {
  const short = await measure(client, { name: 'short.mp4', seconds: CLIP_SECONDS, pairs: PAIRS, besideOwn: true });
  const excess = sumOf(short, ({ ready, bare }) => ready - bare.seconds * MAX_RATIO) / short.length;
  tell(
    excess <= ALLOWANCE_SECONDS,
    `1080p ladder of ${CLIP_SECONDS} s, upload finished to ready, is ${MAX_RATIO} × bare ffmpeg ` +
      `${excess < 0 ? '-' : '+'} ${Math.abs(excess).toFixed(2)} s (target at most + ${ALLOWANCE_SECONDS} s; seconds ` +
      `bare→service ${short.map(({ bare, ready }) => arrow(bare, ready)).join(' ')})`,
  );
  tellRatio('in one stage', short, {
    beside: 'its own command run bare',
    by: ({ own }) => own!,
    target: MAX_LADDER_RATIO,
  });
  const ratio = ratioOf(short, ({ bare }) => bare);
  const bytes = short[0]!.own!.bytes / short[0]!.bare.bytes;
  tell(
    ratio <= MAX_PRESET_RATIO,
    `a ladder in one stage takes ${ratio.toFixed(2)} × bare ffmpeg with the preset's settings alone, for ` +
      `${bytes.toFixed(2)} × its bytes (target at most ${MAX_PRESET_RATIO}; ${byProcessor(short, ({ bare }) => bare)}; ` +
      'seconds bare→ladder ' +
      `${short.map(({ bare, ladder }) => arrow(bare, ladder)).join(' ')})`,
  );
}

async function tellEarlyPlay(client: Client): Promise<void> {
  const early = await measure(client, { name: 'early.mp4', seconds: EARLY_SECONDS, pairs: EARLY_PAIRS });
  tellRatio('with early play', early, { beside: 'bare ffmpeg', by: ({ bare }) => bare, target: MAX_EARLY_RATIO });
  const share = sumOf(early, ({ first }) => first) / sumOf(early, ({ ladder }) => ladder);
  tell(
    share <= MAX_FIRST_SHARE,
    `a video of ${EARLY_SECONDS} s plays after ${(100 * share).toFixed(0)} % of its ladder's time ` +
      `(target at most ${100 * MAX_FIRST_SHARE} %; seconds first/all ` +
      `${early.map(({ first, ladder }) => `${first.toFixed(1)}/${ladder.toFixed(1)}`).join(' ')})`,
  );
}

/** A loop of one clip, which is passed through as it is. */
async function tellPassed(client: Client): Promise<void> {
  const clip = await makeClip(folder.path, {
    name: 'looped.mp4',
    durationSeconds: 10,
    width: 1920,
    height: 1080,
    frameRate: '30',
    videoCodec: ['-c:v', 'libx264', '-preset', 'veryfast', '-g', '60', '-level', '4.0', '-crf', '26', '-bf', '0'],
  });
  const looped = ['-stream_loop', '-1', '-i', clip];
  // Sound of its own, because it ends a little later than pictures: looped with them, it would leave gaps between
  // frames, and such a source is not passed through.
  const sound = ['-f', 'lavfi', '-i', 'sine=sample_rate=48000'];
  const outputs = ['-map', '0:v', '-map', '1:a', '-c:v', 'copy', '-c:a', 'aac', '-ac', '2', '-b:a', '128k'];
  for (const seconds of PASSED_SECONDS) {
    const long = join(folder.path, 'long.mp4');
    await ffmpeg(...looped, ...sound, ...outputs, '-t', String(seconds), '-movflags', '+faststart', long);
    const { uploadedAtMs, videoId } = await upload(client, long);
    let status = '';
    while (status === '') {
      const { video } = await client.data(STATE, { id: videoId });
      if (video.status === 'FAILED') throw new Error(video.failure.message);
      if (video.playableRungs.length > 0) status = (video.playableRungs as string[]).join(', ');
      else await delay(PASSED_POLL_MS);
    }
    const first = (Date.now() - uploadedAtMs) / 1000;
    if (!status.includes('P1080')) throw new Error(`The source was not passed through: ${status} came first.`);
    const { size } = await stat(long);
    await client.data(DELETE, { id: videoId });
    await rm(long);
    tell(
      first <= MAX_FIRST_PICTURE_SECONDS,
      `a source of ${seconds} s and ${(size / 1e6).toFixed(0)} MB that is passed through plays ${first.toFixed(2)} s after ` +
        `its upload (${status}; target at most ${MAX_FIRST_PICTURE_SECONDS} s)`,
    );
  }
}

/** Pairs of the two ways to make a clip; the first one warms the caches of both. */
async function measure(
  client: Client,
  { name, seconds, pairs, besideOwn = false }: { name: string; seconds: number; pairs: number; besideOwn?: boolean },
): Promise<Pair[]> {
  const clip = await makeClip(folder.path, {
    name,
    durationSeconds: seconds,
    width: 1920,
    height: 1080,
    frameRate: FRAME_RATE,
    // So that passthrough is impossible, and both sides encode the whole ladder.
    videoCodec: ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '100000'],
  });
  const measured: Pair[] = [];
  for (let pair = 0; pair <= pairs; pair += 1) {
    const bare = await bareLadder(clip, join(folder.path, `bare-${pair}`));
    const own = besideOwn ? await bareLadder(clip, join(folder.path, `own-${pair}`), { asOurs: true }) : null;
    measured.push({ bare, own, ...(await served(client, clip)) });
  }
  return measured.slice(1);
}

interface Target {
  readonly beside: string;
  readonly by: (pair: Pair) => Bare;
  readonly target: number;
}

function tellRatio(how: string, pairs: readonly Pair[], { beside, by, target }: Target): void {
  const ratio = ratioOf(pairs, by);
  const seconds = pairs.map((pair) => arrow(by(pair), pair.ladder)).join(' ');
  tell(
    ratio <= target,
    `a ladder ${how} takes ${ratio.toFixed(2)} × ${beside} (target at most ${target}; ${byProcessor(pairs, by)}; ` +
      `seconds bare→ladder ${seconds})`,
  );
}

/** Of all pairs together, so that a pair slowed by a busy machine counts only by its share. */
function ratioOf(pairs: readonly Pair[], by: Target['by']): number {
  return sumOf(pairs, ({ ladder }) => ladder) / sumOf(pairs, (pair) => by(pair).seconds);
}

/** The service's includes measuring the upload. On a busy machine, it varies much less than seconds do. */
function byProcessor(pairs: readonly Pair[], by: Target['by']): string {
  const ratio = sumOf(pairs, (pair) => pair.processorSeconds) / sumOf(pairs, (pair) => by(pair).processorSeconds);
  return `by processor time ${ratio.toFixed(2)}`;
}

function sumOf(pairs: readonly Pair[], secondsOf: (pair: Pair) => number): number {
  return pairs.reduce((total, pair) => total + secondsOf(pair), 0);
}

function arrow(bare: Bare, seconds: number): string {
  return `${bare.seconds.toFixed(1)}→${seconds.toFixed(1)}`;
}

function tell(isMet: boolean, text: string): void {
  console.log(`${isMet ? 'ok    ' : 'MISSED'} pipeline: ${text}`);
  if (!isMet) process.exitCode = 1;
}

/** Uploads a clip, to be processed at once. */
async function upload(client: Client, clip: string): Promise<{ videoId: string; uploadedAtMs: number }> {
  const file = await openAsBlob(clip);
  const input = { filename: 'clip.mp4', sizeBytes: file.size, quality: 'P1080', autoProcess: true };
  const { id: videoId, uploadUrl } = await createVideo(client, input);
  await sendFile(client, uploadUrl, file);
  return { videoId, uploadedAtMs: Date.now() };
}

/** Uploads a clip, has it processed, and waits until it is ready. */
async function served(client: Client, clip: string): Promise<Omit<Pair, 'bare' | 'own'>> {
  const { videoId, uploadedAtMs } = await upload(client, clip);
  const meter = new ProcessorMeter(process.pid);
  let playsAtMs = Infinity;
  for (;;) {
    const { video } = await client.data(STATE, { id: videoId });
    if (video.playableRungs.length > 0) playsAtMs = Math.min(playsAtMs, Date.now());
    if (video.status === 'FAILED') throw new Error(video.failure.message);
    if (video.status === 'READY') {
      const [startedAtMs, finishedAtMs] = [video.processing.startedAt, video.processing.finishedAt].map(Date.parse);
      return {
        ready: (finishedAtMs! - uploadedAtMs) / 1000,
        ladder: (finishedAtMs! - startedAtMs!) / 1000,
        first: (playsAtMs - startedAtMs!) / 1000,
        processorSeconds: meter.stop(),
      };
    }
    await delay(POLL_MS);
  }
}
