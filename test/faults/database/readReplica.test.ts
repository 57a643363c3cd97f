import { randomBytes } from 'node:crypto';

import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { PostgresDatabase } from '../../../src/db/database.js';
import { findFreePort } from '../../support/freePort.js';
import { ReadReplica } from '../../../src/db/readReplica.js';
import { makeDataDir } from '../../support/dataDir.js';
import { startTwoServers, type TwoServers } from '../../support/database/twoServers.js';
import { signUpOwner, type Owner } from '../../support/owner.js';
import { ServiceProcess } from '../../support/service.js';

const WHERE = { name: 'test-where', text: 'select pg_is_in_recovery() as "isStandby"' };
const HANG = { name: 'test-hang-read', text: 'select pg_sleep(600), pg_is_in_recovery() as "isStandby"' };
/** A read that waits for a frozen replica moves to the primary within this time. */
const MAX_WAIT_MS = 15_000;
const PAUSE = 'select pg_wal_replay_pause()';
const RESUME = 'select pg_wal_replay_resume()';

describe('a replica', () => {
  let servers: TwoServers;
  let primary: PostgresDatabase;
  let replica: ReadReplica;
  const said: string[] = [];
  const outcomes: string[] = [];

  beforeAll(async () => {
    servers = await startTwoServers();
    primary = await PostgresDatabase.connect({ url: servers.urlOf('postgres'), maxConnections: 4 });
    await primary.sql.query({ name: 'test-table', text: 'create table written (n integer)' });
    await servers.caughtUp();
    replica = await ReadReplica.open({
      primary,
      url: servers.urlOf('postgres', 'any'),
      maxConnections: 4,
      maxLagMs: 3000,
      log: (line) => said.push(line),
      onRead: (outcome) => outcomes.push(outcome),
    });
  });
  afterEach(() => outcomes.splice(0));
  afterAll(async () => {
    await replica?.close();
    await primary?.close();
    await servers?.close();
  });

  async function write(): Promise<number> {
    await primary.sql.query({ name: 'test-write', text: 'insert into written values (1)' });
    return replica.position()!;
  }

  async function readWhere(statement = WHERE): Promise<boolean> {
    const read = (db: PostgresDatabase) => () => db.sql.query<{ isStandby: boolean }>(statement);
    const [row] = await replica.read(read(replica.db), read(primary));
    return row!.isStandby;
  }

  it('is read once it has what was written', async () => {
    for (let round = 0; round < 3; round += 1) {
      const position = await write();
      await expect.poll(() => replica.covers(position)).toBe(true);
      expect(await readWhere()).toBe(true);
    }
    expect(outcomes).toEqual(['replica', 'replica', 'replica']);
  });

  it('never claims what it has not replayed, and is not read once it is too far behind', async () => {
    await servers.standby.query(PAUSE);
    const position = await write();
    let claimed = false;
    await expect
      .poll(() => {
        claimed ||= replica.covers(position);
        return replica.isUsable;
      })
      .toBe(false);
    expect(claimed).toBe(false);
    expect(replica.lagMs).toBeGreaterThan(3000);
    await expect.poll(() => said.at(-1)).toBe('not reading from the replica: it is more than 3 s behind');
    await servers.standby.query(RESUME);
    await expect.poll(() => replica.covers(position)).toBe(true);
    await expect.poll(() => said.at(-1)).toBe('reading from the replica');
  });

  it('stays close behind a primary at rest', async () => {
    let looks = 0;
    await expect.poll(() => (looks += 1), { interval: 500 }).toBeGreaterThan(8);
    // If a primary at rest counted as lag, it would be more than four seconds by now.
    await expect.poll(() => replica.lagMs).toBeLessThan(3000);
  });

  it('claims nothing new once the clock of the primary has gone back', async () => {
    let behindMs = 0;
    const query = async (...asked: Parameters<typeof primary.sql.query>): Promise<object[]> => {
      const rows = await primary.sql.query<{ atMs: number }>(...asked);
      return rows.map((row) => ({ ...row, atMs: row.atMs - behindMs }));
    };
    const other = await ReadReplica.open({
      primary: Object.assign(Object.create(primary) as PostgresDatabase, { sql: { query } }),
      url: servers.urlOf('postgres', 'standby'),
      maxConnections: 2,
      maxLagMs: 3000,
      log: () => undefined,
    });
    await expect.poll(() => other.isUsable).toBe(true);
    await servers.standby.query(PAUSE);
    await write();
    const before = other.position()!;
    behindMs = 3_600_000;
    await expect.poll(() => other.position()!).toBeLessThan(before);
    await write();
    expect(other.covers(other.position()!)).toBe(false);
    await servers.standby.query(RESUME);
    await expect.poll(() => other.isUsable).toBe(true);
    await other.close();
    await expect.poll(() => replica.isUsable).toBe(true);
  });

  it('hands over to the primary a read that conflicts with its replay, and stays in use', async () => {
    const cancelled = Object.assign(new Error('canceling statement due to conflict with recovery'), { code: '40001' });
    const found = replica.read(
      () => Promise.reject(cancelled),
      () => Promise.resolve('primary'),
    );
    expect(await found).toBe('primary');
    expect(replica.isUsable).toBe(true);
    await expect(
      replica.read(
        () => Promise.reject(new Error('wrong')),
        () => Promise.resolve(1),
      ),
    ).rejects.toThrow('wrong');
    expect(outcomes).toEqual(['failed']);
  });

  it('is not reported for what is still on its way to it, and is reported if that does not arrive', async () => {
    const watching = `select from pg_stat_activity where application_name = 'dhara-replica-watch' and query <> ''`;
    const url = servers.urlOf('postgres', 'standby');
    const look = (maxLagMs: number): Promise<string | null> =>
      ReadReplica.faultOf({ primary, url, maxConnections: 1, maxLagMs, log: () => undefined });
    await servers.standby.query(PAUSE);
    await write();
    expect(await look(1000)).toBe('it is more than 1 s behind');
    // Only the connection of `replica` is left.
    await expect.poll(() => servers.standby.query(watching)).toHaveLength(1);
    const looking = look(10_000);
    // It has found the replica behind.
    await expect.poll(() => servers.standby.query(watching)).toHaveLength(2);
    await servers.standby.query(RESUME);
    expect(await looking).toBeNull();
    await expect.poll(() => replica.isUsable).toBe(true);
  });

  it('hands over a read of what a migration has only just made', async () => {
    await servers.standby.query(PAUSE);
    await primary.sql.query({ name: 'test-migration', text: 'create table made (n integer)' });
    const count = { name: 'test-made', text: 'select count(*)::integer as n from made' };
    const found = replica.read(
      () => replica.db.sql.query(count),
      () => primary.sql.query(count),
    );
    expect(await found).toEqual([{ n: 0 }]);
    expect(outcomes).toEqual(['failed']);
    await servers.standby.query(RESUME);
    await expect.poll(() => replica.isUsable).toBe(true);
  });

  it('that is frozen keeps its readers only until that is noticed', async () => {
    const startedAt = performance.now();
    const reading = replica.read(
      () => replica.db.sql.query<{ isStandby: boolean }>(HANG),
      () => primary.sql.query<{ isStandby: boolean }>(WHERE),
    );
    await expect
      .poll(() => servers.standby.query(`select from pg_stat_activity where query = '${HANG.text}'`))
      .toHaveLength(1);
    await servers.standby.freeze();
    expect(await reading).toEqual([{ isStandby: false }]);
    expect(performance.now() - startedAt).toBeLessThan(MAX_WAIT_MS);
    expect(outcomes).toEqual(['failed']);
    expect(replica.isUsable).toBe(false);
    await servers.standby.thaw();
    await expect.poll(() => replica.isUsable).toBe(true);
  });

  it('that is frozen keeps no connection of the pool forever', async () => {
    const hang = { name: 'test-hang-long', text: 'select pg_sleep(601)' };
    const other = await ReadReplica.open({
      primary,
      // Without another server, nothing else cuts these connections off.
      url: `postgresql://postgres@127.0.0.1:${servers.standby.port}/dhara`,
      maxConnections: 2,
      maxLagMs: 3000,
      silenceMs: 2000,
      log: () => undefined,
    });
    const readings = Array.from({ length: 2 }, () =>
      other.read(
        () => other.db.sql.query(hang),
        () => primary.sql.query(WHERE),
      ),
    );
    await expect
      .poll(() => servers.standby.query(`select from pg_stat_activity where query = '${hang.text}'`))
      .toHaveLength(2);
    await servers.standby.freeze();
    expect(await Promise.all(readings)).toEqual([[{ isStandby: false }], [{ isStandby: false }]]);
    await expect.poll(() => other.db.pool.totalCount).toBe(0);
    await servers.standby.thaw();
    await other.close();
    await expect.poll(() => replica.isUsable).toBe(true);
  });

  it('that is down is not read, and is read again when it is back', async () => {
    await servers.standby.kill();
    // A connection that the pool has may be served until its process notices that the server is gone.
    await expect.poll(() => readWhere()).toBe(false);
    await expect.poll(() => replica.isUsable).toBe(false);
    await servers.startStandby();
    await expect.poll(() => replica.isUsable).toBe(true);
    expect(await readWhere()).toBe(true);
  });

  it('that is down when the process starts costs nothing, and is found later', async () => {
    await servers.standby.kill();
    const late = await ReadReplica.open({
      primary,
      url: servers.urlOf('postgres', 'standby'),
      maxConnections: 2,
      maxLagMs: 3000,
      log: () => undefined,
    });
    expect(late.isUsable).toBe(false);
    await expect.poll(() => replica.isUsable).toBe(false);
    await servers.startStandby();
    await expect.poll(() => late.isUsable && replica.isUsable).toBe(true);
    await late.close();
  });

  it('that is promoted is no replica any more', async () => {
    await servers.promote();
    await expect.poll(() => replica.isUsable).toBe(false);
    await expect.poll(() => said.at(-1)).toBe('not reading from the replica: it is not in recovery');
  });
});

describe('two processes with DATABASE_READ_URL', () => {
  let servers: TwoServers;
  let data: Awaited<ReturnType<typeof makeDataDir>>;
  let owner: Owner;
  let admin: pg.Client;
  const apis: { process: ServiceProcess; metrics: string }[] = [];
  let origin: string;

  beforeAll(async () => {
    servers = await startTwoServers();
    data = await makeDataDir();
    origin = `http://localhost:${await findFreePort()}`;
    const settings = {
      DATA_DIR: data.path,
      PUBLIC_URL: origin,
      DATABASE_URL: servers.urlOf('dhara_app'),
      DATABASE_MIGRATION_URL: servers.urlOf('dhara_owner'),
      DATABASE_READ_URL: servers.urlOf('dhara_app', 'standby'),
      DATABASE_READ_LAG_SECONDS: '3600',
      MASTER_KEY: randomBytes(32).toString('base64'),
      PORT: '0',
    };
    const migrated = ServiceProcess.start(['migrate'], settings);
    expect(await migrated.exit(), migrated.output).toBe(0);
    for (let nth = 0; nth < 2; nth += 1) {
      const [port, metricsPort] = [String(await findFreePort()), String(await findFreePort())];
      const process = ServiceProcess.start(['api'], { ...settings, PORT: port, METRICS_PORT: metricsPort });
      apis.push({ process, metrics: `http://127.0.0.1:${metricsPort}/metrics` });
      await process.ready();
    }
    const urls = { migrationUrl: servers.urlOf('dhara_owner'), runtimeUrl: servers.urlOf('dhara_app') };
    owner = await signUpOwner(apis[0]!.process.url, origin, urls);
    admin = new pg.Client({ connectionString: `postgresql://postgres@127.0.0.1:${servers.primary.port}/dhara` });
    await admin.connect();
    await servers.caughtUp();
  });

  afterAll(async () => {
    for (const { process } of apis) await process.stop('SIGKILL');
    await admin?.end();
    await servers?.close();
    await data?.remove();
  });

  /** A browser: it keeps the cookie that a response sets. */
  class Tab {
    #cookie = owner.cookie;

    async ask(nth: number, query: string, variables = {}): Promise<Record<string, never>> {
      const response = await fetch(`${apis[nth]!.process.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin, cookie: this.#cookie },
        body: JSON.stringify({ query, variables }),
      });
      const [position] = response.headers.getSetCookie().map((line) => line.split(';')[0]);
      if (position) this.#cookie = `${owner.cookie}; ${position}`;
      const { data, errors } = (await response.json()) as { data: Record<string, never>; errors?: unknown };
      expect(errors).toBeUndefined();
      return data;
    }

    async titles(nth: number): Promise<string[]> {
      const { videos } = (await this.ask(nth, '{ videos(first: 100) { edges { node { title } } } }')) as unknown as {
        videos: { edges: { node: { title: string } }[] };
      };
      return videos.edges.map(({ node }) => node.title);
    }

    rename(nth: number, title: string): Promise<unknown> {
      const change = 'mutation ($id: ID!, $title: String!) { updateVideo(id: $id, input: { title: $title }) { id } }';
      return this.ask(nth, change, { id: owner.videoId, title });
    }
  }

  async function reads(nth: number, outcome: string): Promise<number> {
    const text = await (await fetch(apis[nth]!.metrics)).text();
    return Number(new RegExp(`^dhara_replica_reads_total\\{outcome="${outcome}"\\} (\\d+)`, 'm').exec(text)?.[1] ?? 0);
  }

  it('read from the replica what may be old, and each session still sees its own writes in both', async () => {
    const [writer, reader] = [new Tab(), new Tab()];
    await expect
      .poll(async () => {
        await reader.titles(0);
        await reader.titles(1);
        return (await reads(0, 'replica')) > 0 && (await reads(1, 'replica')) > 0;
      })
      .toBe(true);

    await servers.standby.query(PAUSE);
    for (let round = 0; round < 30; round += 1) {
      await writer.rename(round % 2, `Title ${round}`);
      expect(await writer.titles((round + 1) % 2)).toContain(`Title ${round}`);
    }
    const keptAway = (await reads(0, 'own_write')) + (await reads(1, 'own_write'));
    expect(keptAway).toBeGreaterThanOrEqual(30);

    // A change that nobody is told of is not seen there yet: the list does come from the replica.
    await servers.standby.query(RESUME);
    await expect.poll(() => isReadThere(writer)).toBe(true);
    await servers.caughtUp();
    await servers.standby.query(PAUSE);
    await admin.query(`update video set title = 'Unseen'`);
    expect(await reader.titles(0)).not.toContain('Unseen');
    // A single video, which decides more than a list, comes from the primary.
    const { video } = (await reader.ask(0, `{ video(id: "${owner.videoId}") { title } }`)) as unknown as {
      video: { title: string };
    };
    expect(video.title).toBe('Unseen');
    await servers.standby.query(RESUME);
    await expect.poll(() => reader.titles(0)).toContain('Unseen');
  });

  async function isReadThere(tab: Tab): Promise<boolean> {
    const before = await reads(0, 'replica');
    await tab.titles(0);
    return (await reads(0, 'replica')) > before;
  }

  it('answer from the primary while the replica is down', async () => {
    await servers.standby.kill();
    const tab = new Tab();
    for (let round = 0; round < 5; round += 1) expect(await tab.titles(0)).toHaveLength(30);
    await expect
      .poll(async () => {
        await tab.titles(0);
        return reads(0, 'unusable');
      })
      .toBeGreaterThan(0);
  });
});
