import type { Sql } from '../../db/sql.js';
import { MICROS_PER_CREDIT } from '../wallet/credits.js';
import { putIn, takeOut, type LockedBalances } from '../wallet/movements.js';
import { post } from '../wallet/posting.js';
import { notifyWallet } from '../wallet/wallet.service.js';

/**
 * - Referrer: whose code it was. Invitee: who signed up with it.
 * - The bonus is granted for the invitee's first top-up: the one of all credited ones that was captured first.
 * - The window runs 48 hours from that capture; a refund created inside it, in part or whole, claws both bonuses back.
 */
export const BONUS_MICROS = { invitee: 2n * MICROS_PER_CREDIT, referrer: 5n * MICROS_PER_CREDIT } as const;

export const WINDOW_HOURS = 48;
const WINDOW_MS = WINDOW_HOURS * 3_600_000;

/** Which of the two wallets a bonus is for. */
export type BonusSide = keyof typeof BONUS_MICROS;

/** One bonus: the side's own wallet, and the invitee it is for. */
export interface Bonus {
  readonly side: BonusSide;
  readonly ownerId: string;
  readonly inviteeId: string;
  /** What caused it: the invitee's top-up, or to the referrer the invitee. */
  readonly reference: string;
}

/** True up to and including 48:00:00.000 after the capture, both by the provider's clock. */
export function isInsideWindow(capturedAt: Date, refundedAt: Date | null): boolean {
  return refundedAt !== null && refundedAt.getTime() - capturedAt.getTime() <= WINDOW_MS;
}

/** Books the bonus, repaying DEBT first, under the wallet's lock. */
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
  await notifyWallet(sql, bonus.ownerId);
}

/** Takes the bonus back from MASTER, CREATIVE, AI and CLOUD; what is spent already becomes DEBT. */
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
  await notifyWallet(sql, bonus.ownerId);
}

function keyOf({ inviteeId, side }: Bonus): string {
  return `referral:${inviteeId}:${side}`;
}
