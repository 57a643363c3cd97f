import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { findFreePort } from '../../support/freePort.js';
import { newId, videoIdOf } from '../../../src/domain/shared/ids.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { schemaLines } from '../../support/database/schemaLines.js';
import { makeDataDir } from '../../support/dataDir.js';
import { LONG_WAIT_MS } from '../../support/deadlines.js';
import { Client } from '../../support/graphql/client.js';
import { makeClip, mediaFolder } from '../../support/media.js';
import { ALLOCATE_HALF, type Owner, signUpOwner } from '../../support/owner.js';
import { ServiceProcess } from '../../support/service.js';
import { createVideo, sendFile } from '../../support/uploads/clip.js';
import { buildVersion, findVersionBefore } from '../../support/versionBefore.js';

const before = await findVersionBefore();
/** Of each kind, in each phase. */
const ENOUGH = 20;
const PAUSE_MS = 50;
const CREDIT = 1_000_000n;

type Version = 'before' | 'now';
type Kind = 'token' | 'list' | 'posting';

/** What two API processes behind a balancer get: each request goes to one of those that are in service. */
class Load {
  readonly done: Record<Kind, number> = { token: 0, list: 0, posting: 0 };
  readonly failures: string[] = [];
  /** Requests without a response. */
  readonly #underway = new Map<ServiceProcess, number>();
  readonly #stopped = new AbortController();
  readonly #running: Promise<void>[];
  #nth = 0;

  constructor(
    private readonly inService: readonly (ServiceProcess | null)[],
    requests: Readonly<Record<Kind, (url: string) => Promise<Response>>>,
  ) {
    this.#running = (Object.keys(requests) as Kind[]).map((kind) => this.#send(kind, requests[kind]));
  }

  async #send(kind: Kind, request: (url: string) => Promise<Response>): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      const processes = this.inService.filter((process) => process !== null);
      const process = processes[this.#nth++ % processes.length]!;
      this.#count(process, 1);
      try {
        const response = await request(process.url);
        const text = await response.text();
        if (!response.ok || text.includes('"errors"')) this.failures.push(`${kind}: ${response.status} ${text}`);
        else this.done[kind] += 1;
      } catch (error) {
        this.failures.push(`${kind}: ${String(error)} ${String((error as Error).cause)}`);
      } finally {
        this.#count(process, -1);
      }
      await delay(PAUSE_MS);
    }
  }

  #count(process: ServiceProcess, change: 1 | -1): void {
    this.#underway.set(process, (this.#underway.get(process) ?? 0) + change);
  }

  /** Resolves when a process that is no longer in service has answered all it was sent. */
  async left(process: ServiceProcess): Promise<void> {
    await process.until(() => (this.#underway.get(process) ?? 0) === 0, 'it has answered everything');
  }

  /** Resolves when as many as a phase needs have been answered from now on. */
  async continues(): Promise<void> {
    const from = { ...this.done };
    const enough = () => (Object.keys(from) as Kind[]).every((kind) => this.done[kind] >= from[kind] + ENOUGH);
    const deadline = performance.now() + LONG_WAIT_MS;
    while (!enough() && this.failures.length === 0 && performance.now() < deadline) await delay(PAUSE_MS);
    expect(this.failures).toEqual([]);
    expect(enough()).toBe(true);
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await Promise.all(this.#running);
  }
}

describe.skipIf(typeof before === 'string')(
  `the previous version${typeof before === 'string' ? ` (${before})` : ''}`,
  () => {
    let database: TestDatabase;
    let owner: pg.Client;
    let data: Awaited<ReturnType<typeof makeDataDir>>;
    let settings: Record<string, string>;
    let folders: Record<Version, string | undefined>;
    const apis: (ServiceProcess | null)[] = [null, null];
    let worker: ServiceProcess | null = null;
    let customer: Owner;
    let clip: Buffer;
    const ended: ServiceProcess[] = [];

    beforeAll(async () => {
      if (typeof before === 'string') return;
      folders = { before: await buildVersion(before), now: undefined };
      data = await makeDataDir('dhara-rolling-');
      await using folder = await mediaFolder();
      clip = await readFile(await makeClip(folder.path, { durationSeconds: 1, width: 320, height: 240 }));
      database = await createTestDatabase('empty');
      owner = new pg.Client({ connectionString: database.migrationUrl });
      await owner.connect();
      settings = {
        DATA_DIR: data.path,
        DATABASE_URL: database.runtimeUrl,
        DATABASE_MIGRATION_URL: database.migrationUrl,
        MASTER_KEY: randomBytes(32).toString('base64'),
        PUBLIC_URL: `http://localhost:${await findFreePort()}`,
      };
    });

    afterAll(async () => {
      for (const process of [...apis, worker]) await process?.stop('SIGKILL');
      await owner?.end();
      await database?.drop();
      await data?.remove();
    });

    async function start(version: Version, ...args: string[]): Promise<ServiceProcess> {
      const own = { ...settings, DATA_DIR: data.path, PORT: String(await findFreePort()) };
      return ServiceProcess.start(args, own, { root: folders[version] });
    }

    async function command(version: Version, ...args: string[]): Promise<string> {
      const process = await start(version, ...args);
      expect(await process.exit(), process.output).toBe(0);
      return process.output;
    }

    async function startApi(nth: number, version: Version): Promise<void> {
      const next = await start(version, 'api');
      await next.ready();
      apis[nth] = next;
    }

    /**
     * Starts the new process, puts it into service, waits for the responses of the old one and ends it, as a balancer does:
     * a request into a connection that its server closes would fail.
     */
    async function replaceApi(nth: number, version: Version, load: Load): Promise<void> {
      const last = apis[nth]!;
      await startApi(nth, version);
      await load.left(last);
      await end(last);
    }

    async function replaceWorker(version: Version): Promise<void> {
      const next = await start(version, 'worker');
      await next.started();
      if (worker !== null) await end(worker);
      worker = next;
    }

    /** A clip that its owner has bought already, and that a worker measures and processes. @returns its id */
    async function upload(): Promise<string> {
      const client = new Client(apis[0]!.url, customer.cookie);
      const input = { filename: 'clip.mp4', sizeBytes: clip.length, quality: 'P480', autoProcess: true };
      const { id, uploadUrl } = await createVideo(client, input);
      await sendFile(client, uploadUrl, clip, settings['PUBLIC_URL']);
      return id;
    }

    async function ready(id: string): Promise<void> {
      await apis[0]!.until(async () => {
        const client = new Client(apis[0]!.url, customer.cookie);
        const { video } = await client.data('query ($id: ID!) { video(id: $id) { status } }', { id });
        return video.status === 'READY';
      }, 'the clip is ready');
    }

    /** Each charge for a clip. */
    async function charges(): Promise<{ id: string; micros: bigint }[]> {
      const { rows } = await owner.query<{ video: string; micros: string }>(
        `select t.reference as video, (-e.delta)::text as micros
         from ledger_tx t join ledger_entry e on e.owner_id = t.owner_id and e.tx_id = t.tx_id
         where t.owner_id = $1 and t.type = 'ESCROW_SETTLE' and e.delta < 0 order by t.created_at`,
        [customer.accountId],
      );
      return rows.map(({ video, micros }) => ({ id: videoIdOf(video), micros: BigInt(micros) }));
    }

    /** Of a database that this version migrated from empty. */
    async function newSchema(): Promise<string[]> {
      const fresh = await createTestDatabase();
      const client = new pg.Client({ connectionString: fresh.migrationUrl });
      await client.connect();
      try {
        return await schemaLines(client, { rights: true });
      } finally {
        await client.end();
        await fresh.drop();
      }
    }

    async function end(process: ServiceProcess): Promise<void> {
      expect(await process.stop(), process.output).toBe(0);
      ended.push(process);
    }

    it('serves on the new schema, and the new version beside it, while all are replaced one by one and back again', async () => {
      await command('before', 'migrate');
      const { rows: old } = await owner.query<{ name: string }>('select name from mikro_orm_migrations order by id');
      await Promise.all([startApi(0, 'before'), startApi(1, 'before'), replaceWorker('before')]);
      customer = await signUpOwner(apis[0]!.url, settings['PUBLIC_URL']!, database);
      const { accountId, cookie, key, videoId } = customer;

      const load = new Load(apis, {
        token: (url) =>
          fetch(`${url}/v1/video/${videoId}/playback-token`, { method: 'POST', headers: { 'x-service-key': key } }),
        list: (url) => fetch(`${url}/v1/video`, { headers: { 'x-service-key': key } }),
        posting: (url) =>
          fetch(`${url}/graphql`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', origin: settings['PUBLIC_URL']!, cookie },
            body: JSON.stringify({ query: ALLOCATE_HALF, variables: { key: newId() } }),
          }),
      });
      const clips: string[] = [];
      try {
        await load.continues();

        const migrated = await command('now', 'migrate');
        expect(migrated).toContain('The database is up to date.');
        const { rows: now } = await owner.query<{ name: string }>('select name from mikro_orm_migrations order by id');
        const isRun = ({ name }: { name: string }) =>
          !old.some((row) => row.name === name) && !name.includes('Baseline');
        expect(migrated.match(/^\w+(?=: done in )/gm) ?? []).toEqual(now.filter(isRun).map(({ name }) => name));
        expect(await schemaLines(owner, { rights: true })).toEqual(await newSchema());
        await load.continues();
        clips.push(await upload());
        await ready(clips[0]!);

        for (const version of ['now', 'before'] as const) {
          await replaceApi(0, version, load);
          // Both versions serve, and work, side by side.
          await load.continues();
          // The worker that is replaced has this one, or the worker that comes.
          const between = await upload();
          await Promise.all([replaceApi(1, version, load), replaceWorker(version)]);
          await load.continues();
          await ready(between);
          // Only the new worker can process this one.
          const after = await upload();
          await ready(after);
          clips.push(between, after);
        }
      } finally {
        await load.stop();
      }
      expect(load.failures).toEqual([]);
      const { rows: counted } = await owner.query<{ tokens: string; credits: string }>(
        `select (select sum(used) from api_key where account_id = $1)::text as tokens,
         (select balance from ledger_account where owner_id = $1 and account_no = 4)::text as credits`,
        [accountId],
      );
      const charged = await charges();
      expect(charged.map(({ id }) => id)).toEqual(clips);
      const spent = charged.reduce((sum, { micros }) => sum + micros, 0n);
      expect(counted).toEqual([
        { tokens: String(load.done.token), credits: String((BigInt(load.done.posting) * CREDIT) / 2n - spent) },
      ]);
      const errors = [...ended, ...apis, worker]
        .flatMap((process) => process!.output.split('\n'))
        .filter((line) => line.includes('"level":50'));
      expect(errors).toEqual([]);
      expect(await command('now', 'ledger', 'verify')).toContain('correct');
    });
  },
);
