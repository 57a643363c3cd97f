import { randomBytes } from 'node:crypto';
import { kill } from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { razorpayEvent, signedHeaders } from '../../../src/adapters/payments/sandbox/payloads/index.js';
import { PostgresDatabase } from '../../../src/db/database.js';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../../../src/db/embedded/index.js';
import { findFreePort } from '../../support/freePort.js';
import { migrate } from '../../../src/db/migrate.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { deriveKey } from '../../../src/domain/shared/secrets/masterKey.js';
import { verifyLedger } from '../../../src/domain/ledger/verify/verify.js';
import { openFundedAccount } from '../../support/accounts.js';
import { makeDataDir, removeDataDir } from '../../support/dataDir.js';
import { ServiceProcess } from '../../support/service.js';
import { Chance } from '../../support/proofs/chance.js';
import { SignedMoney } from './signedMoney.js';
import { IS_FULL } from '../../support/effort.js';
import { LONG_WAIT_MS, TEST_MS } from '../../support/deadlines.js';

const ROUNDS = IS_FULL ? 20 : 3;
/** The most that is promised between two kills, beside the twenty that are awaited. */
const MORE_PROMISES = IS_FULL ? 200 : 40;
const PAYERS = 4;
const OWNERS = 6;
const WAIT = { timeout: LONG_WAIT_MS, interval: 100 };
const VICTIMS = ['postgres', 'api', 'worker'] as const;

let dataDir: string;
let postgres: EmbeddedPostgres;
let db: PostgresDatabase;
let money: SignedMoney;
let settings: Parameters<typeof ServiceProcess.start>[1];
const services = new Map<'api' | 'worker', ServiceProcess>();
const masterKey = randomBytes(32);
const secret = deriveKey(masterKey, 'payment-sandbox').toString('hex');

beforeAll(async () => {
  dataDir = (await makeDataDir('dhara-kills-')).path;
  postgres = await startEmbeddedPostgres({ dataDir, durable: true, log: pino({ level: 'silent' }) });
  await migrate(postgres);
  const port = await findFreePort();
  settings = {
    DATA_DIR: dataDir,
    PORT: String(port),
    PUBLIC_URL: `http://localhost:${port}`,
    LOG_LEVEL: 'info',
    PAYMENT_SANDBOX: 'true',
    DATABASE_URL: postgres.runtimeUrl,
    DATABASE_MIGRATION_URL: postgres.migrationUrl,
    MASTER_KEY: masterKey.toString('base64'),
  };
  db = await PostgresDatabase.connect({ url: postgres.runtimeUrl, maxConnections: 12 });
  money = new SignedMoney(db, secret, true);
  for (const name of ['api', 'worker'] as const) await start(name);
});

afterAll(async () => {
  for (const service of services.values()) await service.stop('SIGKILL');
  await db?.close();
  await postgres?.stop();
  await removeDataDir(dataDir);
});

async function start(name: 'api' | 'worker'): Promise<void> {
  const service = ServiceProcess.start([name], settings);
  services.set(name, service);
  if (name === 'api') await service.ready();
  else await service.started();
}

/** What was promised: events acknowledged with 200, and postings whose call returned. */
class Promises {
  readonly events = new Map<string, { paymentId: string; accountId: string }>();
  readonly postings = new Map<string, string>();
  refused = 0;

  get count(): number {
    return this.events.size + this.postings.size;
  }
}

test(
  `after ${ROUNDS} kills of anything, everything acknowledged is there, complete`,
  { timeout: ROUNDS * 60_000 + TEST_MS },
  async () => {
    const chance = Chance.of('kills');
    const owners = await Promise.all(
      Array.from({ length: OWNERS }, () => openFundedAccount(db, { masterMicros: 1_000_000_000_000n })),
    );
    const kept = new Promises();
    const stopping = new AbortController();
    const load = [
      ...Array.from({ length: PAYERS }, (_, nth) => payers(owners[nth % OWNERS]!, kept, stopping.signal)),
      ...owners.map((ownerId) => allocations(ownerId, kept, stopping.signal)),
    ];

    for (let round = 0; round < ROUNDS; round += 1) {
      const [before, more] = [kept.count, 20 + chance.below(MORE_PROMISES)];
      await expect.poll(() => kept.count, WAIT).toBeGreaterThanOrEqual(before + more);
      await delay(chance.below(50));
      await killAndWait(VICTIMS[round % VICTIMS.length]!);
      const eventsThen = kept.events.size;
      await expect.poll(() => kept.events.size, WAIT).toBeGreaterThan(eventsThen);
    }
    stopping.abort();
    await Promise.all(load);

    const open = () => rows(`select 1 from webhook_event where status in ('pending', 'failed')`);
    await expect.poll(open, WAIT).toEqual([]);
    await expectKept(kept);
    expect((await verifyLedger(db)).faults).toEqual([]);
    // Interrupted callers have not leaked a connection.
    await expect.poll(() => db.pool.totalCount - db.pool.idleCount, WAIT).toBe(0);
    // Otherwise nothing was ever interrupted.
    expect(kept.refused).toBeGreaterThan(0);
  },
);

async function killAndWait(victim: (typeof VICTIMS)[number]): Promise<void> {
  if (victim === 'postgres') {
    const killed = postgres.pid();
    kill(killed, 'SIGKILL');
    await expect.poll(() => postgres.pid() !== killed && postgres.pid() !== 0, WAIT).toBe(true);
    return;
  }
  await services.get(victim)!.stop('SIGKILL');
  await start(victim);
}

/** One payer after the other, whose provider reports each payment twice. */
async function payers(accountId: string, kept: Promises, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const subject = await money.paid('razorpay', accountId, new Date(), { refundMs: 1_000 });
      for (const type of ['order.paid', 'payment.captured'] as const) {
        const event = razorpayEvent(type, subject, new Date());
        const response = await fetch(`http://127.0.0.1:${settings.PORT}/webhooks/razorpay`, {
          method: 'POST',
          headers: signedHeaders('razorpay', event, secret),
          body: event.body,
        });
        await response.text();
        if (response.status !== 200) kept.refused += 1;
        else kept.events.set(event.eventId, { paymentId: subject.payment.paymentId, accountId });
      }
    } catch {
      kept.refused += 1;
      await delay(20);
    }
  }
}

async function allocations(ownerId: string, kept: Promises, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const key = newId();
    try {
      const move = { from: 'MASTER', to: 'CREATIVE', amountMicros: 1n, idempotencyKey: key } as const;
      await money.wallet.allocate(ownerId, move);
      kept.postings.set(`allocation:${key}`, ownerId);
    } catch {
      kept.refused += 1;
      await delay(20);
    }
  }
}

async function expectKept(kept: Promises): Promise<void> {
  const stored = await rows<{ event_id: string }>(`select event_id from webhook_event where status = 'done'`);
  const eventIds = new Set(stored.map((row) => row.event_id));
  expect([...kept.events.keys()].filter((eventId) => !eventIds.has(eventId))).toEqual([]);

  const posted = await rows<{ idempotency_key: string; owner_id: string; entries: number }>(`
    select t.owner_id, t.idempotency_key, count(e.*)::int as entries
    from ledger_tx t left join ledger_entry e on e.owner_id = t.owner_id and e.tx_id = t.tx_id
    where t.type in ('ALLOCATION', 'TOPUP') group by t.owner_id, t.idempotency_key`);
  const whole = new Map(posted.filter((row) => row.entries === 2).map((row) => [row.idempotency_key, row.owner_id]));
  expect(whole.size).toBe(posted.length);
  expect([...kept.postings].filter(([key, ownerId]) => whole.get(key) !== ownerId)).toEqual([]);
  const uncredited = [...kept.events.values()].filter(
    ({ paymentId, accountId }) => whole.get(`topup:razorpay:${paymentId}`) !== accountId,
  );
  expect(uncredited).toEqual([]);
}

function rows<Row extends object>(text: string): Promise<Row[]> {
  return db.sql.query<Row>({ name: '', text });
}
