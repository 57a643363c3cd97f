import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { videoIdOf } from '../../../src/domain/shared/ids.js';
import { addVideo, openCustomer, type RestService, startRestService } from '../../support/contract/service.js';
import { IS_FULL } from '../../support/effort.js';
import { endOf, hasPrograms } from '../../support/programs.js';

const FOLDER = 'docs/examples';
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const BODY = '{"id":"evt_1","type":"video.ready","data":{"title":"Fête 🎬"}}';
/** How to run each language, and the Debian package that provides it. */
const LANGUAGES: Readonly<Record<string, { command: string[]; debian: string }>> = {
  go: { command: ['go', 'run'], debian: 'golang-go' },
  mjs: { command: [process.execPath], debian: '' },
  php: { command: ['php'], debian: 'php-cli' },
  py: { command: ['python3'], debian: 'python3' },
  rb: { command: ['ruby'], debian: 'ruby' },
  sh: { command: ['bash'], debian: 'jq' },
};
const files = readdirSync(FOLDER).filter((name) => /\.\w+$/.test(name) && !name.endsWith('.md'));

let home: string;
let service: RestService;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'dhara-examples-'));
  service = await startRestService();
});
afterAll(async () => {
  await service.stop();
  await rm(home, { recursive: true, force: true });
});

function languageOf(file: string) {
  return LANGUAGES[file.slice(file.lastIndexOf('.') + 1)]!;
}

function isThere(file: string): boolean {
  const { command, debian } = languageOf(file);
  return hasPrograms([command[0]!, ...(debian === 'jq' ? ['jq'] : [])], debian);
}

/** Does not block, because the service that it calls is in this process. */
async function run(file: string, args: readonly string[], env: Record<string, string>, input = '') {
  const [program, ...options] = languageOf(file).command;
  const { PATH } = process.env;
  const child = spawn(program!, [...options, join(FOLDER, file), ...args], { env: { PATH, HOME: home, ...env } });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  return endOf(child);
}

it('the examples are in every language, and `TEST_FULL=1` runs all of them', () => {
  const languages = Object.keys(LANGUAGES).toSorted();
  const of = (kind: string) => files.filter((name) => name.startsWith(kind)).map((name) => name.split('.')[1]!);
  expect(of('playback_token').toSorted()).toEqual(languages);
  // curl receives nothing.
  expect(of('verify_webhook').toSorted()).toEqual(languages.filter((language) => language !== 'sh'));
  expect(files).toHaveLength(2 * languages.length - 1);
  if (IS_FULL) expect(files.filter((file) => !isThere(file))).toEqual([]);
});

describe.each(files.filter((name) => name.startsWith('playback_token')))('%s', (file) => {
  it.runIf(isThere(file))('creates a token for the newest ready video, or explains why it cannot', async () => {
    const { accountId, key } = await openCustomer(service);
    const none = await run(file, [], { DHARA_URL: service.url, DHARA_KEY: key });
    expect(none).toMatchObject({ code: 1, out: '', err: expect.stringContaining('No video is ready') as string });
    const id = await addVideo(service.db, accountId, { createdAt: '2026-05-01T00:00:00Z' });
    await addVideo(service.db, accountId, { status: 'queued' });
    const ended = await run(file, [], { DHARA_URL: service.url, DHARA_KEY: key });
    expect(ended).toMatchObject({ code: 0, err: '' });
    const [video, token, left] = ended.out.trimEnd().split('\n');
    expect([video, left]).toEqual([`video ${videoIdOf(id)}`, 'left 999']);
    expect((await service.playback.manifest(token!.replace('token ', ''), {})).videoId).toBe(videoIdOf(id));

    const refused = await run(file, [], { DHARA_URL: service.url, DHARA_KEY: 'dk_live_wrong' });
    expect(refused.out + refused.err).toContain('INVALID_API_KEY');
  });
});

describe.each(files.filter((name) => name.startsWith('verify_webhook')))('%s', (file) => {
  it.runIf(isThere(file))('accepts what the secret has signed, and nothing else', async () => {
    const at = new Date();
    const timestamp = String(Math.floor(at.getTime() / 1_000));
    const signature = new Webhook(SECRET).sign('msg_1', at, BODY);
    const verify = (args: string[], body = BODY) => run(file, args, { DHARA_WEBHOOK_SECRET: SECRET }, body);
    expect(await verify(['msg_1', timestamp, `v1,AAAA ${signature}`])).toMatchObject({
      code: 0,
      out: 'video.ready\n',
    });
    const old = String(Number(timestamp) - 301);
    const wrong: [string[], string?][] = [
      [['msg_2', timestamp, signature]],
      [['msg_1', timestamp, signature], `${BODY} `],
      [['msg_1', timestamp, 'v1,AAAA']],
      [['msg_1', old, new Webhook(SECRET).sign('msg_1', new Date(Number(old) * 1_000), BODY)]],
    ];
    for (const [args, body] of wrong) {
      const refused = await verify(args, body);
      expect(refused.code).toBe(1);
      expect(refused.err).toContain('not from Dhara');
    }
    // Anybody can sign with an empty key.
    const forged = `v1,${createHmac('sha256', '').update(`msg_1.${timestamp}.${BODY}`).digest('base64')}`;
    for (const secret of ['', 'whsec_']) {
      const refused = await run(file, ['msg_1', timestamp, forged], { DHARA_WEBHOOK_SECRET: secret }, BODY);
      expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringContaining('not from Dhara') as string });
    }
  });
});
