import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

import type { App } from '../app.js';
import type { Config } from '../config/config.js';
import { videoIdOf } from '../domain/shared/ids.js';
import type { Video } from '../domain/media/library/video.entity.js';
import { MICROS_PER_CREDIT } from '../domain/ledger/credits.js';
import { DEMO_GIFT } from '../domain/ledger/demoGift.js';
import type { Print } from './terminal.js';

const run = promisify(execFile);

const DEMO_TITLE = 'Twenty seconds of colour';
const CREATIVE_CREDITS = 200n;
const CLOUD_CREDITS = 50n;
const POLL_MS = 200;

/** What a new user needs, as written to `demo.json`. */
export interface Demo {
  readonly url: string;
  readonly email: string;
  readonly password: string;
  readonly apiKey: string;
  /** `vid_…` */
  readonly videoId: string;
}

/**
 * Seeds the demo on the first start: an account with credits, a clip processed by the real pipeline, and an API key.
 *
 * Every step can be interrupted and is repeated on the next start; `demo.json` is written last. Resolves to `null` if
 * the service is told to stop meanwhile.
 */
export async function seedDemo(app: App, config: Config, stopping: AbortSignal, print: Print): Promise<Demo | null> {
  const file = join(app.dataDir, 'demo.json');
  const known = await readDemo(file);
  if (known) return { ...known, url: app.publicUrl };

  print('First start: creating a demo account and a 20-second clip …');
  const password = await demoPassword(app);
  const accountId = await app.identity.createUser({
    email: DEMO_GIFT.email,
    password,
    name: 'Demo',
    emailVerified: true,
  });
  await giveCredits(app, accountId);
  const video = (await findClip(app, accountId)) ?? (await uploadClip(app, config, accountId));
  if (!(await untilReady(app, accountId, video, stopping))) return null;

  const { key } = await app.keys.create(accountId, { name: 'Demo key' });
  const demo = { url: app.publicUrl, email: DEMO_GIFT.email, password, apiKey: key, videoId: videoIdOf(video.id) };
  await writeFile(`${file}.part`, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.part`, file);
  return demo;
}

/** Prints the lines for a new user. */
export function announce(url: string, demo: Demo | null, print: Print): void {
  print(`\nDhara is ready: ${url}`);
  if (!demo) return;
  print(`  sign in    ${demo.email}`);
  print(`  password   ${demo.password}`);
  print(`  API key    ${demo.apiKey}`);
  print(`  try        curl -H 'x-service-key: ${demo.apiKey}' ${url}/v1/video\n`);
}

/** Derived, so that it is the same on every start: an interrupted start leaves no account that nobody can open. */
async function demoPassword(app: App): Promise<string> {
  return createHmac('sha256', app.demoSecret).update('demo password').digest('base64url').slice(0, 16);
}

async function giveCredits(app: App, accountId: string): Promise<void> {
  const once = (name: string) => `demo:${name}`;
  await app.db.transaction(({ sql }) =>
    app.wallet.adjust(sql, accountId, {
      amountMicros: DEMO_GIFT.amountMicros,
      reason: 'Credits to try Dhara with',
      idempotencyKey: DEMO_GIFT.idempotencyKey,
    }),
  );
  for (const [to, credits] of [
    ['CREATIVE', CREATIVE_CREDITS],
    ['CLOUD', CLOUD_CREDITS],
  ] as const) {
    await app.wallet.allocate(accountId, {
      from: 'MASTER',
      to,
      amountMicros: credits * MICROS_PER_CREDIT,
      idempotencyKey: once(to),
    });
  }
}

/** The clip of an earlier, interrupted start. Removes a clip without a file. */
async function findClip(app: App, accountId: string): Promise<Video | null> {
  const { edges } = await app.videos.list(accountId, { first: 1, q: DEMO_TITLE });
  const found = edges[0]?.node ?? null;
  if (found && (found.status === 'awaiting_upload' || found.status === 'uploading')) {
    await app.videos.delete(accountId, found.id);
    return null;
  }
  if (found?.status === 'failed') await app.processing.retry(accountId, found.id);
  return found;
}

async function uploadClip(app: App, config: Config, accountId: string): Promise<Video> {
  const folder = await mkdtemp(join(app.dataDir, 'demo-'));
  try {
    const clip = join(folder, 'clip.mp4');
    await makeClip(config.FFMPEG_PATH ?? 'ffmpeg', clip);
    const { video, upload } = await app.videos.create(accountId, {
      title: DEMO_TITLE,
      filename: 'clip.mp4',
      sizeBytes: (await stat(clip)).size,
      description: 'Made by ffmpeg on the first start, and processed like any other video.',
      tags: ['demo'],
      quality: '720p',
      autoProcess: true,
    });
    const ref = { accountId, uploadId: upload.uploadId };
    await app.uploads.resume(accountId, upload.uploadId);
    await app.uploads.receive(ref, 0, createReadStream(clip));
    await app.uploads.finish(ref);
    return video;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function makeClip(ffmpeg: string, path: string): Promise<void> {
  const picture = 'gradients=size=1280x720:rate=30:duration=20:speed=0.02:nb_colors=5:seed=7,format=yuv420p';
  const sound = 'aevalsrc=0.1*sin(2*PI*(220+20*sin(2*PI*t/5))*t)|0.1*sin(2*PI*330*t):duration=20:sample_rate=48000';
  const inputs = ['-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', sound];
  const encoding = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '20', '-c:a', 'aac', '-b:a', '128k'];
  await run(ffmpeg, ['-v', 'error', '-nostdin', '-y', ...inputs, ...encoding, '-movflags', '+faststart', path]);
}

async function untilReady(app: App, accountId: string, video: Video, stopping: AbortSignal): Promise<boolean> {
  while (!stopping.aborted) {
    const { status, failureMessage } = await app.videos.get(accountId, video.id);
    if (status === 'ready') return true;
    if (status === 'failed') throw new Error(`The demo clip could not be processed: ${failureMessage ?? 'no reason'}`);
    await delay(POLL_MS, undefined, { signal: stopping }).catch(() => undefined);
  }
  return false;
}

async function readDemo(file: string): Promise<Demo | null> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Demo;
  } catch {
    return null;
  }
}
