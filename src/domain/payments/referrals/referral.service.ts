import { type Database, execute, type Sql } from '../../../db/sql.js';
import { AppError, isDatabaseUnavailable } from '../../../errors.js';
import type { Logger } from '../../../logger.js';
import { raiseAlert } from '../../shared/alerts/raiseAlert.js';
import { BONUS_MICROS, WINDOW_HOURS } from '../../ledger/referralTerms.js';
import { deliverRow } from './delivery.js';
import { endRefused } from './settleReferral.js';
import {
  CODE_IS_VALID,
  CODE_OF,
  DELIVER_LATER,
  type InviteeRow,
  INVITEES,
  NEXT_REFUSED,
  NEXT_TO_DELIVER,
  REFERRAL_OF,
  TOTALS,
  type OutboxRow,
  type ReferralStatus,
  type Totals,
} from './referral.sql.js';

/** The most rows per run; the next run continues. */
const MAX_AT_ONCE = 1_000;
/** Longer texts are never codes, whatever their spacing. */
const MAX_CODE_LENGTH = 64;

/** An account's referrals, as its owner sees them. */
export interface ReferralOverview {
  readonly accountId: string;
  readonly code: string;
  /** The sign-up page with the code filled in. */
  readonly link: string;
  readonly totals: ReferralTotals;
}

export interface ReferralTotals {
  readonly invited: number;
  readonly pending: number;
  readonly granted: number;
  readonly clawedBack: number;
  /** Of bonuses that were not clawed back. */
  readonly earnedMicros: bigint;
}

/** A person who signed up with the owner's code. */
export interface Invitee {
  readonly id: string;
  readonly status: ReferralStatus;
  /** Such as `a•••@example.com`. */
  readonly maskedEmail: string;
  readonly joinedAt: Date;
  /** What the owner currently has from it. */
  readonly bonusMicros: bigint;
  /** Until when a refund claws the bonus back; null before the first top-up. */
  readonly windowEndsAt: Date | null;
  readonly cursor: string;
}

const BEFORE_EVERYTHING = { afterTime: 'infinity', afterId: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };
const CURSOR = /^([0-9: .+-]{19,40})_([0-9a-f-]{36})$/;

export interface ReferralServiceDeps {
  readonly db: Database;
  readonly logger: Logger;
  /** Without a trailing slash. */
  readonly publicUrl: string;
}

/** Codes, invitees and the referrer's bonuses. `settleReferral` handles the invitee's side. */
export class ReferralService {
  constructor(private readonly deps: ReferralServiceDeps) {}

  /** @throws ACCOUNT_NOT_FOUND */
  async overview(accountId: string): Promise<ReferralOverview> {
    const { sql } = this.deps.db;
    const [owner] = await execute(sql, CODE_OF, { accountId });
    if (!owner) throw new AppError('ACCOUNT_NOT_FOUND', 'Account not found.');
    const [row] = await execute(sql, TOTALS, { accountId });
    return {
      accountId,
      code: owner.code,
      link: `${this.deps.publicUrl}/sign-up?ref=${owner.code}`,
      totals: totalsOf(row!),
    };
  }

  /** The bonus for the account's own first top-up; `null` if it signed up without a code, or has already topped up. */
  async ownBonusMicros(accountId: string): Promise<bigint | null> {
    const [row] = await execute(this.deps.db.sql, REFERRAL_OF, { accountId });
    return row?.status === 'pending' ? BONUS_MICROS.invitee : null;
  }

  /**
   * Returns the owner's invitees, newest first, at most `first`.
   *
   * @throws INVALID_PARAMETER for an invalid cursor
   */
  async invitees(accountId: string, page: { first: number; after: string | null }): Promise<Invitee[]> {
    const start = page.after === null ? BEFORE_EVERYTHING : parseCursor(page.after);
    const rows = await execute(this.deps.db.sql, INVITEES, { accountId, ...start, first: page.first });
    return rows.map(inviteeOf);
  }

  /** Whether signing up with this code would create a referral. Codes are public: anyone may ask. */
  async isValidCode(code: string): Promise<boolean> {
    if (code.length > MAX_CODE_LENGTH || code.includes('\0')) return false;
    const [row] = await execute(this.deps.db.sql, CODE_IS_VALID, { code });
    return row?.valid === true;
  }

  /**
   * Delivers facts of the invitees' side to the referrers' side: one transaction per fact, in order for each invitee. A
   * failure is retried later, with an alert, and does not block others.
   *
   * @returns how many were delivered
   */
  async deliver(signal?: AbortSignal): Promise<number> {
    let delivered = 0;
    for (let tried = 0; tried < MAX_AT_ONCE; tried += 1) {
      if (signal?.aborted) return delivered;
      const outcome = await this.deliverNext();
      if (outcome === 'none') break;
      if (outcome === 'told') delivered += 1;
    }
    await this.endRefused(signal);
    return delivered;
  }

  private async deliverNext(): Promise<'told' | 'failed' | 'none'> {
    let row: OutboxRow | undefined;
    try {
      await this.deps.db.transaction(async ({ sql }) => {
        [row] = await execute(sql, NEXT_TO_DELIVER, { windowHours: WINDOW_HOURS });
        if (row) await deliverRow(sql, row);
      });
    } catch (error) {
      if (!row || isDatabaseUnavailable(error)) throw error;
      this.deps.logger.error({ scope: 'job', accountId: row.account_id, err: error }, 'could not deliver a referral');
      await this.deps.db.transaction(({ sql }) => postpone(sql, row!));
      return 'failed';
    }
    return row ? 'told' : 'none';
  }

  /** The invitees' half of a refusal, in its own transaction: no posting ever spans owners. */
  private async endRefused(signal?: AbortSignal): Promise<void> {
    for (let done = 0; done < MAX_AT_ONCE; done += 1) {
      if (signal?.aborted) return;
      const [refused] = await execute(this.deps.db.sql, NEXT_REFUSED);
      if (!refused) return;
      await this.deps.db.transaction(({ sql }) => endRefused(sql, refused.account_id));
    }
  }
}

async function postpone(sql: Sql, row: OutboxRow): Promise<void> {
  await execute(sql, DELIVER_LATER, { accountId: row.account_id, seq: row.seq });
  await raiseAlert(sql, {
    kind: 'referral.undelivered',
    subject: `${row.account_id}:${row.kind}`,
    message: 'A referral bonus could not be posted for the referrer. The service tries again within the hour.',
    accountId: row.referrer_id,
  });
}

function totalsOf(row: Totals): ReferralTotals {
  return {
    invited: Number(row.invited),
    pending: Number(row.pending),
    granted: Number(row.granted),
    clawedBack: Number(row.clawed_back),
    earnedMicros: BigInt(row.granted) * BONUS_MICROS.referrer,
  };
}

function inviteeOf(row: InviteeRow): Invitee {
  return {
    id: row.invitee_id,
    status: row.status,
    maskedEmail: row.masked_email,
    joinedAt: new Date(row.joined_at),
    bonusMicros: row.status === 'granted' ? BONUS_MICROS.referrer : 0n,
    windowEndsAt: row.window_ends_at === null ? null : new Date(row.window_ends_at),
    // PostgreSQL's text keeps the microseconds that a Date would lose.
    cursor: Buffer.from(`${row.joined_at}_${row.invitee_id}`).toString('base64url'),
  };
}

function parseCursor(cursor: string): typeof BEFORE_EVERYTHING {
  const match = CURSOR.exec(Buffer.from(cursor, 'base64url').toString());
  if (!match || Number.isNaN(Date.parse(match[1]!))) {
    throw new AppError('INVALID_PARAMETER', 'after: invalid cursor.');
  }
  return { afterTime: match[1]!, afterId: match[2]! };
}
