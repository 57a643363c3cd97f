import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { installVirtualClock, setClockOffset } from '../../../src/db/virtualClock.js';
import { appendEvents, type NewEvent } from '../../../src/domain/shared/events/appendEvent.js';
import { EventLog } from '../../../src/domain/shared/events/eventLog.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { openAccount, openCustomer, type RestService, startRestService } from '../../support/contract/service.js';
import { IS_FULL } from '../../support/effort.js';
import { eventsOf, eventTypesOf } from '../../support/events/log.js';

const ROUNDS = IS_FULL ? 1_000 : 50;
const DAY_MS = 86_400_000;

let service: RestService;
let log: EventLog;
let owner: pg.Client;
beforeAll(async () => {
  service = await startRestService();
  log = new EventLog(service.db);
  owner = new pg.Client({ connectionString: service.database.migrationUrl });
  await owner.connect();
  await installVirtualClock(service.database.migrationUrl);
});
afterAll(async () => {
  await owner.end();
  await service.stop();
});

function low(accountId: string, fact: string): NewEvent {
  return { accountId, type: 'wallet.low', fact, data: { balance: '1', threshold: '2' } };
}

describe('an event', () => {
  it('is written once per fact when several writers try at the same time', async () => {
    const accountId = await openAccount(service.db);
    for (let round = 0; round < ROUNDS; round += 1) {
      await Promise.all(Array.from({ length: 4 }, () => appendEvents(service.db.sql, [low(accountId, `${round}`)])));
    }
    expect(await eventsOf(service.db, accountId)).toHaveLength(ROUNDS);
  });

  it('is not written if its transaction is rolled back, and can be written later', async () => {
    const accountId = await openAccount(service.db);
    const broken = service.db.transaction(async ({ sql }) => {
      await appendEvents(sql, [low(accountId, 'a')]);
      throw new Error('no');
    });
    await expect(broken).rejects.toThrow('no');
    expect(await eventsOf(service.db, accountId)).toEqual([]);
    await appendEvents(service.db.sql, [low(accountId, 'a')]);
    expect(await eventsOf(service.db, accountId)).toHaveLength(1);
  });

  it('of a key is written once when the key is created, changed and revoked', async () => {
    const { accountId, keyId } = await openCustomer(service);
    await service.keys.setDailyQuota(accountId, keyId, 5_000);
    await service.keys.setDailyQuota(accountId, keyId, 5_000);
    await Promise.all(Array.from({ length: 5 }, () => service.keys.revoke(accountId, keyId)));
    const events = await eventsOf(service.db, accountId);
    expect(events.map(({ type }) => type)).toEqual(['key.created', 'quota.changed', 'key.revoked']);
    expect(events[0]!.id).toMatch(/^evt_[0-9a-f]{32}$/);
    expect(events[1]!.data).toMatchObject({ keyId, previousQuota: 1_000, dailyQuota: 5_000 });
  });

  it('cannot be changed or removed by the service', async () => {
    const accountId = await openAccount(service.db);
    await appendEvents(service.db.sql, [low(accountId, 'kept')]);
    for (const text of [`update event set data = '{}'`, 'delete from event', 'truncate event']) {
      await expect(service.db.sql.query({ name: `test-${text.slice(0, 8)}`, text })).rejects.toThrow(
        'permission denied',
      );
    }
  });
});

describe('paging by cursor', () => {
  it('misses no event whose transaction took longer than a later one', async () => {
    const accountId = await openAccount(service.db);
    const slow = new pg.Client({ connectionString: service.database.runtimeUrl });
    await slow.connect();
    await slow.query('begin');
    await slow.query(`select append_event($1, 'wallet.low', 1::smallint, 'slow', '{"balance":"1","threshold":"2"}')`, [
      accountId,
    ]);
    await appendEvents(service.db.sql, [low(accountId, 'quick')]);
    const [quick] = await log.page(accountId, { first: 10, after: null, types: null, oldestFirst: true });
    await slow.query('commit');
    await slow.end();
    const rest = await log.page(accountId, { first: 10, after: quick!.cursor, types: null, oldestFirst: true });
    expect(rest).toHaveLength(1);
    expect(rest[0]!.id).not.toBe(quick!.id);
    expect(rest[0]!.createdAt.getTime()).toBeLessThanOrEqual(quick!.createdAt.getTime());
  });

  it('gives each event one place when several readers read at the same time', async () => {
    const accountId = await openAccount(service.db);
    const write = async () => {
      for (let n = 0; n < 50; n += 1) await appendEvents(service.db.sql, [low(accountId, newId())]);
    };
    const read = async () => {
      const seen: string[] = [];
      while (seen.length < 100) {
        const after = seen.at(-1) ?? null;
        const page = await log.page(accountId, { first: 7, after, types: null, oldestFirst: true });
        seen.push(...page.map(({ cursor }) => cursor));
      }
      return seen;
    };
    const [, , ...walks] = await Promise.all([write(), write(), read(), read(), read()]);
    const expected = Array.from({ length: 100 }, (_, n) => `${n + 1}`);
    for (const walk of walks) expect(walk).toEqual(expected);
  });

  it('works in both orders, filters by type, stays in its account and refuses invalid cursors', async () => {
    const { accountId, keyId } = await openCustomer(service);
    await service.keys.setDailyQuota(accountId, keyId, 7);
    await service.keys.revoke(accountId, keyId);
    const other = await openAccount(service.db);
    const page = { first: 10, after: null, types: null, oldestFirst: false };
    const newest = await log.page(accountId, page);
    expect(newest.map(({ type }) => type)).toEqual(['key.revoked', 'quota.changed', 'key.created']);
    expect(await log.page(accountId, { ...page, after: newest[0]!.cursor, types: ['key.created'] })).toEqual([
      newest[2],
    ]);
    expect(await log.page(other, page)).toEqual([]);
    expect(await log.find(accountId, newest[1]!.id)).toMatchObject({ id: newest[1]!.id });
    expect(await log.find(other, newest[1]!.id)).toBeNull();
    for (const after of ['x', '-1', '1.5', `1${'0'.repeat(30)}`]) {
      await expect(log.page(accountId, { ...page, after })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    }
  });

  it('numbers a long backlog in parts, in its order', async () => {
    const accountId = await openAccount(service.db);
    const count = 12_000;
    await owner.query(
      `insert into event (account_id, created_at, id, type, version, data)
       select $1, now() - ($2::int - n) * interval '1 millisecond', gen_random_uuid(), 'wallet.low', 1,
         jsonb_build_object('balance', n::text, 'threshold', '2')
       from generate_series(1, $2::int) n`,
      [accountId, count],
    );
    const [newest] = await log.page(accountId, { first: 1, after: null, types: null, oldestFirst: false });
    expect(newest).toMatchObject({ cursor: String(count), data: { balance: String(count) } });
    const { rows } = await owner.query(
      `select count(distinct seq)::int as n from event where account_id = $1 and seq::text = data ->> 'balance'`,
      [accountId],
    );
    expect(rows[0].n).toBe(count);
  });
});

describe('the monthly partitions', () => {
  const months = async () =>
    (
      await owner.query(`select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'event'::regclass order by 1`)
    ).rows.map(({ name }) => name as string);

  it('are made ahead, take in rows that came before they existed, and are dropped 90 days after their end', async () => {
    const accountId = await openAccount(service.db);
    await appendEvents(service.db.sql, [low(accountId, 'first')]);
    const first = await months();
    expect(first).toHaveLength(4);
    // Nobody has made a partition for the month of this event.
    await setClockOffset(service.database.migrationUrl, 120 * DAY_MS);
    await appendEvents(service.db.sql, [low(accountId, 'second')]);
    const { rows } = await owner.query(`select count(*)::int as n from event_rest`);
    expect(rows[0].n).toBe(1);
    await log.keep();
    expect((await owner.query('select from event_rest')).rowCount).toBe(0);
    expect((await months()).length).toBeGreaterThan(4);
    // Readers stop seeing an event after 90 days, whatever its partition.
    expect(await eventTypesOf(service.db, accountId)).toHaveLength(1);

    await setClockOffset(service.database.migrationUrl, 250 * DAY_MS);
    await log.keep();
    expect(await log.keep()).toBe(0);
    expect((await months()).filter((name) => first.includes(name))).toEqual(['event_rest']);
    expect((await owner.query('select from event where account_id = $1', [accountId])).rowCount).toBe(0);
    expect((await owner.query('select from event_fact where account_id = $1', [accountId])).rowCount).toBe(0);
    await setClockOffset(service.database.migrationUrl, 0);
  });
});
