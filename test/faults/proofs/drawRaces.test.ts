import { afterAll, beforeAll, expect, it } from 'vitest';

import { BUCKETS, type Bucket } from '../../../src/domain/ledger/automaticAllocation.js';
import { releaseEscrow, settleEscrow } from '../../../src/domain/ledger/escrow.js';
import { verifyLedger } from '../../../src/domain/ledger/verify/verify.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { AppError } from '../../../src/errors.js';
import { correct } from '../../support/accounts.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { deadlocks } from '../../support/database/deadlocks.js';
import { TEST_MS } from '../../support/deadlines.js';
import { IS_FULL } from '../../support/effort.js';
import { lockForJob } from '../../support/jobs.js';
import { Chance } from '../../support/proofs/chance.js';
import { World } from './model/world.js';

const CREDIT = 1_000_000n;
const CLIENTS = 200;
/** Each has its own connections, as a process has. */
const WORLDS = 4;
const CONNECTIONS_EACH = 12;
const ROUNDS = IS_FULL ? 200 : 4;
const ROUND_MS = 5_000;
/** 31 GB for a day of January. */
const STORED_BYTES = 31_000_000_000n;
const NIGHT_MICROS = 1_500_000n;
const DAY = '2027-01-01';

let database: TestDatabase;
let worlds: World[];
beforeAll(async () => {
  database = await createTestDatabase();
  worlds = Array.from({ length: WORLDS }, () => new World(database.runtimeUrl, CONNECTIONS_EACH));
});
afterAll(async () => {
  await Promise.all(worlds.map((world) => world.db.close()));
  await database?.drop();
});

it(
  `jobs of ${CLIENTS} clients use up MASTER and CREATIVE exactly, while others move credits between them, ${ROUNDS} times`,
  { timeout: TEST_MS + ROUNDS * ROUND_MS },
  async () => {
    const before = await deadlocks(worlds[0]!.db.sql);
    for (let round = 0; round < ROUNDS; round += 1) {
      const chance = Chance.of('draws', round);
      const ownerId = await owner({ CREATIVE: BigInt(chance.below(100)) * CREDIT }, 100n * CREDIT);
      let bought = 0;
      const job = async (world: World) => {
        const escrow = {
          accountId: ownerId,
          videoId: newId(),
          attempt: 1,
          bucket: 'CREATIVE',
          amountMicros: CREDIT,
        } as const;
        // The same purchase twice at once: one of them pays.
        const twice = [0, 1].map(() => affords(() => world.db.transaction(({ sql }) => lockForJob(sql, escrow))));
        const [here, there] = await Promise.all(twice);
        if (here || there) bought += 1;
      };
      const move = async (world: World) => {
        for (const from of chance.some(['MASTER', 'CREATIVE'] as const, 2)) {
          const to = from === 'MASTER' ? 'CREATIVE' : 'MASTER';
          const amountMicros = BigInt(1 + chance.below(20_000_000));
          await affords(() => world.wallet.allocate(ownerId, { from, to, amountMicros, idempotencyKey: newId() }));
        }
      };
      await atOnce((world, client) => (client % 4 === 0 ? move(world) : job(world)));

      expect(bought).toBe(100);
      const { balances } = await worlds[0]!.look(ownerId);
      expect([balances.get('MASTER'), balances.get('CREATIVE'), balances.get('ESCROW')]).toEqual([
        0n,
        0n,
        100n * CREDIT,
      ]);
    }
    expect(await deadlocks(worlds[0]!.db.sql)).toBe(before);
    expect((await verifyLedger(worlds[0]!.db)).faults).toEqual([]);
  },
);

it(
  `draws of jobs and of the night race moves in both directions, refunds and the setting, and every sum is exact, ${ROUNDS} times`,
  { timeout: TEST_MS + ROUNDS * ROUND_MS },
  async () => {
    const before = await deadlocks(worlds[0]!.db.sql);
    let drawnMicros = 0n;
    for (let round = 0; round < ROUNDS; round += 1) drawnMicros += await raceAll(Chance.of('draws and refunds', round));
    expect(drawnMicros).toBeGreaterThan(0n);
    expect(await deadlocks(worlds[0]!.db.sql)).toBe(before);
    expect((await verifyLedger(worlds[0]!.db)).faults).toEqual([]);
  },
);

/** @returns what was drawn */
async function raceAll(chance: Chance): Promise<bigint> {
  const opening = { CLOUD: CREDIT / 2n, AI: 5n * CREDIT, CREATIVE: 5n * CREDIT };
  const ownerId = await owner(opening, 0n);
  const first = worlds[0]!;
  const topUps = await Promise.all([60n, 40n].map((rupees) => paid(first, ownerId, rupees * 100n)));
  await first.store(ownerId, STORED_BYTES);
  const moved = new Moved();
  const works: ((world: World) => Promise<void>)[] = [
    // A job that draws, and ends at once, later, or never.
    async (world) => {
      const bucket = chance.below(3) === 0 ? 'AI' : 'CREATIVE';
      const amountMicros = BigInt(1 + chance.below(4_000_000));
      const escrow = { accountId: ownerId, videoId: newId(), attempt: 1, bucket, amountMicros } as const;
      const lock = () => affords(() => world.db.transaction(({ sql }) => lockForJob(sql, escrow)));
      const locked = (await Promise.all([lock(), lock()])).includes(true);
      if (!locked) return;
      moved.add(bucket, 'ESCROW', amountMicros);
      const end = chance.below(3);
      if (end === 2) return;
      const settledMicros = end === 0 ? 0n : amountMicros / 2n;
      await world.db.transaction(({ sql }) =>
        end === 0 ? releaseEscrow(sql, escrow) : settleEscrow(sql, { ...escrow, amountMicros: settledMicros }),
      );
      moved.add('ESCROW', 'REVENUE_PROCESSING', settledMicros);
      moved.add('ESCROW', 'returned', amountMicros - settledMicros);
    },
    async (world) => {
      const bucket = BUCKETS[chance.below(3)]!;
      const [from, to] = chance.below(2) === 0 ? (['MASTER', bucket] as const) : ([bucket, 'MASTER'] as const);
      const amountMicros = BigInt(1 + chance.below(6_000_000));
      const order = { from, to, amountMicros, idempotencyKey: newId() };
      const allocate = () => affords(() => world.wallet.allocate(ownerId, order));
      if ((await Promise.all([allocate(), allocate()])).includes(true)) moved.add(from, to, amountMicros);
    },
    async (world) => {
      const amount = BigInt(1 + chance.below(900));
      const order = { topUpId: topUps[chance.below(2)]!, amount, idempotencyKey: newId() };
      const refund = () =>
        affords(() => world.refunds.requestRefund(ownerId, order), ['INVALID_INPUT', 'DEBT_OUTSTANDING']);
      if ((await Promise.all([refund(), refund()])).includes(true))
        moved.add('MASTER', 'REFUND_HOLD', amount * 10_000n);
    },
    async (world) => {
      const bucket = BUCKETS[chance.below(3)]!;
      await world.wallet.setAutomaticAllocation(ownerId, { bucket, enabled: chance.below(4) > 0 });
    },
  ];
  const ofTheNight = chance.below(CLIENTS);
  await atOnce((world, client) =>
    client === ofTheNight ? world.chargeDay(ownerId, DAY) : works[client % works.length]!(world),
  );

  const { balances, escrowsMicros, requestsMicros } = await first.look(ownerId);
  const { drawn, charged, arrears, lowest } = await whatHappened(ownerId);
  expect(charged).toBe(NIGHT_MICROS);
  moved.add('CLOUD', 'REVENUE_STORAGE', NIGHT_MICROS - arrears);
  for (const bucket of BUCKETS) moved.add('MASTER', bucket, drawn[bucket]);
  const expected = (account: string) => (opening[account as Bucket] ?? 0n) + moved.of(account);
  const of = (account: string) => balances.get(account)!;

  expect(of('MASTER')).toBe(100n * CREDIT + moved.of('MASTER'));
  expect(of('CLOUD')).toBe(expected('CLOUD'));
  // What jobs returned went back to their buckets, except for what repaid debt.
  const repaid = arrears + of('DEBT');
  expect(of('AI') + of('CREATIVE')).toBe(expected('AI') + expected('CREATIVE') + moved.of('returned') - repaid);
  expect(repaid).toBeGreaterThanOrEqual(0n);
  expect(of('ESCROW')).toBe(moved.of('ESCROW'));
  expect(escrowsMicros).toBe(moved.of('ESCROW'));
  expect(of('REFUND_HOLD')).toBe(moved.of('REFUND_HOLD'));
  expect(requestsMicros).toBe(moved.of('REFUND_HOLD'));
  expect(of('REVENUE_PROCESSING')).toBe(moved.of('REVENUE_PROCESSING'));
  expect(of('REVENUE_STORAGE')).toBe(NIGHT_MICROS);
  expect(lowest).toBeGreaterThanOrEqual(0n);
  return drawn.CLOUD + drawn.AI + drawn.CREATIVE;
}

/** What succeeded, as moves between accounts. */
class Moved {
  private readonly sums = new Map<string, bigint>();

  add(from: string, to: string, micros: bigint): void {
    this.sums.set(from, this.of(from) - micros);
    this.sums.set(to, this.of(to) + micros);
  }

  of(account: string): bigint {
    return this.sums.get(account) ?? 0n;
  }
}

/** All clients begin together; each belongs to one of the worlds. */
async function atOnce(work: (world: World, client: number) => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: CLIENTS }, (_, client) => work(worlds[client % WORLDS]!, client)));
}

/** @returns false if it was refused for lack of credits, or by one of these codes: any other error fails the test */
async function affords(work: () => Promise<unknown>, alsoRefusedBy: readonly string[] = []): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (error instanceof AppError && ['INSUFFICIENT_CREDITS', ...alsoRefusedBy].includes(error.code)) return false;
    throw error;
  }
}

/** An owner with these credits in buckets; the rest of `totalMicros` stays in MASTER. */
async function owner(buckets: Partial<Record<Bucket, bigint>>, totalMicros: bigint): Promise<string> {
  const world = worlds[0]!;
  const ownerId = await world.owner();
  const given = Object.values(buckets).reduce((sum, micros) => sum + micros, 0n);
  const amountMicros = totalMicros > given ? totalMicros : given;
  await world.db.transaction((tx) => correct(world.wallet, tx, { accountId: ownerId, amountMicros, id: newId() }));
  for (const to of BUCKETS) {
    const amount = buckets[to] ?? 0n;
    const move = { from: 'MASTER', to, amountMicros: amount, idempotencyKey: newId() } as const;
    if (amount > 0n) await world.wallet.allocate(ownerId, move);
  }
  return ownerId;
}

/** @returns the id of a paid top-up of so many paise */
async function paid(world: World, ownerId: string, amountMinor: bigint): Promise<string> {
  const { topUpId, orderId } = await world.topUp(ownerId, amountMinor);
  await world.tell({
    kind: 'captured',
    paymentId: `pay_${newId()}`,
    orderId,
    amountMinor,
    currency: 'INR',
    capturedAt: new Date('2026-03-01T10:00:00Z'),
    accountId: ownerId,
    topUpId,
    payers: [`vpa:${ownerId}@upi`],
  });
  return topUpId;
}

async function whatHappened(ownerId: string) {
  const [row] = await worlds[0]!.db.sql.query<{
    cloud: string;
    ai: string;
    creative: string;
    lowest: string;
    charged: string;
    arrears: string;
  }>(
    {
      name: 'draw-races-happened',
      text: `
        with draw as (
          select e.account_no, e.delta from ledger_tx t
            join ledger_entry e on e.owner_id = t.owner_id and e.tx_id = t.tx_id and e.account_no between 2 and 4
          where t.owner_id = $1 and t.idempotency_key ~ '^(escrow|storage):draw:'
        )
        select coalesce(sum(delta) filter (where account_no = 2), 0) as cloud,
          coalesce(sum(delta) filter (where account_no = 3), 0) as ai,
          coalesce(sum(delta) filter (where account_no = 4), 0) as creative,
          (select min(balance_after) from ledger_entry where owner_id = $1 and account_no < 50) as lowest,
          (select sum(charged_micros) from storage_day where account_id = $1) as charged,
          (select sum(arrears_micros) from storage_day where account_id = $1) as arrears
        from draw`,
    },
    [ownerId],
  );
  const { cloud, ai, creative, charged, arrears, lowest } = row!;
  return {
    drawn: { CLOUD: BigInt(cloud), AI: BigInt(ai), CREATIVE: BigInt(creative) },
    charged: BigInt(charged),
    arrears: BigInt(arrears),
    lowest: BigInt(lowest),
  };
}
