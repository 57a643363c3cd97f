import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { connectionTo } from '../../../src/db/connection.js';
import { findFreePort } from '../../support/freePort.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { makeDataDir } from '../../support/dataDir.js';
import { startTwoServers, type TwoServers } from '../../support/database/twoServers.js';
import { LONG_WAIT_MS } from '../../support/deadlines.js';
import { ALLOCATE_HALF, signUpOwner, type Owner } from '../../support/owner.js';
import { ServiceProcess } from '../../support/service.js';

/** Of each kind, before and after. */
const ENOUGH = 50;
const PAUSE_MS = 50;
const CLIENTS = 4;
/** From the promotion to the first token: what is promised is "within seconds". */
const FOLLOW_MS = 15_000;

let servers: TwoServers;
let data: Awaited<ReturnType<typeof makeDataDir>>;
let settings: { DATA_DIR: string; PORT: string } & Record<string, string>;
let api: ServiceProcess;
let worker: ServiceProcess;

beforeAll(async () => {
  servers = await startTwoServers({ isSynchronous: true });
  data = await makeDataDir();
  const port = String(await findFreePort());
  settings = {
    DATA_DIR: data.path,
    PORT: port,
    PUBLIC_URL: `http://localhost:${port}`,
    DATABASE_URL: servers.urlOf('dhara_app'),
    DATABASE_MIGRATION_URL: servers.urlOf('dhara_owner'),
    MASTER_KEY: randomBytes(32).toString('base64'),
  };
  const migrated = ServiceProcess.start(['migrate'], settings);
  expect(await migrated.exit(), migrated.output).toBe(0);
  api = ServiceProcess.start(['api'], settings);
  worker = ServiceProcess.start(['worker'], settings);
  await api.ready();
  await worker.started();
});

afterAll(async () => {
  await api?.stop('SIGKILL');
  await worker?.stop('SIGKILL');
  await servers?.close();
  await data?.remove();
});

class Load {
  tokens = 0;
  postings = 0;
  failures = 0;
  /** Everything but an answer or a 503. */
  readonly surprises: string[] = [];
  readonly #stopped = new AbortController();
  readonly #running: Promise<void>[];

  constructor(private readonly owner: Owner) {
    this.#running = [this.#post(), ...Array.from({ length: CLIENTS }, () => this.#mint())];
  }

  async #mint(): Promise<void> {
    const { key, videoId } = this.owner;
    while (!this.#stopped.signal.aborted) {
      const path = `/v1/video/${videoId}/playback-token`;
      if (await this.#ask(path, { 'x-service-key': key })) this.tokens += 1;
      await delay(PAUSE_MS);
    }
  }

  /** Sends each posting until it is acknowledged, as callers do. */
  async #post(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      const body = JSON.stringify({ query: ALLOCATE_HALF, variables: { key: newId() } });
      const headers = {
        'content-type': 'application/json',
        origin: settings['PUBLIC_URL']!,
        cookie: this.owner.cookie,
      };
      while (!(await this.#ask('/graphql', headers, body))) await delay(PAUSE_MS);
      this.postings += 1;
    }
  }

  async #ask(path: string, headers: Record<string, string>, body?: string): Promise<boolean> {
    const response = await fetch(`${api.url}${path}`, { method: 'POST', headers, ...(body && { body }) });
    const text = await response.text();
    if (response.ok && !text.includes('"errors"')) return true;
    this.failures += 1;
    if (!text.includes('SERVICE_UNAVAILABLE')) this.surprises.push(`${path}: ${response.status} ${text}`);
    return false;
  }

  async until(holds: () => boolean): Promise<void> {
    const deadline = performance.now() + LONG_WAIT_MS;
    while (!holds() && this.surprises.length === 0 && performance.now() < deadline) await delay(PAUSE_MS);
    expect(this.surprises).toEqual([]);
    expect(holds()).toBe(true);
  }

  async continues(): Promise<void> {
    const { tokens, postings } = this;
    await this.until(() => this.tokens >= tokens + ENOUGH && this.postings >= postings + ENOUGH);
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await Promise.all(this.#running);
  }
}

it('the primary is killed under load and the standby promoted: the service follows, and has lost nothing acknowledged', async () => {
  const urls = { migrationUrl: servers.urlOf('dhara_owner'), runtimeUrl: servers.urlOf('dhara_app') };
  const owner = await signUpOwner(api.url, settings['PUBLIC_URL']!, urls);
  const load = new Load(owner);
  try {
    await load.continues();
    await servers.primary.kill();
    // Nobody serves now.
    const { failures } = load;
    await load.until(() => load.failures >= failures + CLIENTS);
    const { tokens, postings } = load;
    await servers.promote();
    const promotedAt = performance.now();
    await load.until(() => load.tokens > tokens && load.postings > postings);
    expect(performance.now() - promotedAt).toBeLessThan(FOLLOW_MS);
    await load.continues();
  } finally {
    await load.stop();
  }
  expect((await fetch(`${api.url}/readyz`)).status).toBe(200);

  const admin = new pg.Client(connectionTo(urls.migrationUrl));
  await admin.connect();
  const { rows } = await admin.query<{ tokens: number; halves: number }>(
    `select (select sum(used) from api_key)::integer as tokens,
       (select balance / 500000 from ledger_account where owner_id = $1 and account_no = 4)::integer as halves`,
    [owner.accountId],
  );
  await admin.end();
  // A posting that was answered with 503 was sent again with its key, so each counts once. A token has no key.
  expect(rows[0]!.halves).toBe(load.postings);
  expect(rows[0]!.tokens).toBeGreaterThanOrEqual(load.tokens);
  expect(rows[0]!.tokens).toBeLessThanOrEqual(load.tokens + load.failures);

  const verify = ServiceProcess.start(['ledger', 'verify'], settings);
  expect(await verify.exit(), verify.output).toBe(0);
  expect(worker.child.exitCode).toBeNull();
  expect(
    [api, worker].flatMap(({ output }) => output.split('\n').filter((line) => line.includes('"level":50'))),
  ).toEqual([]);
});
