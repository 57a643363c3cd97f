import pg from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { EventBuffer } from '../../../src/adapters/events/eventBuffer.js';
import { EVENTS_CHANNEL, PostgresEvents } from '../../../src/adapters/events/postgresEvents.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

const account = newId();
const video = (videoId: string) => ({ kind: 'video', accountId: account, videoId }) as const;
const wallet = { kind: 'wallet', accountId: account } as const;
const missed = { kind: 'missed', accountId: account } as const;

describe('the event buffer of one subscriber', () => {
  const make = () => new EventBuffer(account, () => undefined);

  it('keeps equal events once, in the order in which they first came', async () => {
    const [a, b] = [newId(), newId()];
    const buffer = make();
    for (const event of [video(a), wallet, video(b), video(a), wallet]) buffer.push(event);
    expect(await read(buffer, 3)).toEqual([video(a), wallet, video(b)]);
    buffer.push(video(a));
    expect(await read(buffer, 1)).toEqual([video(a)]);
  });

  it('replaces its contents by "missed" when full, until that is read', async () => {
    const buffer = make();
    for (let n = 0; n < 1000; n += 1) buffer.push(video(newId()));
    expect(await read(buffer, 1)).toEqual([missed]);
    buffer.push(wallet);
    expect(await read(buffer, 1)).toEqual([wallet]);
  });

  it('drops everything that waits when "missed" comes', async () => {
    const buffer = make();
    for (const event of [wallet, missed, video(newId())]) buffer.push(event);
    expect(await read(buffer, 1)).toEqual([missed]);
    const next = buffer.next();
    buffer.push(wallet);
    expect(await next).toEqual({ done: false, value: wallet });
  });

  it('ends once, and reports its end once', async () => {
    let ended = 0;
    const buffer = new EventBuffer(account, () => {
      ended += 1;
    });
    const waiting = buffer.next();
    buffer.end();
    await buffer.return();
    buffer.push(wallet);
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await buffer.next()).toEqual({ done: true, value: undefined });
    expect(ended).toBe(1);
  });
});

describe('PostgresEvents', () => {
  let database: TestDatabase;
  let client: pg.Client;
  const lines: string[] = [];
  let listened = 0;
  const started: PostgresEvents[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    client = new pg.Client({ connectionString: database.runtimeUrl });
    await client.connect();
  });
  afterEach(async () => {
    for (const events of started.splice(0)) await events.stop();
    listened = 0;
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  it('delivers the committed events of an account to subscribers of every process', async () => {
    const [one, two] = [start(), start()];
    const going = new AbortController();
    const [first, second] = [one.subscribe(account, going.signal), two.subscribe(account, going.signal)];
    const stranger = one.subscribe(newId(), going.signal)[Symbol.asyncIterator]();
    // Both subscribed before the connection was up, and get an event to read again.
    expect(await Promise.all([read(first, 1), read(second, 1)])).toEqual([[missed], [missed]]);
    expect((await stranger.next()).value?.kind).toBe('missed');

    await client.query('begin');
    await notify(video(account));
    await client.query('rollback');
    await notify(wallet);
    expect(await Promise.all([read(first, 1), read(second, 1)])).toEqual([[wallet], [wallet]]);
    const nothing = stranger.next();
    going.abort();
    expect((await nothing).done).toBe(true);
    expect([one.subscriberCount, two.subscriberCount]).toEqual([0, 0]);
  });

  it('logs notifications that are not its events, and continues', async () => {
    const events = start();
    const going = new AbortController();
    const stream = events.subscribe(account, going.signal);
    await read(stream, 1);
    for (const payload of ['', '{', '{"kind":"video"}', `{"kind":"missed","accountId":"${account}"}`])
      await notifyText(payload);
    await notify(wallet);
    expect(await read(stream, 1)).toEqual([wallet]);
    expect(lines.filter((line) => line.includes('unknown payload'))).toHaveLength(4);
    going.abort();
  });

  it('says whenever it begins to listen, before subscribers learn that they have missed something', async () => {
    const stream = start().subscribe(account, new AbortController().signal);
    expect(await read(stream, 1)).toEqual([missed]);
    expect(listened).toBe(1);
    await client.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'dhara-events'`);
    expect(await read(stream, 1)).toEqual([missed]);
    expect(listened).toBe(2);
  });

  it('ends its subscriptions when it stops, and any that come later', async () => {
    const events = start();
    const signal = new AbortController().signal;
    const stream = events.subscribe(account, signal);
    await read(stream, 1);
    const next = stream[Symbol.asyncIterator]().next();
    await events.stop();
    expect((await next).done).toBe(true);
    expect((await events.subscribe(account, signal)[Symbol.asyncIterator]().next()).done).toBe(true);
    expect((await events.subscribe(account, AbortSignal.abort())[Symbol.asyncIterator]().next()).done).toBe(true);
  });

  it('stops at once while the database is away', async () => {
    const events = new PostgresEvents({ url: 'postgres://nobody@127.0.0.1:1/none', logger: pino({ level: 'silent' }) });
    events.start();
    await events.stop();
  });

  function start(): PostgresEvents {
    const events = new PostgresEvents({
      url: database.runtimeUrl,
      logger: pino({ level: 'debug' }, { write: (line) => lines.push(line) }),
      onListening: () => {
        listened += 1;
      },
    });
    started.push(events);
    events.start();
    return events;
  }

  function notify(event: object): Promise<unknown> {
    return notifyText(JSON.stringify(event));
  }

  function notifyText(payload: string): Promise<unknown> {
    return client.query('select pg_notify($1, $2)', [EVENTS_CHANNEL, payload]);
  }
});

async function read<T>(stream: AsyncIterable<T>, count: number): Promise<T[]> {
  const iterator = stream[Symbol.asyncIterator]();
  const events: T[] = [];
  while (events.length < count) {
    const { done, value } = await iterator.next();
    if (done) throw new Error('the stream has ended');
    events.push(value);
  }
  return events;
}
