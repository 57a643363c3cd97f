import { execFile, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';

import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { addVideo, openCustomer, type RestService, startRestService } from '../../support/contract/service.js';
import { IS_FULL } from '../../support/effort.js';
import { packagedNode, packagedProgram } from '../../support/runtimes.js';

const run = promisify(execFile);
const CLIENT = resolve('dist/client');
const PROBE = resolve('test/faults/client/probe.mjs');
/** What every runtime of the web has, in browsers and at the edge of a network. */
const WEB_APIS = {
  AbortController,
  AbortSignal,
  atob,
  btoa,
  clearTimeout,
  crypto,
  DOMException,
  fetch,
  Headers,
  Request,
  Response,
  setTimeout,
  TextDecoder,
  TextEncoder,
  TypeError,
  Uint8Array,
  URL,
  URLSearchParams,
};
const arch = process.arch === 'arm64' ? 'arm64' : 'x64';

let service: RestService;
let videoId: string;
let args: string[];

beforeAll(async () => {
  const built = spawnSync('npm', ['run', 'build', '--', 'client'], { encoding: 'utf8' });
  expect({ status: built.status, stderr: built.stderr }).toMatchObject({ status: 0 });
  service = await startRestService();
  const { accountId, key } = await openCustomer(service);
  for (const title of ['One', 'Two']) await addVideo(service.db, accountId, { title });
  videoId = await addVideo(service.db, accountId, { title: 'Three' });
  args = [pathToFileURL(join(CLIENT, 'index.js')).href, service.url, key, videoId];
});
afterAll(() => service.stop());

const RUNTIMES: [string, () => Promise<string[]>][] = [
  ['the Node of this service', () => Promise.resolve([process.execPath])],
  ['Node 20', async () => [await packagedNode('20.20.2')]],
  ['Node 22', async () => [await packagedNode('22.17.0')]],
  ['Node 24', async () => [await packagedNode('24.21.0')]],
  [
    'Deno',
    async () => [
      await packagedProgram(`@deno/linux-${arch}-glibc`, '2.9.6', 'deno'),
      'run',
      '--allow-net',
      '--allow-read',
    ],
  ],
  [
    'Bun',
    async () => [await packagedProgram(`@oven/bun-linux-${arch === 'x64' ? 'x64' : 'aarch64'}`, '1.4.5', 'bin/bun')],
  ],
];

describe('the built @dhara/client', () => {
  it.each(IS_FULL ? RUNTIMES : RUNTIMES.slice(0, 1))(
    'lists videos, gets one, creates tokens, exchanges them and verifies webhooks in %s',
    async (_name, command) => {
      const before = await remaining();
      const [program, ...options] = await command();
      const { stdout } = await run(program!, [...options, PROBE, ...args]);
      expect(JSON.parse(stdout)).toEqual(answers(before));
    },
  );

  it('does the same at the edge, with nothing but the APIs of the web', async () => {
    const before = await remaining();
    const bundle = await build({
      configFile: false,
      logLevel: 'error',
      build: {
        write: false,
        lib: { entry: join(CLIENT, 'index.js'), formats: ['iife'], name: 'client' },
      },
    });
    const [{ output }] = bundle as unknown as [{ output: [{ code: string }] }];
    // The probe takes its module, its arguments and its console from here.
    const probe = (await readFile(PROBE, 'utf8')).replace('await import(module)', 'client');
    const lines: string[] = [];
    await (runInNewContext(`${output[0].code};(async () => {${probe}})()`, {
      ...WEB_APIS,
      Deno: { args },
      console: { log: (line: string) => lines.push(line) },
    }) as Promise<void>);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([answers(before)]);
  });
});

/** What the probe prints, if its key had so many tokens left. */
function answers(before: number): object {
  return {
    titles: ['One', 'Three', 'Two'],
    listed: ['One'],
    hasMore: true,
    video: 'Three',
    hasRequestId: true,
    remaining: before - 1,
    stream: 'application/vnd.apple.mpegurl',
    refused: 'VIDEO_NOT_FOUND',
    event: 'video.ready',
  };
}

async function remaining(): Promise<number> {
  const text = 'select daily_limit - used as left from api_key where revoked_at is null';
  const [row] = await service.db.sql.query<{ left: number }>({ name: 'test-left', text });
  return row!.left;
}
