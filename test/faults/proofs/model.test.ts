import { randomInt } from 'node:crypto';
import { env, stdout } from 'node:process';

import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { ReferralService } from '../../../src/domain/payments/referrals/referral.service.js';
import { verifyLedger } from '../../../src/domain/ledger/verify/verify.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { IS_FULL } from '../../support/effort.js';
import { DRAWN_STEPS } from './model/steps.js';
import { drawnRun, STEPS_PER_RUN, walk, type DrawnStep, type Walked } from './model/walk.js';
import { World } from './model/world.js';

/** With `TEST_FULL=1`, 100,000 steps. */
const RUNS = IS_FULL ? 2_000 : 80;
/** Runs at a time: enough to keep the database busy. */
const LANES = 8;
/** How many more lanes run at most, one after the other, while a step has not been taken. */
const MORE_LANES = 50;
const CREDIT = 1_000_000n;

let database: TestDatabase;
let world: World;
beforeAll(async () => {
  database = await createTestDatabase();
  world = new World(database.runtimeUrl, LANES);
  await world.setCalendar(database.migrationUrl);
});
afterAll(async () => {
  await world?.db.close();
  await database?.drop();
});

describe('the money of one owner, compared with a plain map of numbers', () => {
  it(`is the same after every step of ${RUNS} runs of ${STEPS_PER_RUN}`, { timeout: 1_800_000 }, async () => {
    const seed = Number(env['PROOF_SEED'] ?? randomInt(2 ** 31));
    stdout.write(`model: seed ${seed} (PROOF_SEED=${seed} takes the same ${RUNS} runs again)\n`);
    const counts = new Map<string, number>();
    const walked: Walked[] = [];
    // The lane that fails continues alone, to find its shortest failing run; the others stop.
    let failing: number | null = null;
    const run = (nth: number) =>
      fc.asyncProperty(drawnRun, async (drawn) => {
        if (failing !== null && failing !== nth) return;
        try {
          walked.push(await walk(world, drawn, (name) => counts.set(name, (counts.get(name) ?? 0) + 1)));
        } catch (error) {
          if (failing === null)
            stdout.write(`model: lane ${nth} fails, looking for its shortest run: ${String(error)}\n`);
          failing ??= nth;
          if (failing === nth) throw error;
        }
      });
    const lane = (nth: number) =>
      fc.assert(run(nth), { numRuns: RUNS / LANES, seed: seed + nth, asyncReporter: report });
    const ends = await Promise.allSettled(Array.from({ length: LANES }, (_, nth) => lane(nth)));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;

    expect(walked).toHaveLength(RUNS);
    const names = new Set<string>(DRAWN_STEPS);
    // Chance may leave a rare step out, and every step must be taken.
    for (let nth = LANES; counts.size < names.size && nth < LANES + MORE_LANES; nth += 1) await lane(nth);
    expect(walked.filter(({ history }) => history.steps !== STEPS_PER_RUN)).toEqual([]);
    expect(new Set(counts.keys())).toEqual(names);
    stdout.write(`model: ${[...counts].map(([name, count]) => `${name} ${count}`).join(', ')}\n`);

    await expectReferrersPaid(walked);
    const { faults, txCount } = await verifyLedger(world.db);
    expect(faults).toEqual([]);
    expect(txCount).toBeGreaterThan(RUNS * 20);
  });
});

/** Reports the steps of the shortest failing run, rather than all that were drawn. */
function report({ failed, seed, errorInstance }: fc.RunDetails<[DrawnStep[]]>): Promise<void> {
  if (!failed) return Promise.resolve();
  return Promise.reject(new Error(`seed ${seed}: ${String(errorInstance)}`, { cause: errorInstance }));
}

/** The outbox pays the referrers late, and once. */
async function expectReferrersPaid(walked: readonly Walked[]): Promise<void> {
  const logger = pino({ level: 'silent' });
  const referrals = new ReferralService({ db: world.db, logger, publicUrl: 'https://dhara.example' });
  while ((await referrals.deliver()) > 0);
  const bonuses = { none: 0n, pending: 0n, granted: 5n * CREDIT, 'clawed back': 0n };
  for (const { referrerId, history } of walked) {
    if (referrerId === null) continue;
    const { balances } = await world.look(referrerId);
    expect(balances.get('MASTER')).toBe(bonuses[history.referral]);
    expect(balances.get('PROMO')).toBe(-bonuses[history.referral]);
  }
}
