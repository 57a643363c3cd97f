/**
 * The pipeline beside the bare ffmpeg command a good engineer would type, in alternating pairs: a short film, which is
 * made in one stage, and one that plays early.
 *
 * BENCH_PAIRS=5  BENCH_CLIP_SECONDS=12  BENCH_EARLY_PAIRS=3 (0 for none)  BENCH_EARLY_SECONDS=64  BENCH_FRAME_RATE=30
 */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { findFreePort } from '../../src/db/embedded/port.js';
import { Client } from '../graphql/client.js';
import { makeClip } from '../setup/media.js';
import { makeDataDir } from '../setup/dataDir.js';
import { ServiceProcess, signIn } from '../setup/service.js';
import { bareLadder } from './bareLadder.js';

const PAIRS = Number(process.env['BENCH_PAIRS'] ?? 5);
const CLIP_SECONDS = Number(process.env['BENCH_CLIP_SECONDS'] ?? 12);
const EARLY_PAIRS = Number(process.env['BENCH_EARLY_PAIRS'] ?? 3);
const EARLY_SECONDS = Number(process.env['BENCH_EARLY_SECONDS'] ?? 64);
const FRAME_RATE = process.env['BENCH_FRAME_RATE'] ?? '30';
/** Upload finished to ready: measuring, buying and storing come on top of the ladder. */
const MAX_RATIO = 1.1;
const ALLOWANCE_SECONDS = 2;
/** Of the ladder itself. */
const MAX_LADDER_RATIO = 1.05;
const MAX_EARLY_RATIO = 1.25;
const MAX_FIRST_SHARE = 0.25;
/** Asking costs the service processor time that its encoder would have. */
const POLL_MS = 250;
const STATE = `query ($id: ID!) {
  video(id: $id) { status playableRungs failure { message } processing { startedAt finishedAt } }
}`;

/** Seconds. */
interface Pair {
  readonly bare: number;
  /** With the settings that the service's quality takes; where it was asked for. */
  readonly bareAsOurs: number | null;
  /** From the answer to the upload's last byte. */
  readonly ready: number;
  /** From the claim to the last stage's publishing. */
  readonly ladder: number;
  /** From the claim until something plays. */
  readonly first: number;
}

const folder = await makeDataDir();
const settings = { DATA_DIR: join(folder.path, 'data'), PORT: String(await findFreePort()), LOG_LEVEL: 'warn' };
const service = ServiceProcess.start(['all'], settings);
try {
  const demo = await service.demo();
  const client = new Client(demo.url, await signIn(demo));

  const short = await measure(client, { name: 'short.mp4', seconds: CLIP_SECONDS, pairs: PAIRS, asOurs: true });
  const excess = medianOf(short.map(({ ready, bare }) => ready - bare * MAX_RATIO));
  tell(
    excess <= ALLOWANCE_SECONDS,
    `1080p ladder of ${CLIP_SECONDS} s, upload finished to ready, is ${MAX_RATIO} × bare ffmpeg ` +
      `${excess < 0 ? '-' : '+'} ${Math.abs(excess).toFixed(2)} s (target at most + ${ALLOWANCE_SECONDS} s; seconds ` +
      `bare→service ${short.map(({ bare, ready }) => `${bare.toFixed(1)}→${ready.toFixed(1)}`).join(' ')})`,
  );
  tellRatio('in one stage', short, MAX_LADDER_RATIO);
  const own = medianOf(short.map(({ ladder, bareAsOurs }) => ladder / bareAsOurs!));
  console.log(`       that is ${own.toFixed(2)} × bare ffmpeg with the settings that its quality takes`);

  if (EARLY_PAIRS > 0) await tellEarlyPlay(client);
} finally {
  await service.stop();
  await folder.remove();
}

async function tellEarlyPlay(client: Client): Promise<void> {
  const early = await measure(client, { name: 'early.mp4', seconds: EARLY_SECONDS, pairs: EARLY_PAIRS });
  tellRatio('with early play', early, MAX_EARLY_RATIO);
  const share = medianOf(early.map(({ first, ladder }) => first / ladder));
  tell(
    share <= MAX_FIRST_SHARE,
    `a film of ${EARLY_SECONDS} s plays after ${(100 * share).toFixed(0)} % of its ladder's time ` +
      `(target at most ${100 * MAX_FIRST_SHARE} %; seconds first/all ` +
      `${early.map(({ first, ladder }) => `${first.toFixed(1)}/${ladder.toFixed(1)}`).join(' ')})`,
  );
}

/** Pairs of the two ways to make a clip; the first one warms the caches of both. */
async function measure(
  client: Client,
  { name, seconds, pairs, asOurs = false }: { name: string; seconds: number; pairs: number; asOurs?: boolean },
): Promise<Pair[]> {
  const clip = await makeClip(folder.path, {
    name,
    durationSeconds: seconds,
    width: 1920,
    height: 1080,
    frameRate: FRAME_RATE,
    // So that nothing of it can be copied: the whole ladder is encoded on both sides.
    videoCodec: ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '100000'],
  });
  const measured: Pair[] = [];
  for (let pair = 0; pair <= pairs; pair += 1) {
    const bare = await bareLadder(clip, join(folder.path, `bare-${pair}`));
    const bareAsOurs = asOurs ? await bareLadder(clip, join(folder.path, `ours-${pair}`), { asOurs }) : null;
    measured.push({ bare, bareAsOurs, ...(await served(client, clip)) });
  }
  return measured.slice(1);
}

function tellRatio(how: string, pairs: readonly Pair[], target: number): void {
  const ratio = medianOf(pairs.map(({ ladder, bare }) => ladder / bare));
  const seconds = pairs.map(({ bare, ladder }) => `${bare.toFixed(1)}→${ladder.toFixed(1)}`).join(' ');
  tell(
    ratio <= target,
    `a ladder ${how} takes ${ratio.toFixed(2)} × bare ffmpeg (target at most ${target}; seconds bare→ladder ${seconds})`,
  );
}

function tell(isMet: boolean, text: string): void {
  console.log(`${isMet ? 'ok    ' : 'MISSED'} pipeline: ${text}`);
  if (!isMet) process.exitCode = 1;
}

function medianOf(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}

/** Uploads a clip, has it made, and waits until it is ready. */
async function served(client: Client, clip: string): Promise<Omit<Pair, 'bare' | 'bareAsOurs'>> {
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
  const uploadedAtMs = performance.now();
  let playsAtMs: number | null = null;
  for (;;) {
    const { video } = await client.data(STATE, { id: createVideo.video.id });
    const nowMs = performance.now();
    if (video.playableRungs.length > 0) playsAtMs ??= nowMs;
    if (video.status === 'FAILED') throw new Error(video.failure.message);
    if (video.status === 'READY') {
      const { startedAt, finishedAt } = video.processing;
      const ladderMs = Date.parse(finishedAt) - Date.parse(startedAt);
      const firstMs = ladderMs - (nowMs - (playsAtMs ?? nowMs));
      return { ready: (nowMs - uploadedAtMs) / 1000, ladder: ladderMs / 1000, first: firstMs / 1000 };
    }
    await delay(POLL_MS);
  }
}
