import { randomInt } from 'node:crypto';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { newId } from '../../../src/domain/shared/ids.js';
import { IS_FULL } from '../../support/effort.js';
import { StorageScene } from '../../support/storage/scene.js';

const ACCOUNTS = IS_FULL ? 1000 : 60;
const NIGHTS = 365;
/** Includes a leap February. */
const FIRST_DAY = '2027-07-01';
const FIRST_MS = Date.parse(FIRST_DAY);
const MS_PER_DAY = 86_400_000;

/** What is stored from one time until another, in milliseconds; exact midnights are among them. */
interface Stretch {
  readonly bytes: bigint;
  readonly fromMs: number;
  readonly untilMs: number | null;
}

let scene: StorageScene;

beforeAll(async () => {
  scene = await StorageScene.open(FIRST_DAY);
});

afterAll(() => scene?.close());

it(`charges ${ACCOUNTS} random curves over ${NIGHTS} days to within a micro-credit of the exact sum`, async () => {
  const seed = Number(process.env['STORAGE_SEED'] ?? randomInt(2 ** 31));
  const random = randomFrom(seed);
  const curves = new Map(Array.from({ length: ACCOUNTS }, () => [newId(), randomCurve(random)] as const));
  await openAll(curves);

  await scene.setClock('2028-06-30T00:20:00Z');
  const nights = await scene.run();
  expect(nights).toHaveLength(NIGHTS);
  expect(nights.at(-1)?.day).toBe('2028-06-29');

  const { rows } = await scene.admin.query<{ account_id: string; charged: string; days: string }>(
    'select account_id, sum(charged_micros) as charged, count(*) as days from storage_day group by 1',
  );
  const charged = new Map(rows.map((row) => [row.account_id, BigInt(row.charged)]));
  const wrong = [...curves].filter(([accountId, curve]) => {
    const { numerator, denominator } = exactCost(curve);
    const owed = numerator - (charged.get(accountId) ?? 0n) * denominator;
    // Only ever late, by less than one micro-credit.
    return owed < 0n || owed >= denominator;
  });
  expect(wrong, `STORAGE_SEED=${seed}`).toEqual([]);
  // A few have nothing at any midnight.
  expect(rows.length).toBeGreaterThan(ACCOUNTS * 0.7);
  expect(await scene.faults()).toEqual([]);
});

/**
 * The exact sum, computed in another way than the service does: per day from the curve, over one common denominator.
 */
function exactCost(curve: readonly Stretch[]): { numerator: bigint; denominator: bigint } {
  const everyMonth = 28n * 29n * 30n * 31n;
  let numerator = 0n;
  for (let night = 0; night < NIGHTS; night += 1) {
    const endMs = FIRST_MS + (night + 1) * MS_PER_DAY;
    const day = new Date(endMs - 1);
    const monthDays = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0)).getUTCDate();
    for (const { bytes, fromMs, untilMs } of curve) {
      if (fromMs >= endMs || (untilMs !== null && untilMs < endMs)) continue;
      numerator += bytes * 1_500_000n * (everyMonth / BigInt(monthDays));
    }
  }
  return { numerator, denominator: 1_000_000_000n * everyMonth };
}

/** One to eight stretches, from a byte to ten terabytes. */
function randomCurve(random: () => number): Stretch[] {
  return Array.from({ length: 1 + Math.floor(random() * 8) }, () => {
    const fromMs = randomTime(random, -30);
    const untilMs = Math.max(fromMs + 1, randomTime(random, 0));
    const bytes = BigInt(Math.ceil(10 ** (random() * 13)));
    return { bytes, fromMs, untilMs: random() < 0.4 ? null : untilMs };
  });
}

function randomTime(random: () => number, fromDay: number): number {
  const days = fromDay + random() * (NIGHTS + 10 - fromDay);
  return FIRST_MS + Math.floor((random() < 0.2 ? Math.floor(days) : days) * MS_PER_DAY);
}

/** Some can pay for everything, some for a part, some for nothing; one in three may use MASTER. */
async function openAll(curves: ReadonlyMap<string, readonly Stretch[]>): Promise<void> {
  const ids = [...curves.keys()];
  await scene.admin.query('select open_account(id) from unnest($1::uuid[]) id', [ids]);
  await scene.fund(ids.slice(0, ACCOUNTS / 2), { CLOUD: 1_000_000_000n, MASTER: 500_000_000n });
  for (const id of ids.slice(ACCOUNTS / 3)) {
    await scene.wallet.setAutomaticAllocation(id, { bucket: 'CLOUD', enabled: false });
  }
  const stretches = ids.flatMap((id) => curves.get(id)!.map((stretch) => ({ id, ...stretch })));
  await scene.admin.query(
    `insert into stored_object (account_id, key, size_bytes, stored_at, removed_at)
     select id, 'sources/' || id || '/' || gen_random_uuid() || '/x', bytes, stored_at, removed_at
     from unnest($1::uuid[], $2::bigint[], $3::timestamptz[], $4::timestamptz[]) u(id, bytes, stored_at, removed_at)`,
    [
      stretches.map((stretch) => stretch.id),
      stretches.map((stretch) => stretch.bytes),
      stretches.map((stretch) => new Date(stretch.fromMs).toISOString()),
      stretches.map((stretch) => (stretch.untilMs === null ? null : new Date(stretch.untilMs).toISOString())),
    ],
  );
}

/** mulberry32: small, and the same on every machine. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
