import { execute, type Sql } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { lockWallet } from '../../ledger/lockWallet.js';
import type { LockedBalances } from '../../ledger/movements.js';
import { clawBack, grantBonus, type Bonus } from './bonuses.js';
import { hasPaidWith } from './settleReferral.js';
import {
  DELIVERED,
  HAS_INVITEE_OF_PAYER,
  INVITEE_GRANTED,
  KEEP_INVITEE_PAYERS,
  NOTE_INVITEE,
  SET_INVITEE_STATUS,
  type OutboxRow,
  type ReferralStatus,
  type Outcome,
} from './referral.sql.js';

/**
 * Delivers one locked outbox row to the referrer's side and marks it, in one transaction, so it takes effect once
 * however often it is tried. A suspended referrer is treated like any other: they cannot spend while suspended, and
 * lose nothing if the suspension is lifted.
 */
export async function deliverRow(sql: Sql, row: OutboxRow): Promise<Outcome> {
  const outcome = await act(sql, row);
  await execute(sql, DELIVERED, { accountId: row.account_id, seq: row.seq, outcome });
  return outcome;
}

function act(sql: Sql, row: OutboxRow): Promise<Outcome> {
  switch (row.kind) {
    case 'joined':
      return join(sql, row);
    case 'granted':
      return grant(sql, row);
    case 'cancelled':
      return note(sql, row, 'cancelled');
    case 'clawed_back':
      return takeBack(sql, row);
  }
}

async function join(sql: Sql, row: OutboxRow): Promise<Outcome> {
  await execute(sql, NOTE_INVITEE, {
    referrerId: row.referrer_id,
    accountId: row.account_id,
    maskedEmail: row.masked_email,
    joinedAt: row.joined_at,
  });
  return 'noted';
}

async function grant(sql: Sql, row: OutboxRow): Promise<Outcome> {
  const balances = await walletOf(sql, row.referrer_id);
  if (balances === null) return 'vanished';
  if (await isKnownPayer(sql, row)) {
    await note(sql, row, 'cancelled');
    return 'refused';
  }
  await grantBonus(sql, bonusOf(row), balances);
  await note(sql, row, 'granted');
  await execute(sql, KEEP_INVITEE_PAYERS, {
    referrerId: row.referrer_id,
    accountId: row.account_id,
    payerHashes: row.payer_hashes,
  });
  return 'booked';
}

/**
 * Each payer earns a referrer one bonus. True if the referrer has paid with the same means, or another invitee of
 * theirs has. The referrer is checked again here, because the invitee's side cannot see them in a separate database.
 */
async function isKnownPayer(sql: Sql, row: OutboxRow): Promise<boolean> {
  if (await hasPaidWith(sql, row.referrer_id, row.payer_hashes)) return true;

  const [other] = await execute(sql, HAS_INVITEE_OF_PAYER, {
    referrerId: row.referrer_id,
    accountId: row.account_id,
    payerHashes: row.payer_hashes,
  });
  return other?.same === true;
}

async function takeBack(sql: Sql, row: OutboxRow): Promise<Outcome> {
  const balances = await walletOf(sql, row.referrer_id);
  if (balances === null) return 'vanished';
  const [invitee] = await execute(sql, INVITEE_GRANTED, { referrerId: row.referrer_id, accountId: row.account_id });
  // It was refused earlier, so there is nothing to claw back.
  if (!invitee?.granted) return 'noted';
  await clawBack(sql, bonusOf(row), balances);
  await note(sql, row, 'clawed_back');
  return 'booked';
}

async function note(sql: Sql, row: OutboxRow, status: ReferralStatus): Promise<Outcome> {
  const { referrer_id, account_id, window_ends_at } = row;
  await execute(sql, SET_INVITEE_STATUS, {
    referrerId: referrer_id,
    accountId: account_id,
    status,
    isGranted: status === 'granted',
    windowEndsAt: window_ends_at,
  });
  return 'noted';
}

async function walletOf(sql: Sql, ownerId: string): Promise<LockedBalances | null> {
  try {
    return await lockWallet(sql, ownerId);
  } catch (error) {
    if (error instanceof AppError && error.code === 'ACCOUNT_NOT_FOUND') return null;
    throw error;
  }
}

function bonusOf(row: OutboxRow): Bonus {
  return { side: 'referrer', ownerId: row.referrer_id, inviteeId: row.account_id, reference: row.account_id };
}
