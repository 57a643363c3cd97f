import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { newId } from '../../../src/domain/shared/ids.js';
import { ReferralService } from '../../../src/domain/payments/referrals/referral.service.js';
import { verifyLedger } from '../../../src/domain/ledger/verify/verify.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { IS_FULL } from '../../support/effort.js';
import { Chance } from '../../support/proofs/chance.js';
import { World } from './model/world.js';

const RINGS = IS_FULL ? 200 : 12;
const CREDIT = 1_000_000n;
const CAPTURED_MS = Date.parse('2026-03-01T10:00:00Z');
const HOUR_MS = 3_600_000;

let database: TestDatabase;
let world: World;
let referrals: ReferralService;
beforeAll(async () => {
  database = await createTestDatabase();
  world = new World(database.runtimeUrl, 16);
  referrals = new ReferralService({
    db: world.db,
    logger: pino({ level: 'silent' }),
    publicUrl: 'https://dhara.example',
  });
});
afterAll(async () => {
  await world?.db.close();
  await database?.drop();
});

interface Member {
  readonly accountId: string;
  readonly card: string;
  readonly refundAfterMs: number | null;
}

/**
 * Accounts that refer each other in a circle. No sign-up can create that, but rows could: the worst case for bonuses
 * that cause bonuses, and for locks. All pay at once, some with one card, and some get a refund.
 */
async function ring(chance: Chance): Promise<Member[]> {
  const size = 2 + chance.below(5);
  const members: Member[] = [];
  for (let nth = 0; nth < size; nth += 1) {
    const refunds = chance.below(3);
    members.push({
      accountId: await world.owner(),
      card: chance.below(3) === 0 ? 'card:shared' : `card:${newId()}`,
      refundAfterMs: refunds === 0 ? HOUR_MS : refunds === 1 ? 49 * HOUR_MS : null,
    });
  }
  for (const [nth, { accountId }] of members.entries()) {
    await world.refer(accountId, members[(nth + size - 1) % size]!.accountId);
  }
  return members;
}

async function pay({ accountId, card, refundAfterMs }: Member): Promise<void> {
  const minor = 10_000n;
  const { topUpId, orderId } = await world.topUp(accountId, minor);
  const paymentId = `pay_${newId()}`;
  const payment = { paymentId, currency: 'INR', amountMinor: minor } as const;
  const captured = { kind: 'captured', ...payment, orderId, accountId, topUpId, payers: [card] } as const;
  await world.tell({ ...captured, capturedAt: new Date(CAPTURED_MS) });
  if (refundAfterMs === null) return;
  const refund = { refundId: `rfnd_${newId()}`, state: 'processed', requestKey: null } as const;
  await world.tell({ kind: 'refund', ...payment, ...refund, createdAt: new Date(CAPTURED_MS + refundAfterMs) });
}

describe('accounts that refer each other in a circle', () => {
  it(`earn one bonus for each first payment that was not refunded, in ${RINGS} rings`, async () => {
    const chance = Chance.of('rings');
    for (let nth = 0; nth < RINGS; nth += 1) {
      const members = await ring(chance);
      await Promise.all([...members.map(pay), referrals.deliver(), referrals.deliver()]);
      while ((await referrals.deliver()) > 0);

      const statuses = await world.db.sql.query<{ account_id: string; status: string; reason: string | null }>(
        {
          name: 'ring-statuses',
          text: 'select account_id, status, reason from referral where account_id = any ($1)',
        },
        [members.map(({ accountId }) => accountId)],
      );
      expect(statuses).toHaveLength(members.length);
      const granted = new Set(statuses.filter(({ status }) => status === 'granted').map((row) => row.account_id));
      for (const [at, member] of members.entries()) {
        const referrer = members[(at + members.length - 1) % members.length]!;
        const isInside = member.refundAfterMs !== null && member.refundAfterMs <= 48 * HOUR_MS;
        if (isInside) expect(granted.has(member.accountId), 'refunded inside the window').toBe(false);
        const isOwnCard = member.card === referrer.card;
        if (!isInside && !isOwnCard) expect(granted.has(member.accountId), 'paid, and stayed').toBe(true);
        // A member's balance depends only on its own referral and on that of its invitee.
        const invitee = members[(at + 1) % members.length]!;
        const bonuses =
          (granted.has(member.accountId) ? 2n * CREDIT : 0n) + (granted.has(invitee.accountId) ? 5n * CREDIT : 0n);
        const { balances } = await world.look(member.accountId);
        expect(-balances.get('PROMO')!, `bonuses of member ${at}`).toBe(bonuses);
        const kept = member.refundAfterMs === null ? 100n * CREDIT : 0n;
        expect(balances.get('MASTER')! + balances.get('DEBT')!).toBe(bonuses + kept);
      }
    }
    expect((await verifyLedger(world.db)).faults).toEqual([]);
  });
});
