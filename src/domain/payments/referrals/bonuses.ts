import type { Sql } from '../../../db/sql.js';
import { putIn, takeOut, type LockedBalances } from '../../ledger/movements.js';
import { post } from '../../ledger/posting.js';
import { formatCredits } from '../../ledger/credits.js';
import { BONUS_MICROS, WINDOW_HOURS } from '../../ledger/referralTerms.js';
import { notifyWallet } from '../../ledger/wallet.service.js';
import { appendEvents } from '../../shared/events/appendEvent.js';

const WINDOW_MS = WINDOW_HOURS * 3_600_000;

/** Which of the two wallets a bonus is for. */
export type BonusSide = keyof typeof BONUS_MICROS;

/** One bonus: the wallet of its side, and the invitee that earned it. */
export interface Bonus {
  readonly side: BonusSide;
  readonly ownerId: string;
  readonly inviteeId: string;
  /** What caused it: for the invitee the top-up, for the referrer the invitee. */
  readonly reference: string;
}

/** True up to and including 48:00:00.000 after the capture, both by the provider's clock. */
export function isInsideWindow(capturedAt: Date, refundedAt: Date | null): boolean {
  return refundedAt !== null && refundedAt.getTime() - capturedAt.getTime() <= WINDOW_MS;
}

/** Posts the bonus, repaying DEBT first. Requires the wallet's lock. */
export async function grantBonus(sql: Sql, bonus: Bonus, balances: LockedBalances): Promise<void> {
  const amountMicros = BONUS_MICROS[bonus.side];
  await post(sql, {
    ownerId: bonus.ownerId,
    type: 'REFERRAL_BONUS',
    idempotencyKey: keyOf(bonus),
    deltas: { ...putIn(balances, amountMicros), PROMO: -amountMicros },
    intent: amountMicros.toString(),
    reference: bonus.reference,
    metadata: { invitee: bonus.inviteeId },
  });
  await appendBonusEvent(sql, 'referral.rewarded', bonus);
  await notifyWallet(sql, bonus.ownerId);
}

/** Takes the bonus back from MASTER, CREATIVE, AI and CLOUD. What is already spent becomes DEBT. */
export async function clawBack(sql: Sql, bonus: Bonus, balances: LockedBalances): Promise<void> {
  const amountMicros = BONUS_MICROS[bonus.side];
  await post(sql, {
    ownerId: bonus.ownerId,
    type: 'REFUND',
    idempotencyKey: `${keyOf(bonus)}:clawback`,
    deltas: { ...takeOut(balances, amountMicros), PROMO: amountMicros },
    intent: amountMicros.toString(),
    reference: bonus.reference,
    metadata: { invitee: bonus.inviteeId },
  });
  await appendBonusEvent(sql, 'referral.reversed', bonus);
  await notifyWallet(sql, bonus.ownerId);
}

async function appendBonusEvent(
  sql: Sql,
  type: 'referral.rewarded' | 'referral.reversed',
  { ownerId, inviteeId, side }: Bonus,
): Promise<void> {
  const data = { side, amount: formatCredits(BONUS_MICROS[side]) };
  await appendEvents(sql, [{ accountId: ownerId, type, fact: `${inviteeId}:${side}`, data }]);
}

function keyOf({ inviteeId, side }: Bonus): string {
  return `referral:${inviteeId}:${side}`;
}
