import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { OpenApiDocument } from '../../../src/api/rest/docs/openapiTypes.js';
import { helpText } from '../../../src/cli/help.js';
import { serve } from '../../../src/cli/serve.js';
import { loadConfig } from '../../../src/config/config.js';
import { findFreePort } from '../../support/freePort.js';
import type { DoctorReport } from '../../../src/domain/operations/doctor/doctor.js';
import { ALL_EVENT_TYPES } from '../../../src/domain/shared/events/eventTypes.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { dhara as runDhara, type Ended, KeptTerminal } from '../../support/terminal.js';
import { DoctorScene, stuck } from '../../db/doctor/scene.js';

let scene: DoctorScene;
/** As the commands get them beside a running service: the same database, folders and master key. */
let settings: Record<string, string>;

beforeAll(async () => {
  scene = await DoctorScene.open();
  settings = {
    NODE_ENV: 'test',
    PAYMENT_SANDBOX: 'true',
    DATA_DIR: scene.dataDir,
    DATABASE_URL: scene.database.runtimeUrl,
    DATABASE_MIGRATION_URL: scene.database.migrationUrl,
    MASTER_KEY: scene.masterKey.toString('base64'),
  };
});
afterAll(() => scene?.close());

const dhara = (...args: string[]): Promise<Ended> => runDhara(args, settings);

describe('the command line', () => {
  it('prints its help without a command, and with --help anywhere', async () => {
    for (const args of [[], ['help'], ['--help'], ['ledger', 'verify', '-h']]) {
      expect(await dhara(...args)).toEqual({ code: 0, out: helpText(), err: '' });
    }
  });

  it.each([
    [['dance'], 'Unknown command "dance". Run dhara --help for the list.'],
    [['--nonsense'], 'Unknown command "--nonsense". Run dhara --help for the list.'],
    [['ledger', 'burn'], 'Unknown command "ledger burn". Run dhara --help for the list.'],
    [['ledger', 'verify', 'twice'], 'Unknown command "ledger verify twice". Run dhara --help for the list.'],
    [['keys', 'rotate', '--now'], 'Unknown command "keys rotate --now". Run dhara --help for the list.'],
    [['user', 'promote', 'a@example.com'], 'Usage: dhara user promote <email> --role support|owner'],
    [['user', 'promote', 'a@example.com', '--role', 'owner', 'x'], 'Usage: dhara user promote <email> --role'],
    [['ledger', 'reconcile-seals', '--blocks', '1-2'], 'Usage: dhara ledger reconcile-seals'],
    [['ledger', 'reconcile-seals', '--blocks', 'all', '--reason', 'x'], 'Usage: dhara ledger reconcile-seals'],
    [['clock', 'accept'], 'Usage: dhara clock '],
    [['clock', 'accept', '--today', '2027-02-30', '--reason', 'x'], '--today must be a day such as 2026-11-23.'],
    [['storage', 'run', '--from', '2027-01-01'], 'Usage: dhara storage run'],
    [['storage', 'run', '--date', '2027-13-01'], '--date must be a day such as 2026-11-23.'],
    [['storage', 'reverse', '--from', 'yesterday'], '--from must be a day such as 2026-11-23.'],
    [['store', 'burn'], 'Usage: dhara store move'],
    [['erase', '--account', 'a@example.com'], 'Usage: dhara erase'],
    [['personal-data', '--to', 'x'], 'Usage: dhara personal-data'],
    [['export', '--to', 'x'], 'Usage: dhara export'],
    [['import', '--from', 'x', '--key', 'ed25519:x'], '--key must be the public key'],
    [['plan'], 'Usage: dhara plan'],
    [['plan', 'x.mp4', '--quality', '8k'], 'Usage: dhara plan'],
    [['migrate', '--now'], 'Usage: dhara migrate [--dry-run]'],
    [['all', '--port', '80'], 'Usage: dhara all'],
    [['api', 'now'], 'Usage: dhara api'],
    [['worker', '--fast'], 'Usage: dhara worker'],
    [['doctor', '--fix'], 'Usage: dhara doctor [--repair] [--json]'],
    [['backup'], 'Usage: dhara backup --repository REPOSITORY [--init] [--keep-days N]   or   dhara backup --to FILE'],
    [['backup', '--repository', 'x', '--keep-days', '0'], '--keep-days must be a number from 1 to'],
    [['backup', '--to', 'x', '--fast'], 'Usage: dhara backup --to FILE'],
    [['restore', '--repository', 'x', '--at', 'noon'], '--at must be a time with its zone'],
    [
      ['restore', '--replace'],
      'Usage: dhara restore --repository REPOSITORY [--snapshot ID | --at TIME]   or   dhara restore',
    ],
  ])('exits with 2 for %j, whatever the settings are, and says why in one line', async (args, message) => {
    const { code, out, err } = await runDhara(args, { ...settings, PORT: 'x' });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(`dhara: ${message}`);
    expect(err).not.toContain('    at ');
    const json = await dhara(...args, '--json');
    expect(json).toMatchObject({ code: 2, out: '' });
    expect(JSON.parse(json.err)).toEqual({ error: { code: 'USAGE', message: expect.any(String) as string } });
  });

  it.each([
    [['store', 'edge'], 'The edge script reads from the S3 store: STORE must be s3.'],
    [
      ['backup', '--to', 'x'],
      'DATABASE_URL names your own database, which is not backed up to a file: see docs/backups.md.',
    ],
    [['restore', '--from', 'x'], 'DATABASE_URL names your own database'],
    [['plan', '/nowhere.mp4'], 'There is no file /nowhere.mp4.'],
  ])('exits with 1 for %j, which is typed correctly, and says why in one line', async (args, message) => {
    const { code, out, err } = await dhara(...args);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(`dhara: ${message}`);
    expect(err).not.toContain('    at ');
  });

  it('reports a wrong setting, and a database that does not respond, in one line', async () => {
    expect(await runDhara(['migrate'], { ...settings, PORT: 'x' })).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^dhara: Wrong setting\. PORT: .*\n$/) as string,
    });
    const nowhere = `postgres://dhara@127.0.0.1:${await findFreePort()}/dhara`;
    const away = await runDhara(['ledger', 'verify'], { ...settings, DATABASE_URL: nowhere });
    expect(away).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/^dhara: .*ECONNREFUSED.*\n$/) as string,
    });
  });

  it('brings the database up to date, any number of times', async () => {
    for (let n = 0; n < 2; n += 1) {
      expect(await dhara('migrate')).toEqual({ code: 0, out: 'The database is up to date.\n', err: '' });
    }
  });
});

describe('dhara user promote', () => {
  it('gives a user the role, and reports an unknown address', async () => {
    const user = { email: 'ana@example.com', password: 'correct horse battery', name: 'Ana', emailVerified: true };
    const accountId = await scene.app.identity.createUser(user);
    expect(await dhara('user', 'promote', user.email, '--role', 'support')).toEqual({
      code: 0,
      out: 'ana@example.com has the role support.\n',
      err: '',
    });
    expect(await scene.sql('select role from account where id = $1', [accountId])).toEqual([{ role: 'support' }]);
    expect(await dhara('user', 'promote', 'nobody@example.com', '--role', 'owner')).toEqual({
      code: 1,
      out: '',
      err: 'dhara: No user has the address nobody@example.com.\n',
    });
  });
});

describe('dhara keys', () => {
  it('rotate publishes a new key', async () => {
    const published = () => scene.sql('select kid from playback_signing_key order by signs_from');
    const before = await published();
    const { code, out } = await dhara('keys', 'rotate');
    expect(code).toBe(0);
    const kid = /^Key (\S+) is published and signs from \d{4}-\d\d-\d\dT\S+Z\.\n$/.exec(out)![1];
    expect(await published()).toEqual([...before, { kid }]);
  });

  it('rewrap encrypts the secrets under the current master key', async () => {
    const same = await dhara('keys', 'rewrap');
    const count = /^Encrypted 0 secrets under the current master key; (\d+) already were\.\nOnce all/.exec(
      same.out,
    )![1]!;
    expect(Number(count)).toBeGreaterThan(0);
    const next = {
      ...settings,
      MASTER_KEY: randomBytes(32).toString('base64'),
      MASTER_KEY_PREVIOUS: settings['MASTER_KEY']!,
    };
    expect((await runDhara(['keys', 'rewrap'], next)).out).toContain(`Encrypted ${count} secrets`);
    const back = { ...settings, MASTER_KEY_PREVIOUS: next.MASTER_KEY };
    expect((await runDhara(['keys', 'rewrap'], back)).out).toContain(`Encrypted ${count} secrets`);
  });
});

describe('dhara ledger', () => {
  it('seals what was posted, and verifies the books', async () => {
    expect((await dhara('ledger', 'seal')).out).toMatch(/^Block 1 seals 4 entries of 1 owners: [0-9a-f]{64}\n$/);
    expect(await dhara('ledger', 'seal')).toMatchObject({ code: 0, out: 'Nothing was posted since the last block.\n' });
    expect(await dhara('ledger', 'verify')).toMatchObject({
      code: 0,
      out: 'The ledger is correct: 2 transactions, 4 entries.\n',
    });
    expect(await dhara('ledger', 'reconcile-seals')).toMatchObject({
      code: 0,
      out: 'The archive of seals and the database agree.\n',
    });
  });
});

describe('dhara clock and dhara storage', () => {
  it('show a clock that is trusted, and that no day is due', async () => {
    const clock = await dhara('clock');
    expect(clock.out).toMatch(/^The database's clock reads \d{4}-\S+Z; this machine's \d{4}-\S+Z\.\n$/);
    expect(clock.code).toBe(0);
    expect(await dhara('storage', 'run')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/No day is due/) as string,
    });
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    expect((await dhara('clock', 'accept', '--today', tomorrow, '--reason', 'no')).err).toMatch(
      /^dhara: The database’s clock reads .*Correct it first\.\n$/,
    );
  });
});

describe('dhara doctor', () => {
  it('exits with 1 and says what is stuck; exits with 0 with --repair, and from then on', async () => {
    const prefix = `videos/${scene.account}/${newId()}/1-1/`;
    await scene.object(`${prefix}480p/init.mp4`);

    const sick = await dhara('doctor');
    expect(sick.code).toBe(1);
    expect(sick.out).toContain('FOUND orphan-objects: objects in the store that no row, run or upload owns (1)');
    expect(sick.out).toContain(prefix);
    expect(sick.out).toContain('--repair: ');

    const repaired = await dhara('doctor', '--repair');
    expect(repaired.out).toContain('REPAIRED orphan-objects');
    expect(repaired.out).toContain('Nothing is stuck.');
    expect(repaired.code).toBe(0);

    const well = await dhara('doctor', '--json');
    const report = JSON.parse(well.out) as DoctorReport;
    expect(stuck(report)).toEqual([]);
    expect(report.healthy).toBe(true);
    expect(well.code).toBe(0);
  });

  it('reports why the service cannot be built, and still runs the checks of the database', async () => {
    const keys = await scene.admin.query<{ kid: string; encrypted_private_jwk: Buffer }>(
      'select kid, encrypted_private_jwk from playback_signing_key',
    );
    await scene.sql(`update playback_signing_key set encrypted_private_jwk = '\\x00'`);
    const { code, out } = await dhara('doctor', '--json');
    for (const { kid, encrypted_private_jwk: jwk } of keys.rows) {
      await scene.sql('update playback_signing_key set encrypted_private_jwk = $2 where kid = $1', [kid, jwk]);
    }
    expect(code).toBe(1);
    const { checks } = JSON.parse(out) as DoctorReport;
    expect(checks.find(({ name }) => name === 'service')!.findings.rows[0]!.why).toContain('master key');
    expect(checks.find(({ name }) => name === 'alerts')).toMatchObject({ error: null, findings: { count: 0 } });
  });
});

describe('a service', () => {
  beforeAll(async () => {
    const root = join(import.meta.dirname, '../../..');
    await promisify(execFile)(process.execPath, ['src/setup/build.mjs', 'dashboard', 'player'], { cwd: root });
  });

  it('serves dashboard, /v1, GraphQL and metrics until it is told to stop, and says where', async () => {
    const [port, metricsPort] = [await findFreePort(), await findFreePort()];
    const config = loadConfig({
      ...settings,
      PATH: process.env['PATH'],
      PORT: `${port}`,
      METRICS_PORT: `${metricsPort}`,
    });
    const { runtimeUrl, migrationUrl } = scene.database;
    const database = { runtimeUrl, migrationUrl, embedded: false, close: async () => undefined };
    const stopping = new AbortController();
    const terminal = new KeptTerminal({});
    const logger = pino({ level: 'silent' });
    const served = serve({ role: 'all', config, database, stopping: stopping.signal, logger, terminal });
    const url = `http://localhost:${port}`;
    try {
      await Promise.race([served, expect.poll(() => terminal.out).toBe(`\nDhara is ready: ${url}\n`)]);
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
      expect(await (await fetch(url, { headers: { accept: 'text/html' } })).text()).toContain('<title>Dhara</title>');
      expect((await fetch(`${url}/v1/video`)).status).toBe(401);
      const { webhooks } = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApiDocument;
      expect(Object.keys(webhooks)).toEqual(ALL_EVENT_TYPES);
      for (const [type, { post }] of Object.entries(webhooks)) {
        const schema = await fetch(post.externalDocs.url);
        expect([type, schema.status]).toEqual([type, 200]);
        expect(await schema.json()).toMatchObject({ title: type, properties: { type: { const: type } } });
      }
      const player = await fetch(`${url}/player/dhara-player.mjs`);
      expect([player.status, player.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
      const asked = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"query":"{ viewer { email } }"}',
      });
      expect(await asked.json()).toMatchObject({ data: { viewer: null } });
      expect(await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()).toContain('dhara_');
    } finally {
      stopping.abort();
      await served;
    }
    await expect(fetch(`${url}/readyz`)).rejects.toThrow('fetch failed');
  });
});

describe('dhara ledger verify', () => {
  // Last, because the service raises alerts about it.
  it('names the rows that are wrong', async () => {
    const forge = (by: number) =>
      scene.admin.query(
        `begin; set local session_replication_role = replica;
         update ledger_account set balance = balance + ${by}
           where account_no = 1 and owner_id = '${scene.account}'; commit`,
      );
    await forge(7);
    try {
      const { code, out } = await dhara('ledger', 'verify');
      expect(code).toBe(1);
      const [first, ...rows] = out.trimEnd().split('\n');
      expect(first).toBe('Ledger verification failed (2 transactions, 4 entries). Wrong rows:');
      expect(rows.join()).toContain(scene.account);
    } finally {
      await forge(-7);
    }
  });
});
