import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { Writable } from 'node:stream';

import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';

import { FfmpegLogoTools } from '../../../src/adapters/transcode/pictures/ffmpegLogoTools.js';
import { FfmpegPosterTools } from '../../../src/adapters/transcode/pictures/ffmpegPosterTools.js';
import { createApp, type App } from '../../../src/app.js';
import { ConfigError, loadConfig } from '../../../src/config/config.js';
import { TranscoderUnavailableError } from '../../../src/ports/transcoder.js';
import { still } from '../../support/branding/logos.js';
import { openFundedAccount } from '../../support/accounts.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { mediaFolder } from '../../support/media.js';

/*
 * In production, customer files are never opened if ffmpeg cannot be confined. The search path decides which programs
 * of this machine a test sees.
 */
const PATH = process.env['PATH'] ?? '';
const FFMPEG = ['ffmpeg', 'ffprobe'];
/** Programs that drop rights and set limits, but isolate nothing. */
const HELPERS = ['choom', 'setpriv', 'timeout', 'prlimit'];
const MASTER_KEY = randomBytes(32);
const WHAT_TO_DO = /^ffmpeg cannot be .*\. Install bubblewrap\b.*\.$/;

interface Machine {
  has?: readonly string[];
  /** Programs that exist but do not work. */
  lame?: readonly string[];
  /** The whole search path instead: inside its sandbox, bubblewrap shows programs only where the system has them. */
  path?: string;
}
const WALLED: [string, Machine][] = [
  ['bwrap', { path: PATH }],
  ['unshare', { has: [...FFMPEG, ...HELPERS, 'unshare'] }],
];
const OPEN: [string, Machine][] = [
  ['has neither bubblewrap nor unshare', { has: [...FFMPEG, ...HELPERS] }],
  ['can isolate ffmpeg but not limit it', { has: [...FFMPEG, 'choom', 'setpriv', 'timeout', 'unshare', 'bwrap'] }],
  [
    'has bubblewrap and unshare but lets neither create a namespace',
    { has: [...FFMPEG, ...HELPERS], lame: ['bwrap', 'unshare'] },
  ],
];

let folder: Awaited<ReturnType<typeof mediaFolder>>;
let logo: Buffer;

beforeAll(async () => {
  logo = await still('color=red:s=8x8');
});

beforeEach(async () => {
  folder = await mediaFolder();
  await chmod(folder.path, 0o755);
});

afterEach(async () => {
  vi.restoreAllMocks();
  await folder?.[Symbol.asyncDispose]();
});

describe('a worker', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });

  afterAll(() => database?.drop());

  test.each(WALLED)('starts in production with %s', async (kind, machine) => {
    const { log } = await started('production', await searchPath(machine));
    expect(log.find(({ msg }) => msg === 'ffmpeg sandbox')).toMatchObject({ sandbox: kind });
    expect(log.map(({ msg }) => msg)).toContain('worker started');
  });

  test.each(OPEN)('refuses to start in production on a machine that %s, and says what to do', async (_, machine) => {
    const refusal = await started('production', await searchPath(machine)).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ConfigError);
    expect((refusal as ConfigError).message).toMatch(WHAT_TO_DO);
  });

  test('refuses `unshare` in production if the service is not root: ffmpeg could still read all of its files', async () => {
    const path = await searchPath({ has: [...FFMPEG, ...HELPERS, 'unshare'] });
    const { log } = await started('development', path, 1000);
    expect(log.find(({ msg }) => msg === 'ffmpeg sandbox')).toMatchObject({ sandbox: 'unshare-as-ourselves' });
    const refusal = await started('production', path, 1000).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ConfigError);
    expect((refusal as ConfigError).message).toMatch(WHAT_TO_DO);
  });

  test('starts in development without confinement, and logs that', async () => {
    const { log } = await started('development', await searchPath({ has: FFMPEG }));
    expect(log.find(({ msg }) => msg === 'ffmpeg sandbox')).toMatchObject({ sandbox: 'none' });
  });

  /** Starts and stops a worker. @returns what it logged */
  async function started(
    mode: string,
    PATH: string,
    uid = process.getuid!(),
  ): Promise<{ log: { msg: string; sandbox?: string }[] }> {
    vi.spyOn(process, 'getuid').mockReturnValue(uid);
    const lines: string[] = [];
    const app = await appOf(mode, PATH, lines);
    try {
      await app.start();
    } finally {
      await app.stop();
    }
    return { log: lines.map((line) => JSON.parse(line) as { msg: string }) };
  }

  test('renders logos in production only on a machine that can confine ffmpeg', async () => {
    const draws = async (machine: Machine): Promise<unknown> => {
      const app = await appOf('production', await searchPath(machine), []);
      try {
        return await app.brands.setLogo(await openFundedAccount(app.db, {}), logo).catch((error: unknown) => error);
      } finally {
        await app.stop();
      }
    };
    expect(await draws(OPEN[0]![1])).toMatchObject({ code: 'SERVICE_UNAVAILABLE', cause: { message: WHAT_TO_DO } });
    expect(await draws(WALLED[0]![1])).toMatchObject({ logoWidth: 8, logoHeight: 8 });
  });

  function appOf(mode: string, PATH: string, lines: string[]): Promise<App> {
    const sink = new Writable({
      write(chunk: Buffer, _, done) {
        lines.push(...chunk.toString().trim().split('\n'));
        done();
      },
    });
    const config = loadConfig({
      NODE_ENV: mode,
      TRUST_PROXY: '1',
      PUBLIC_URL: 'https://video.example',
      DATABASE_URL: database.runtimeUrl,
      MASTER_KEY: MASTER_KEY.toString('base64'),
      SMTP_URL: 'smtp://127.0.0.1:1',
      DATA_DIR: join(folder.path, 'data'),
      PATH,
    });
    return createApp({
      role: 'worker',
      config,
      masterKey: MASTER_KEY,
      runtimeUrl: database.runtimeUrl,
      publicUrl: 'https://video.example',
      logger: pino(sink),
    });
  }
});

describe.each([
  ['logos', (searchPath: string) => new FfmpegLogoTools({ searchPath, mustConfine: true }).normaliseLogo(logo)],
  ['posters', (searchPath: string) => new FfmpegPosterTools({ searchPath, mustConfine: true }).drawUpload(logo)],
])('tools for %s that must confine', (_, draw) => {
  test.each(WALLED)('draw with %s', async (__, machine) => {
    await expect(draw(await searchPath(machine))).resolves.toBeTruthy();
  });

  test('refuse `unshare` if the service is not root', async () => {
    vi.spyOn(process, 'getuid').mockReturnValue(1000);
    const path = await searchPath({ has: [...FFMPEG, ...HELPERS, 'unshare'] });
    await expect(draw(path)).rejects.toThrow(WHAT_TO_DO);
  });

  test.each(OPEN)('refuse a machine that %s, and say what to do', async (__, machine) => {
    const refusal = await draw(await searchPath(machine)).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(TranscoderUnavailableError);
    expect((refusal as Error).message).toMatch(WHAT_TO_DO);
  });
});

/** A search path with only these programs. */
async function searchPath({ has = [], lame = [], path }: Machine): Promise<string> {
  if (path !== undefined) return path;
  const dir = join(folder.path, randomBytes(4).toString('hex'));
  await mkdir(dir);
  for (const name of has) await symlink(whereIs(name), join(dir, name));
  for (const name of lame) await writeFile(join(dir, name), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  return dir;
}

function whereIs(name: string): string {
  for (const dir of PATH.split(delimiter)) {
    const path = join(dir, name);
    if (existsSync(path)) return path;
  }
  throw new Error(`these tests need ${name}`);
}
