import { join } from 'node:path';

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { PostgresDatabase } from '../../src/db/database.js';
import { startOwnPostgres, type OwnPostgres } from '../support/backups/ownPostgres.js';
import { makeDataDir } from '../support/dataDir.js';
import { Pgbouncer } from './harness/pgbouncer.js';

/** What docs/high-availability.md says of PgBouncer, tried with the one that Debian has. */
describe.runIf(process.getuid?.() === 0)('PgBouncer in transaction mode', () => {
  let folder: Awaited<ReturnType<typeof makeDataDir>>;
  let postgres: OwnPostgres;
  let direct: string;
  let pgbouncer: Pgbouncer;
  let pooled: string;
  const clients: pg.Client[] = [];

  beforeAll(async () => {
    folder = await makeDataDir('dhara-pgbouncer-');
    postgres = await startOwnPostgres();
    direct = (await postgres.create('pooled')).DATABASE_URL;
    pgbouncer = await start('pgbouncer', ['ignore_startup_parameters = options']);
    pooled = addressBy(pgbouncer);
  });

  afterAll(async () => {
    for (const client of clients) await client.end().catch(() => undefined);
    await pgbouncer?.stop();
    await postgres?.stop();
    await folder?.remove();
  });

  /** With one server connection, clients surely share it. */
  function start(name: string, settings: readonly string[]): Promise<Pgbouncer> {
    const { hostname: host, port, username, password } = new URL(direct);
    return Pgbouncer.start({
      folder: join(folder.path, name),
      server: { host, port: Number(port) },
      users: { [username]: decodeURIComponent(password) },
      poolSize: 1,
      settings,
    });
  }

  function addressBy({ port }: Pgbouncer): string {
    const url = new URL(direct);
    url.port = String(port);
    return url.href;
  }

  async function client(url = pooled): Promise<pg.Client> {
    const made = new pg.Client({ connectionString: url });
    made.on('error', () => undefined);
    await made.connect();
    clients.push(made);
    return made;
  }

  it('refuses the settings that each of the service’s connections begins with', async () => {
    const strict = await start('strict', []);
    try {
      const opened = PostgresDatabase.connect({ url: addressBy(strict), maxConnections: 1 });
      await expect(opened).rejects.toThrow('unsupported startup parameter: options');
    } finally {
      await strict.stop();
    }
  });

  it('mixes up the statements that the service prepares by name', async () => {
    const [one, other] = [await client(), await client()];
    await one.query({ name: 'same', text: 'select 1 as n' });
    const again = other.query<{ n: number }>({ name: 'same', text: 'select 2 as n' }).then(
      ({ rows }) => rows[0]!.n,
      (error: pg.DatabaseError) => error.code,
    );
    const DUPLICATE_STATEMENT = '42P05';
    expect(await again).toBe(DUPLICATE_STATEMENT);
  });

  it('brings no notifications, on which live events, webhooks and the queue depend', async () => {
    const [listener, control] = [await client(), await client(direct)];
    const heard: string[] = [];
    for (const [name, each] of Object.entries({ listener, control })) {
      each.on('notification', () => heard.push(name));
      await each.query('listen trial');
    }
    await (await client(direct)).query('notify trial');
    await expect.poll(() => heard).toContain('control');
    await listener.query('select 1');
    expect(heard).toEqual(['control']);
  });

  it('gives a session’s lock, as a migration takes it, to everyone', async () => {
    const [one, other] = [await client(), await client()];
    const take = async (by: pg.Client): Promise<boolean> =>
      (await by.query<{ taken: boolean }>('select pg_try_advisory_lock(7) as taken')).rows[0]!.taken;
    expect([await take(one), await take(other)]).toEqual([true, true]);
  });

  it('keeps a transaction’s locks and settings, and runs statements without a name', async () => {
    const [one, other] = [await client(), await client(direct)];
    const take = async (by: pg.Client): Promise<boolean> =>
      (await by.query<{ taken: boolean }>('select pg_try_advisory_xact_lock($1) as taken', [8])).rows[0]!.taken;
    await one.query('begin');
    await one.query(`select set_config('statement_timeout', '7s', true)`);
    expect([await take(one), await take(other)]).toEqual([true, false]);
    expect((await one.query('show statement_timeout')).rows).toEqual([{ statement_timeout: '7s' }]);
    await one.query('commit');
    expect(await take(other)).toBe(true);
  });
});
