import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { PostgresEvents } from '../../../src/adapters/events/postgresEvents.js';
import { identityEvents } from '../../../src/domain/accounts/identityEvents.js';
import { createIdentity } from '../../../src/adapters/identity/createIdentity.js';
import { PgBossQueue } from '../../../src/adapters/queue/pgBossQueue.js';
import { connectionTo } from '../../../src/db/connection.js';
import { PostgresDatabase } from '../../../src/db/database.js';
import { migrate } from '../../../src/db/migrate.js';
import { isDatabaseUnavailable } from '../../../src/errors.js';
import { newId } from '../../../src/domain/shared/ids.js';
import type { LiveEvent } from '../../../src/ports/events.js';
import { startTwoServers, type TwoServers } from '../../support/database/twoServers.js';
import { WAIT_MS } from '../../support/deadlines.js';

const logger = pino({ level: 'silent' });
/** How soon everything works again once another server is the primary: what is promised is "within seconds". */
const FOLLOW_MS = 15_000;
const PORT = { name: 'test-port', text: `select inet_server_port() as port` };
const HANG = { name: 'test-hang', text: 'select pg_sleep(600)' };

async function portOf(url: string): Promise<number> {
  const client = new pg.Client(connectionTo(url));
  await client.connect();
  try {
    const { rows } = await client.query<{ port: number }>(PORT.text);
    return rows[0]!.port;
  } finally {
    await client.end();
  }
}

describe('an address of a standby and a primary', () => {
  let servers: TwoServers;

  beforeAll(async () => {
    servers = await startTwoServers();
  });
  afterAll(async () => servers?.close());

  it('leads to the one that is wanted', async () => {
    const { primary, standby } = servers;
    expect(await portOf(servers.urlOf('dhara_app', 'read-write'))).toBe(primary.port);
    expect(await portOf(servers.urlOf('dhara_app', 'primary'))).toBe(primary.port);
    for (const wanted of ['standby', 'read-only', 'prefer-standby', 'any']) {
      expect(await portOf(servers.urlOf('dhara_app', wanted)), wanted).toBe(standby.port);
    }
  });

  it('leads past a server that is down, and past one that is silent', async () => {
    const { primary, standby } = servers;
    await standby.freeze();
    for (const wanted of ['read-write', 'any', 'prefer-standby']) {
      expect(await portOf(servers.urlOf('postgres', wanted)), wanted).toBe(primary.port);
    }
    await standby.thaw();
    await standby.kill();
    expect(await portOf(servers.urlOf('dhara_owner'))).toBe(primary.port);
  });

  it('is refused with what each server said, as an unavailable database, if none fits', async () => {
    const refused = portOf(servers.urlOf('dhara_app', 'standby'));
    await expect(refused).rejects.toSatisfy(isDatabaseUnavailable);
    await expect(refused).rejects.toThrow(
      new RegExp(
        `no database server is standby: .*:${servers.standby.port}: .*; .*:${servers.primary.port} is a primary`,
      ),
    );
  });
});

describe.each(['killed', 'frozen'] as const)('when the primary is %s and the standby promoted', (fault) => {
  let servers: TwoServers;
  let db: PostgresDatabase;
  let queue: PgBossQueue;
  let events: PostgresEvents;
  let identity: ReturnType<typeof createIdentity>;
  const accountId = newId();
  const notices: LiveEvent[] = [];
  const measured: string[] = [];
  const listening = new AbortController();

  beforeAll(async () => {
    servers = await startTwoServers();
    const url = servers.urlOf('dhara_app');
    await migrate({ migrationUrl: servers.urlOf('dhara_owner'), runtimeUrl: url });
    db = await PostgresDatabase.connect({ url, maxConnections: 3 });
    queue = new PgBossQueue({ url, logger, works: true });
    events = new PostgresEvents({ url, logger });
    identity = createIdentity({
      runtimeUrl: url,
      secret: 'a secret of at least thirty-two characters',
      publicUrl: 'http://localhost:4000',
      logger,
      mailer: { send: async () => undefined },
      events: identityEvents(db),
    });
    await queue.start();
    const nothing = async () => undefined;
    await queue.consume(
      {
        measureUpload: async ({ data }) => void measured.push(data.videoId),
        processVideo: nothing,
        encodeChunk: nothing,
        sweep: nothing,
        night: nothing,
      },
      { concurrency: 1 },
    );
    events.start();
    void (async () => {
      for await (const event of events.subscribe(accountId, listening.signal)) notices.push(event);
    })();
  });

  afterAll(async () => {
    if (fault === 'frozen') await servers?.primary.thaw();
    listening.abort();
    await events?.stop();
    await queue?.stop();
    await identity?.close();
    await db?.close();
    await servers?.close();
  });

  /** The pool, the identity's, the queue with its notices, and live events. */
  async function works(timeout: number): Promise<void> {
    const started = performance.now();
    const left = () => ({ timeout: Math.max(1, timeout - (performance.now() - started)), interval: 100 });
    await expect.poll(() => db.sql.query(PORT).catch(() => []), left()).toHaveLength(1);
    await expect.poll(() => identity.viewerOfUser(newId()).catch(() => 'lost'), left()).toBeNull();
    const videoId = newId();
    await db.transaction(({ sql }) => queue.enqueueMeasureUpload(sql, { accountId, videoId }));
    await expect.poll(() => measured, left()).toContain(videoId);
    const noticed = notices.length;
    const notice = JSON.stringify({ kind: 'wallet', accountId });
    await expect
      .poll(async () => {
        await db.sql.query({ name: 'test-notify', text: `select pg_notify('dhara_events', $1)` }, [notice]);
        return notices.slice(noticed).some(({ kind }) => kind === 'wallet');
      }, left())
      .toBe(true);
  }

  it('cuts off what hangs, and the pool, the queue, live events and sign-in follow within seconds', async () => {
    // Each gets a connection to the first primary.
    await works(WAIT_MS);
    await servers.caughtUp();
    const hanging = db.sql.query(HANG).catch((error: unknown) => error);
    await expect
      .poll(() => servers.primary.query(`select from pg_stat_activity where query = '${HANG.text}'`))
      .toHaveLength(1);
    await (fault === 'killed' ? servers.primary.kill() : servers.primary.freeze());
    await servers.promote();
    const promotedAt = performance.now();
    expect(await hanging).toSatisfy(isDatabaseUnavailable);
    await works(FOLLOW_MS);
    expect(performance.now() - promotedAt).toBeLessThan(FOLLOW_MS);
    expect(await db.sql.query(PORT)).toEqual([{ port: servers.standby.port }]);
  });
});
