import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createReadStream } from 'node:fs';

import { Upload } from 'tus-js-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { findFreePort } from '../support/freePort.js';
import { embeddedUrl } from '../support/browser/ledgerSeed.js';
import { Client } from '../support/graphql/client.js';
import { makeClip, mediaFolder } from '../support/media.js';
import { makeDemoDataDir } from '../support/demoDataDir.js';
import { ServiceProcess, signIn, type Demo } from '../support/service.js';
import { IS_FULL } from '../support/effort.js';
import { createVideo } from '../support/uploads/clip.js';
import { query } from '../support/database/query.js';

const KILLS = IS_FULL ? 8 : 2;
const MINTERS = 8;

let settings: { DATA_DIR: string; PORT: string; LOG_LEVEL: string };

describe('kill -9 of PostgreSQL under load', () => {
  let folder: Awaited<ReturnType<typeof makeDemoDataDir>>;
  let media: Awaited<ReturnType<typeof mediaFolder>>;
  let service: ServiceProcess;
  let demo: Demo;

  beforeAll(async () => {
    folder = await makeDemoDataDir();
    media = await mediaFolder();
    settings = { DATA_DIR: folder.path, PORT: String(await findFreePort()), LOG_LEVEL: 'warn' };
    service = ServiceProcess.start(['all'], settings);
    demo = await service.demo();
  });

  afterAll(async () => {
    await service?.stop('SIGKILL');
    await media?.[Symbol.asyncDispose]();
    await folder?.remove();
  });

  it('causes 503 responses in the usual envelope meanwhile, then the service recovers by itself and has lost nothing', async () => {
    const client = new Client(demo.url, await signIn(demo));
    await raiseQuota(folder.path);
    const load = startMinting(demo);
    const upload = await startUpload(client, media.path, demo);

    for (let kill = 0; kill < KILLS; kill += 1) {
      const killed = await postmasterPid(folder.path);
      process.kill(killed, 'SIGKILL');
      await service.until(async () => (await postmasterPid(folder.path)) !== killed, 'PostgreSQL is started again');
      const mintedBefore = load.minted();
      await service.until(() => load.minted() > mintedBefore + 20, `tokens are minted after kill ${kill + 1}`);
    }
    await upload.done;
    const answers = await load.stop();

    expect(answers.malformed).toEqual([]);
    expect(new Set(answers.statuses)).toEqual(new Set([200, 503]));
    expect(answers.withoutHeaders).toBe(0);
    // Every token that was returned was counted: the next one's header includes all of them.
    const last = await mint(demo);
    expect(answers.quota - Number(last.headers.get('x-ratelimit-remaining'))).toBeGreaterThanOrEqual(load.minted() + 1);

    await service.until(async () => {
      const { video } = await client.data('query ($id: ID!) { video(id: $id) { status } }', { id: upload.videoId });
      return video.status === 'READY';
    }, 'the uploaded video is ready');
    const verify = ServiceProcess.start(['ledger', 'verify'], settings);
    expect(await verify.exit(), verify.output).toBe(0);
  });
});

/** More than the test can use up. */
async function raiseQuota(dataDir: string): Promise<void> {
  await query(await embeddedUrl(dataDir), 'update api_key set daily_limit = 1000000');
}

async function mint(demo: Demo): Promise<Response> {
  return fetch(`${demo.url}/v1/video/${demo.videoId}/playback-token`, {
    method: 'POST',
    headers: { 'x-service-key': demo.apiKey },
  });
}

/** Creates tokens without a pause until stopped, and records the responses. */
function startMinting(demo: Demo) {
  const answers = { statuses: [] as number[], malformed: [] as string[], withoutHeaders: 0, quota: 0 };
  let minted = 0;
  const stopping = new AbortController();
  const minters = Array.from({ length: MINTERS }, async () => {
    while (!stopping.signal.aborted) {
      const response = await mint(demo);
      const body = (await response.json()) as { success: boolean; error?: { code: string; status: number } };
      answers.statuses.push(response.status);
      if (!response.headers.has('x-ratelimit-reset')) answers.withoutHeaders += 1;
      if (response.status === 200) {
        minted += 1;
        answers.quota = Number(response.headers.get('x-ratelimit-limit'));
      } else if (body.error?.code !== 'SERVICE_UNAVAILABLE' || body.error.status !== response.status) {
        answers.malformed.push(JSON.stringify(body));
      }
    }
  });
  return {
    minted: () => minted,
    stop: async () => {
      stopping.abort();
      await Promise.all(minters);
      return answers;
    },
  };
}

async function startUpload(client: Client, dir: string, demo: Demo) {
  const path = await makeClip(dir, { durationSeconds: 4 });
  const sizeBytes = (await stat(path)).size;
  const input = { filename: 'video.mp4', sizeBytes, quality: 'P480', autoProcess: true };
  const { id: videoId, uploadUrl } = await createVideo(client, input);
  const done = new Promise<void>((resolve, reject) => {
    const upload = new Upload(createReadStream(path), {
      uploadUrl,
      headers: { cookie: client.cookie, origin: demo.url },
      uploadSize: sizeBytes,
      // Small chunks, so that the upload is in progress while the database is down.
      chunkSize: Math.ceil(sizeBytes / 20),
      retryDelays: Array.from({ length: 100 }, () => 250),
      onSuccess: () => resolve(),
      onError: reject,
    });
    upload.start();
  });
  return { videoId, done };
}

async function postmasterPid(dataDir: string): Promise<number> {
  const text = await readFile(join(dataDir, 'postgres', 'cluster', 'postmaster.pid'), 'utf8');
  return Number(text.split('\n')[0]);
}
