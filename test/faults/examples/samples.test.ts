import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { LANGUAGES, type Language } from '../../../src/dashboard/docs/parts/languages.js';
import { tokenServer } from '../../../src/dashboard/docs/sections/samples.js';
import { findFreePort } from '../../support/freePort.js';
import { videoIdOf } from '../../../src/domain/shared/ids.js';
import { addVideo, openCustomer, type RestService, startRestService } from '../../support/contract/service.js';
import { WAIT_MS } from '../../support/deadlines.js';
import { endOf, hasPrograms } from '../../support/programs.js';

interface Way {
  readonly file: string;
  /** With the port for servers; the others print a token for the video that they are given. */
  readonly command: (file: string, port: number) => string[];
  readonly isServer?: true;
  readonly debian: string;
}

/** How to run what the documentation and the page of a video show. */
const WAYS: Readonly<Record<Language, Way>> = {
  curl: { file: 'token.sh', command: (file) => ['bash', file], debian: 'curl' },
  Node: { file: 'token.mjs', command: (file) => [process.execPath, file], isServer: true, debian: '' },
  PHP: {
    file: 'token.php',
    command: (file, port) => ['php', '-S', `127.0.0.1:${port}`, file],
    isServer: true,
    debian: 'php-cli',
  },
  Python: { file: 'token.py', command: (file) => ['python3', file], debian: 'python3' },
  Ruby: { file: 'token.rb', command: (file) => ['ruby', file], debian: 'ruby' },
  Go: { file: 'token.go', command: (file) => ['go', 'run', file], debian: 'golang-go' },
};

let home: string;
let service: RestService;
const running = new Set<ChildProcess>();
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'dhara-samples-'));
  service = await startRestService();
});
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL');
  await service.stop();
  await rm(home, { recursive: true, force: true });
});

describe.each(LANGUAGES)('the code that creates a token in %s', (language) => {
  const way = WAYS[language];
  const [program = ''] = way.command('', 0);

  it.runIf(hasPrograms([program], way.debian))('runs as it is shown', async () => {
    const { accountId, key } = await openCustomer(service);
    const id = videoIdOf(await addVideo(service.db, accountId, {}));
    const file = join(home, way.file);
    // A reader puts their key where the code says so.
    await writeFile(file, tokenServer(service.url, id)[language].replace('export DHARA_KEY=dk_…', ''));
    const port = await findFreePort();
    const [command = '', ...args] = way.command(file, port);
    const { PATH } = process.env;
    const env = { PATH, HOME: home, DHARA_KEY: key, PORT: String(port) };
    const child = spawn(command, way.isServer ? args : [...args, id], { env });
    running.add(child);
    const out = way.isServer ? await answerOf(`http://127.0.0.1:${port}/?video=${id}`) : await outputOf(child);
    const token = language === 'curl' ? tokenIn(out, id) : out.trim();
    expect((await service.playback.manifest(token, {})).videoId).toBe(id);
  });
});

/** The program lists the videos and creates a token: two answers, one after the other. */
function tokenIn(answers: string, id: string): string {
  expect(answers).toContain(`"id":"${id}"`);
  return /"token":"([^"]+)"/.exec(answers)?.[1] ?? '';
}

async function answerOf(address: string): Promise<string> {
  let text = '';
  const isThere = async () => {
    const answer = await fetch(address).catch(() => null);
    text = (await answer?.text()) ?? '';
    return answer?.status;
  };
  await expect.poll(isThere, { timeout: WAIT_MS }).toBe(200);
  return text;
}

async function outputOf(child: ChildProcessWithoutNullStreams): Promise<string> {
  const { code, out, err } = await endOf(child);
  expect(code, err).toBe(0);
  return out;
}
