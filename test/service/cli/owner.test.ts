import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { listen } from '../../../src/api/http/server.js';
import { LoginFile } from '../../../src/cli/owner/loginFile.js';
import { OWNER_COMMANDS, ownerCommand } from '../../../src/cli/owner/run.js';
import { videoIdOf } from '../../../src/domain/shared/ids.js';
import type { AccessTokenScope } from '../../../src/ports/identity.js';
import { runProgram } from '../../../src/cli/program.js';
import { addVideo } from '../../support/contract/service.js';
import type { Client } from '../../support/graphql/client.js';
import { endOf } from '../../support/programs.js';
import { dhara as runDhara, type Ended, KeptTerminal } from '../../support/terminal.js';
import { GraphqlService } from '../graphql/service.js';
import { keepToken } from './keepToken.js';

const MAIN = resolve('dist/main.js');

let service: GraphqlService;
let owner: Client;
let configHome: string;

beforeAll(async () => {
  // Streams of a revoked token end soon.
  service = await GraphqlService.start({ streams: { heartbeatMs: 100 } });
  owner = await service.signedIn('owner@example.com');
});
afterAll(() => service.stop());
beforeEach(async () => {
  configHome = await mkdtemp(join(tmpdir(), 'dhara-cli-'));
});
afterEach(() => rm(configHome, { recursive: true }));

/** Runs `dhara <args>` with the environment of an owner, without the service's settings. */
const dhara = (args: readonly string[], input = ''): Promise<Ended> =>
  runDhara(args, { XDG_CONFIG_HOME: configHome }, input);

/** The same in its own process, from the build. */
async function spawned(args: readonly string[], input = ''): Promise<Ended> {
  const { PATH } = process.env;
  const child = spawn(process.execPath, [MAIN, ...args], { env: { PATH, XDG_CONFIG_HOME: configHome } });
  child.stdin.end(input);
  return endOf(child);
}

const loginFile = (): string => join(configHome, 'dhara', 'login.json');

async function logIn(scopes = 'read,manage', run = dhara): Promise<Ended> {
  const lines = 'owner@example.com\ncorrect horse battery\n';
  return run(['login', '--url', `${service.url}/somewhere`, '--scopes', scopes], lines);
}

const giveToken = (scopes: AccessTokenScope[]): Promise<void> => keepToken(service, owner, configHome, scopes);

describe('dhara login', () => {
  const live = () =>
    service.rows<{ n: number }>(
      'select count(*)::int as n from access_token where account_id = $1 and revoked_at is null',
      [owner.accountId],
    );

  it('stores a token that only its owner can read, and leaves no session', async () => {
    const sessions = 'select count(*)::int as n from auth.session';
    const [before] = await service.rows<{ n: number }>(sessions);
    const ended = await logIn('read,manage', spawned);
    expect(ended).toMatchObject({
      code: 0,
      out: `Logged in to ${service.url}. The access token is in ${loginFile()}.\n`,
    });
    expect((await stat(loginFile())).mode & 0o777).toBe(0o600);
    const kept = JSON.parse(await readFile(loginFile(), 'utf8')) as { token: string; url: string };
    expect(kept).toMatchObject({ url: service.url, token: expect.stringMatching(/^dpat_/) as string });
    expect(ended.err).not.toContain('correct horse');
    expect(await service.rows(sessions)).toEqual([before]);
  });

  it('makes the login file readable by its owner only, even if it existed', async () => {
    await mkdir(join(configHome, 'dhara'));
    for (const path of [loginFile(), `${loginFile()}.${process.pid}`]) await writeFile(path, 'old', { mode: 0o644 });
    await new LoginFile(loginFile()).write({ url: service.url, token: 'dpat_x', tokenId: 'x' });
    expect((await stat(loginFile())).mode & 0o777).toBe(0o600);
  });

  it('reports a wrong password, address or option, and stores nothing', async () => {
    const wrong = await dhara(['login', '--url', service.url], 'owner@example.com\nwrong password\n');
    expect(wrong).toMatchObject({ code: 1, out: '' });
    expect(wrong.err).toContain('dhara: Invalid email or password');
    const nowhere = await dhara(['login', '--url', 'http://127.0.0.1:1'], 'a@b.example\nx\n');
    expect(nowhere.code).toBe(1);
    expect(nowhere.err).toContain('Could not reach http://127.0.0.1:1');
    for (const args of [['--url', 'ftp://x'], ['--scopes', 'all'], ['--days', '0'], ['--nonsense'], ['extra']]) {
      expect((await dhara(['login', ...args])).code).toBe(2);
    }
    await expect(stat(loginFile())).rejects.toThrow('ENOENT');
  });

  it('leaves no token behind that it cannot keep', async () => {
    const before = await live();
    // A file is where the folder should be.
    await writeFile(join(configHome, 'dhara'), '');
    const ended = await logIn();
    expect(ended).toMatchObject({ code: 1, out: '' });
    expect(ended.err).toMatch(/dhara: (?:EEXIST|ENOTDIR).*\n$/);
    expect(await live()).toEqual(before);
  });

  it('revokes the token of an earlier login', async () => {
    const [before] = await live();
    await logIn();
    const first = await readFile(loginFile(), 'utf8');
    expect((await logIn()).code).toBe(0);
    expect(await readFile(loginFile(), 'utf8')).not.toBe(first);
    expect(await live()).toEqual([{ n: before!.n + 1 }]);
  });

  it('is undone by dhara logout, which revokes the token', async () => {
    await logIn();
    const { token } = JSON.parse(await readFile(loginFile(), 'utf8')) as { token: string };
    expect(await dhara(['logout'])).toMatchObject({ code: 0, out: 'Logged out.\n' });
    await expect(stat(loginFile())).rejects.toThrow('ENOENT');
    const response = await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: '{"query":"{ wallet { master } }"}',
    });
    expect(await response.text()).toContain('UNAUTHENTICATED');
    expect((await dhara(['logout'])).code).toBe(0);
  });
});

describe('commands without a login', () => {
  it.each(['videos', 'wallet', 'keys', 'quota', 'statement'])('exit with 3: dhara %s', async (name) => {
    expect(await dhara([name])).toEqual({ code: 3, out: '', err: 'dhara: You are not logged in. Run dhara login.\n' });
  });

  it('exit with 3 for a token that no longer works, and for a damaged login file', async () => {
    await mkdir(join(configHome, 'dhara'));
    await writeFile(loginFile(), JSON.stringify({ url: service.url, token: 'dpat_x', tokenId: 'x' }));
    expect(await dhara(['wallet'])).toMatchObject({ code: 3 });
    await writeFile(loginFile(), '{"url":');
    expect(await dhara(['wallet'])).toMatchObject({ code: 3 });
  });
});

describe('the owner’s commands', () => {
  it('list the bin and restore a video from it', async () => {
    await giveToken(['read', 'manage']);
    expect(await dhara(['bin'])).toMatchObject({ code: 0, out: 'The bin is empty.\n' });
    const id = videoIdOf(await addVideo(service.services.db, owner.accountId, { title: 'Deleted by mistake' }));
    await owner.data('mutation ($id: ID!) { deleteVideo(id: $id) }', { id });
    const [header, row] = (await dhara(['bin'])).out.split('\n');
    expect(header).toMatch(/^ID +TITLE +LENGTH +STORED +DELETED +GONE FOR GOOD$/);
    expect(row).toMatch(new RegExp(`^${id}  Deleted by mistake  1:31 `));
    expect(JSON.parse((await dhara(['bin', '--json'])).out)).toMatchObject([{ id, storedBytes: 0 }]);
    expect(await dhara(['restore-video', id])).toMatchObject({
      code: 0,
      out: 'Restored Deleted by mistake (ready).\n',
    });
    expect(await dhara(['restore-video', id])).toMatchObject({ code: 1, err: 'dhara: Video not found.\n' });
    expect((await dhara(['video', id])).code).toBe(0);
    await owner.data('mutation ($id: ID!) { deleteVideo(id: $id) }', { id });
    await owner.data('mutation { emptyBin { deleted } }');
  });

  it('show videos as a table and as JSON, a single video, and a token to play it', async () => {
    await logIn();
    const videoId = await addVideo(service.services.db, owner.accountId, { title: 'Tour\u001b[31m\nred' });
    for (let n = 0; n < 3; n += 1) await addVideo(service.services.db, owner.accountId, { title: `Part ${n}` });

    const listed = await dhara(['videos', '--limit', '4']);
    expect(listed).toMatchObject({ code: 0, err: '' });
    const lines = listed.out.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^ID +TITLE +STATUS +QUALITY +LENGTH +CREATED$/);
    expect(lines).toHaveLength(5);
    // Control characters of the terminal are left out.
    expect(lines[4]).toMatch(new RegExp(`^${videoIdOf(videoId)}  Tour red +ready +480p +1:31 +\\d{4}-`));
    expect(listed.out).not.toContain('\u001b');

    const json = await dhara(['videos', '--json', '--q', 'Part']);
    const parts = JSON.parse(json.out) as { status: string; quality: string }[];
    const ready = ['ready', '480p'];
    expect(parts.map(({ status, quality }) => [status, quality])).toEqual([ready, ready, ready]);
    expect(await dhara(['videos', '--status', 'failed'])).toMatchObject({ code: 0, out: 'No videos.\n' });
    expect(await dhara(['videos', '--status', 'broken'])).toMatchObject({ code: 2 });

    const one = await dhara(['video', videoIdOf(videoId)]);
    expect(one.out).toContain('Status   ready\n');
    const whole = JSON.parse((await dhara(['video', videoId, '--json'])).out) as object;
    expect(whole).toMatchObject({ status: 'ready', quality: '480p', playableRungs: ['audio', '480p'] });
    const missing = await dhara(['video', 'vid_none']);
    expect(missing).toMatchObject({ code: 1, err: 'dhara: Video not found.\n' });
    expect((await dhara(['video'])).code).toBe(2);

    const minted = await dhara(['token', videoId]);
    expect(minted.out).toMatch(/^eyJ[\w-]+\.[\w-]+\.[\w-]+\n$/);
    const played = await dhara(['play', videoId, '--print', '--json']);
    const { url, token } = JSON.parse(played.out) as { url: string; token: string };
    expect(url).toBe(`${service.url}/watch#${token}`);

    await service.services.playback.manifest(
      token,
      {},
      { address: undefined, userAgent: undefined, country: undefined },
    );
    await service.services.views.flush();
    const { out } = await dhara(['explain', token]);
    expect(out).toMatch(
      /\ntogether +passed +The token can be exchanged, and the video plays\.\n\nSTORY +AT \(UTC\) +WHAT\n/,
    );
    expect(out).toMatch(/\nminted +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +The token was created in the dashboard\.\n/);
    expect(out).toMatch(/\ntogether +- +The token was exchanged, and the player has reported nothing since\.\n$/);
    const { viewId } = JSON.parse((await dhara(['explain', token, '--json'])).out) as { viewId: string };
    const view = JSON.parse((await dhara(['explain', viewId, '--json'])).out) as object;
    expect(view).toMatchObject({ subject: 'VIEW', viewId, story: { steps: [{ step: 'MINTED' }, {}, {}] } });
  });

  it('show money and keys', async () => {
    await logIn('read');
    await service.services.keys.create(owner.accountId, { name: 'website' });
    const balances = await dhara(['wallet']);
    expect(balances.out).toMatch(/^Unallocated +0$/m);
    expect(balances.out).toMatch(/^Storage +0 KB, 0 credits a day$/m);
    expect(await dhara(['statement'])).toMatchObject({ code: 0, out: 'No ledger entries.\n' });
    expect((await dhara(['keys'])).out).toMatch(/website +dk_\w+…\w{4}/);
    expect((await dhara(['quota'])).out).toMatch(/website +dk_\w+…\w{4} +0 +1000\n/);
    const listed = await service.services.keys.list(owner.accountId);
    const explained = await dhara(['explain', listed[0]!.id]);
    expect(explained.out).toMatch(/^RULE +RESULT +WHY +COMPARED\nkey +passed +The key is in use\./);
    expect(explained.out).toMatch(/\ntogether +passed +The key can create playback tokens\.\n$/);
    const asJson = await dhara(['explain', 'nonsense', '--json']);
    expect(JSON.parse(asJson.out)).toMatchObject({ subject: 'UNKNOWN', rules: [] });
    // A token with the scope read cannot play videos.
    expect(await dhara(['token', 'vid_none'])).toMatchObject({
      code: 1,
      err: 'dhara: This access token does not have the scope manage.\n',
    });
  });
});

describe('dhara events and dhara listen', () => {
  it('list events of the requested types, newest first', async () => {
    await logIn('read');
    const { record } = await service.services.keys.create(owner.accountId, { name: 'events' });
    await service.services.keys.revoke(owner.accountId, record.id);
    const listed = await dhara(['events', '--limit', '2']);
    const [header, newest, older] = listed.out.split('\n');
    expect(header).toMatch(/^WHEN \(UTC\) +TYPE +ID +WHAT$/);
    expect(newest).toMatch(new RegExp(`key\\.revoked +evt_[0-9a-f]{32} +${record.id}$`));
    expect(older).toContain('key.created');
    const created = await dhara(['events', '--types', 'key.created', '--json']);
    const types = (JSON.parse(created.out) as { type: string }[]).map(({ type }) => type);
    expect(new Set(types)).toEqual(new Set(['key.created']));
    expect(await dhara(['events', '--follow', '--limit', '2'])).toMatchObject({ code: 2, out: '' });
  });

  it('post signed events to a program on this machine, in order, each once', async () => {
    await giveToken(['read']);
    const received: { body: string; headers: Record<string, string> }[] = [];
    const receiver = await listen(
      (req, res) => {
        let body = '';
        req.on('data', (chunk: Buffer) => (body += chunk.toString()));
        req.on('end', () => {
          received.push({ body, headers: req.headers as Record<string, string> });
          res.writeHead(received.length === 1 ? 500 : 204);
          res.end();
        });
      },
      '127.0.0.1',
      0,
    );
    const forward = `http://127.0.0.1:${receiver.port}/hooks`;
    const terminal = new KeptTerminal({ XDG_CONFIG_HOME: configHome });
    const follower = new KeptTerminal({ XDG_CONFIG_HOME: configHome });
    const ended = Promise.all([
      runProgram(['listen', '--forward', forward], terminal),
      runProgram(['events', '--follow', '--types', 'key.revoked', '--json'], follower),
    ]);
    try {
      await expect.poll(() => terminal.out).toContain('Forwarding events to');
      const secret = /whsec_\S+/.exec(terminal.out)![0];
      // The program prints nothing when it starts to listen, so create events until some come.
      const names: string[] = [];
      await expect
        .poll(
          async () => {
            const name = `forwarded ${names.length}`;
            const { record } = await service.services.keys.create(owner.accountId, { name });
            await service.services.keys.revoke(owner.accountId, record.id);
            names.push(name);
            return received.length > 3 && follower.out.includes('key.revoked');
          },
          { interval: 250 },
        )
        .toBe(true);
      const events = received.map(({ body, headers }) => new Webhook(secret).verify(body, headers) as { id: string });
      expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
      await expect.poll(() => terminal.out).toMatch(/key\.created .*  500\n[^]*  204\n/);
      // One event on each line.
      const followed = follower.out.trimEnd().split('\n');
      expect(followed.map((line) => (JSON.parse(line) as { type: string }).type)).toContain('key.revoked');
      expect(follower.out).not.toContain('key.created');
    } finally {
      await dhara(['logout']);
      // Its token is revoked.
      expect(await ended).toEqual([3, 3]);
      await receiver.stop(1_000);
    }
    expect(terminal.err).toBe('dhara: The access token no longer works. Run dhara login.\n');
  });

  it('require an address to post to, and a well-formed secret', async () => {
    for (const args of [[], ['--forward', 'x'], ['--forward', 'http://127.0.0.1:1', '--secret', 'short']]) {
      expect((await dhara(['listen', ...args])).code).toBe(2);
    }
  });
});

describe('the dhara program', () => {
  it('exits with 2 for every invalid command', async () => {
    await giveToken(['read', 'manage']);
    for (const command of OWNER_COMMANDS) {
      const positionals = command.positionals.map(() => 'x');
      for (const args of [[...positionals, '--nonsense'], [...positionals, 'more'], positionals.slice(1)]) {
        if (command.positionals.length === 0 && args.length === 0) continue;
        expect([command.name, args, (await dhara([command.name, ...args])).code]).toEqual([command.name, args, 2]);
      }
      for (const [name, { type }] of Object.entries(command.options)) {
        const args = [...positionals, type === 'string' ? `--${name}` : `--${name}=yes`];
        expect([command.name, args, (await dhara([command.name, ...args])).code]).toEqual([command.name, args, 2]);
      }
    }
    for (const limit of ['0', '-1', '1.5', '1e3', '10001', '٣', '', 'ten']) {
      expect([limit, (await dhara(['videos', `--limit=${limit}`])).code]).toEqual([limit, 2]);
    }
    for (const args of [
      ['login', '--days', '366'],
      ['videos', '--status', 'gone'],
      ['events', '--types', 'key.stolen'],
      ['events', '--types', 'key.created,'],
      ['events', '--follow', '--types', 'constructor'],
      ['listen', '--forward', 'http://127.0.0.1:1', '--types', 'key.stolen'],
      ['fault', 'clock-moved', '--by', '0s'],
      ['fault', 'clock-moved', '--by', '1y'],
      ['completion', 'tcsh'],
    ]) {
      expect([args, await dhara(args)]).toEqual([args, expect.objectContaining({ code: 2, out: '' })]);
    }
  });

  it('prints errors as JSON for programs, on standard error', async () => {
    const failed = async (...args: string[]) => {
      const { out, err } = await dhara([...args, '--json']);
      expect([out, err.split('\n').length]).toEqual(['', 2]);
      return (JSON.parse(err) as { error: object }).error;
    };
    expect(await failed('wallet')).toEqual({
      code: 'NOT_LOGGED_IN',
      message: 'You are not logged in. Run dhara login.',
    });
    expect((await dhara(['wallet', '--json'])).code).toBe(3);
    await giveToken(['read']);
    expect(await failed('video', 'vid_none')).toEqual({ code: 'VIDEO_NOT_FOUND', message: 'Video not found.' });
    expect(await failed('videos', '--limit', '0')).toMatchObject({ code: 'USAGE' });
    expect(await failed('dance')).toMatchObject({ code: 'USAGE' });
  });

  it('has the exit codes of its commands as a process', async () => {
    expect(await spawned(['wallet'])).toEqual({
      code: 3,
      out: '',
      err: 'dhara: You are not logged in. Run dhara login.\n',
    });
    await giveToken(['read']);
    expect((await spawned(['wallet'])).out).toMatch(/^Unallocated +0$/m);
    expect((await spawned(['videos', '--nonsense'])).code).toBe(2);
    expect((await spawned(['video', 'vid_none'])).code).toBe(1);
  });

  it('keeps the operator’s commands, and lists the owner’s commands in its help', async () => {
    const help = await dhara(['--help']);
    expect(help.out).toContain('keys rotate');
    expect(help.out).toContain('Commands for owners');
    expect(ownerCommand(['keys', 'rotate'])).toBeUndefined();
    expect(ownerCommand(['keys', '--json'])?.name).toBe('keys');
  });
});
