import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { listen } from '../../../src/api/http/server.js';
import { LoginFile, loginPath } from '../../../src/cli/owner/loginFile.js';
import { videoIdOf } from '../../../src/domain/shared/ids.js';
import { addVideo } from '../../support/contract/service.js';
import type { Client } from '../../support/graphql/client.js';
import { PASSWORD, totpCode } from '../../support/identity/service.js';
import { endOf } from '../../support/programs.js';
import { dhara as runDhara, type Ended } from '../../support/terminal.js';
import { GraphqlService } from '../graphql/service.js';
import { keepToken } from './keepToken.js';

const MAIN = resolve('dist/main.js');
const EMAIL = 'careful@example.com';
const OPENER = process.platform === 'darwin' ? 'open' : 'xdg-open';

let service: GraphqlService;
let owner: Client;
let configHome: string;
/** The only folder on the PATH of the command. */
let programs: string;

beforeAll(async () => {
  service = await GraphqlService.start();
  owner = await service.signedIn(EMAIL);
});
afterAll(() => service?.stop());
beforeEach(async () => {
  configHome = await mkdtemp(join(tmpdir(), 'dhara-cli-'));
  programs = await mkdtemp(join(tmpdir(), 'dhara-programs-'));
});
afterEach(() => Promise.all([configHome, programs].map((folder) => rm(folder, { recursive: true }))));

function start(args: readonly string[]): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [MAIN, ...args], { env: { PATH: programs, XDG_CONFIG_HOME: configHome } });
}

/** Runs the built command in its own process. */
function dhara(args: readonly string[], input = ''): Promise<Ended> {
  const child = start(args);
  child.stdin.end(input);
  return endOf(child);
}

describe('dhara play', () => {
  const opened = (): string => join(programs, 'opened');
  let videoId: string;
  beforeAll(async () => {
    videoId = videoIdOf(await addVideo(service.services.db, owner.accountId, { title: 'Tour' }));
  });
  beforeEach(() => keepToken(service, owner, configHome, ['read', 'manage']));

  /** A program that opens addresses: it writes down what it is called with. */
  async function addOpener(andThen: string): Promise<void> {
    const path = join(programs, OPENER);
    await writeFile(path, `#!/bin/sh\nprintf '%s\\n' "$@" > '${opened()}'\n${andThen}\n`);
    await chmod(path, 0o755);
  }

  it('opens the page of the video with its own token in the browser', async () => {
    await addOpener('exit 0');
    const ended = await dhara(['play', videoId, '--json']);
    expect(ended).toMatchObject({ code: 0, err: '' });
    const { url, token } = JSON.parse(ended.out) as { url: string; token: string };
    expect(url).toBe(`${service.url}/watch#${token}`);
    expect(await readFile(opened(), 'utf8')).toBe(`${url}\n`);
    expect(await service.services.playback.manifest(token)).toMatchObject({ title: 'Tour' });
  });

  it('ends although the browser stays open', async () => {
    await addOpener(`echo $$ > '${join(programs, 'pid')}'\nexec /bin/sleep 600`);
    const ended = await dhara(['play', videoId]);
    expect(ended).toMatchObject({ code: 0, err: '' });
    // On a busy machine, it may begin later than the command ends.
    const pidText = () => readFile(join(programs, 'pid'), 'utf8').catch(() => '');
    await expect.poll(pidText).toMatch(/\n$/);
    const pid = Number(await pidText());
    // Throws if the browser has ended with the command.
    process.kill(pid, 'SIGKILL');
    expect(await readFile(opened(), 'utf8')).toBe(ended.out);
  });

  it.each([
    ['no program opens addresses', null],
    ['the program finds no browser', 'exit 3'],
  ])('prints the address and says what to do with it if %s', async (_name, andThen) => {
    if (andThen !== null) await addOpener(andThen);
    const { code, out, err } = await dhara(['play', videoId]);
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`^${service.url}/watch#eyJ\\S+\n$`));
    expect(err).toBe('dhara: No browser could be opened. Open the address yourself.\n');
  });

  it('opens nothing if it only prints the address, or if there is no such video', async () => {
    await addOpener('exit 0');
    expect((await dhara(['play', videoId, '--print'])).code).toBe(0);
    expect(await dhara(['play', 'vid_none'])).toMatchObject({ code: 1, err: 'dhara: Video not found.\n' });
    await expect(stat(opened())).rejects.toThrow('ENOENT');
  });
});

describe('dhara login of an owner with a second factor', () => {
  let uri: string;
  beforeAll(async () => {
    const post = async (path: string, body: object) => {
      const response = await fetch(`${service.url}/api/auth/two-factor/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: service.url, cookie: owner.cookie },
        body: JSON.stringify(body),
      });
      expect(response.status).toBe(200);
      return (await response.json()) as { totpURI: string };
    };
    uri = (await post('enable', { password: PASSWORD })).totpURI;
    await post('verify-totp', { code: totpCode(uri) });
  });
  beforeEach(async () => {
    await service.rows('delete from auth."rateLimit"');
    // No code works twice, and the next one is half a minute away.
    await service.rows('update auth."twoFactor" set "lastUsedStep" = 0');
  });

  const loginFile = (): string => join(configHome, 'dhara', 'login.json');
  const logIn = (...answers: string[]): Promise<Ended> =>
    dhara(['login', '--url', service.url, '--scopes', 'read'], answers.map((answer) => `${answer}\n`).join(''));
  const sessions = () => service.rows('select count(*)::int as n from auth.session');

  it('asks for the code, and stores a token that works, and leaves no session', async () => {
    const before = await sessions();
    const code = totpCode(uri);
    const ended = await logIn(EMAIL, PASSWORD, code);
    expect(ended).toMatchObject({
      code: 0,
      out: `Logged in to ${service.url}. The access token is in ${loginFile()}.\n`,
      err: 'Email: Password: Code from your authenticator app: ',
    });
    expect((await stat(loginFile())).mode & 0o777).toBe(0o600);
    const stored = await readFile(loginFile(), 'utf8');
    for (const secret of [PASSWORD, code]) expect(stored).not.toContain(secret);
    expect(await sessions()).toEqual(before);
    expect((await dhara(['wallet'])).code).toBe(0);
  });

  it.each([
    ['a wrong code', () => [EMAIL, PASSWORD, totpCode(uri, 20)], 1, 'Invalid code'],
    ['no code', () => [EMAIL, PASSWORD], 2, 'No answer: the input has ended.'],
    ['a wrong password, before any code', () => [EMAIL, 'wrong password', '000000'], 1, 'Invalid email or password'],
  ])('refuses %s, and stores nothing', async (_name, answers, code, message) => {
    const before = await sessions();
    const ended = await logIn(...answers());
    expect(ended).toMatchObject({ code, out: '' });
    expect(ended.err).toContain(`dhara: ${message}`);
    await expect(stat(loginFile())).rejects.toThrow('ENOENT');
    expect(await sessions()).toEqual(before);
  });
});

describe('a command whose output nobody reads', () => {
  it.each([
    ['wallet'],
    ['videos', '--json'],
    ['completion', 'zsh'],
    ['--help'],
    // It would run forever.
    ['listen', '--forward', 'http://127.0.0.1:9'],
  ])('ends quietly if nobody reads its output, as after head: dhara %s', async (...args) => {
    await keepToken(service, owner, configHome, ['read']);
    const child = start(args);
    child.stdin.end();
    // It starts to write much later.
    child.stdout.destroy();
    expect(await endOf(child)).toEqual({ code: 0, out: '', err: '' });
  });
});

describe('an address of something else than Dhara', () => {
  it.each([
    ['a page', 200, '<h1>Welcome</h1>', 'is not a Dhara service.'],
    ['nothing', 200, '', 'is not a Dhara service.'],
    ['JSON of another program', 200, 'null', 'is not a Dhara service.'],
    ['a list', 200, '[]', 'is not a Dhara service.'],
    ['a page that is missing', 404, '<h1>Not found</h1>', 'is not a Dhara service.'],
    ['a proxy whose service is away', 502, '<h1>Bad gateway</h1>', 'is temporarily unavailable (HTTP 502).'],
  ])('with %s exits with 1 and one line', async (_what, status, body, message) => {
    const other = await listen((_req, res) => res.writeHead(status).end(body), '127.0.0.1', 0);
    const url = `http://127.0.0.1:${other.port}`;
    try {
      await new LoginFile(loginPath(configHome)).write({ url, token: 'dpat_x', tokenId: 'x' });
      const refused = { code: 1, out: '', err: `dhara: ${url} ${message}\n` };
      const environment = { XDG_CONFIG_HOME: configHome };
      expect(await runDhara(['wallet'], environment)).toEqual(refused);
      expect(await runDhara(['events', '--follow'], environment)).toEqual(refused);
      const { code, err } = await runDhara(['login', '--url', url], environment, 'a@b.example\nx\n');
      expect(code).toBe(1);
      expect(err).toMatch(/^Email: Password: dhara: .*\n$/);
    } finally {
      await other.stop(1_000);
    }
  });
});
