import { type Database, execute, type Sql, type Transaction } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { recordAudit, type AuditAction } from '../../shared/audit.js';
import { lockStaff } from '../../accounts/staff.js';
import { isUuid, newId } from '../../shared/ids.js';
import type { KeyService } from '../../accounts/keys/keys.service.js';
import { formatAmount, parseAmount } from '../../payments/topUps/amounts.js';
import type { RefundService } from '../../payments/refunds/refund.service.js';
import { mayDecide } from './fourEyes.js';
import { checkedReason } from '../../shared/reason.js';
import { staffRequestOf, type StaffRequest, type StaffRequestKind, type StaffRequestStatus } from './staffRequest.js';
import * as statements from './staffRequest.sql.js';
import type { StaffOrder } from './support.service.js';
import { parseTimeCursor } from './timeCursor.js';

const MAX_KEY_LENGTH = 180;

export interface QuotaProposal extends StaffOrder {
  readonly apiKeyId: string;
  readonly dailyQuota: number;
  readonly idempotencyKey: string;
}

export interface RefundProposal extends StaffOrder {
  readonly topUpId: string;
  /** A decimal string in the top-up's currency. */
  readonly amount: string;
  readonly idempotencyKey: string;
}

export interface StaffDecision extends StaffOrder {
  readonly requestId: string;
}

interface Wish {
  readonly kind: StaffRequestKind;
  readonly apiKeyId: string | null;
  readonly dailyQuota: number | null;
  readonly topUpId: string | null;
  readonly amountMinor: bigint | null;
}

const ACTIONS: Readonly<Record<StaffRequestKind, { readonly propose: AuditAction; readonly refuse: AuditAction }>> = {
  refund: { propose: 'payment.propose_refund', refuse: 'payment.refuse_refund' },
  quota: { propose: 'api_key.propose_daily_quota', refuse: 'api_key.refuse_daily_quota' },
};

/**
 * Refunds and quotas that nobody may grant alone: for one's own account, a colleague's, a referrer's or an invitee's,
 * and refunds beyond the daily limit. One staff member requests, another approves, and the approval carries it out.
 */
export class StaffRequestService {
  constructor(
    private readonly deps: {
      readonly db: Database;
      readonly keys: Pick<KeyService, 'setDailyQuota' | 'checkQuota'>;
      readonly refunds: Pick<RefundService, 'checkRefundable' | 'writeApproved' | 'carryOut'>;
    },
  ) {}

  /**
   * Requests another daily quota. The same key is the same request.
   *
   * @throws API_KEY_NOT_FOUND, INVALID_INPUT, IDEMPOTENCY_CONFLICT
   */
  proposeQuota(proposal: QuotaProposal): Promise<StaffRequest> {
    const { accountId, apiKeyId, dailyQuota } = proposal;
    return this.propose(proposal, async (sql) => {
      await this.deps.keys.checkQuota(accountId, apiKeyId, dailyQuota, sql);
      return { kind: 'quota', apiKeyId: apiKeyId.toLowerCase(), dailyQuota, topUpId: null, amountMinor: null };
    });
  }

  /**
   * Requests a refund. The same key is the same request.
   *
   * @throws NOT_FOUND, INVALID_STATE (not paid), INVALID_INPUT (more than is left), IDEMPOTENCY_CONFLICT
   */
  proposeRefund(proposal: RefundProposal): Promise<StaffRequest> {
    const { accountId, topUpId, amount } = proposal;
    return this.propose(proposal, async (sql) => {
      const amountMinor = await this.deps.refunds.checkRefundable(sql, accountId, { topUpId, amount });
      return { kind: 'refund', apiKeyId: null, dailyQuota: null, topUpId: topUpId.toLowerCase(), amountMinor };
    });
  }

  /**
   * Carries out what another staff member requested. Approving twice, or concurrently, does it once.
   *
   * @throws NOT_FOUND, FORBIDDEN for one's own request or account, INVALID_STATE if it was refused or has expired, and
   * whatever prevents it, such as INVALID_INPUT if less is left of the top-up now: then it stays pending
   */
  async approve(decision: StaffDecision): Promise<StaffRequest> {
    const { accountId, actorId, requestId } = decision;
    const reason = checkedReason(decision.reason);
    const refundId = await this.deps.db.transaction(async (tx) => {
      const request = await this.lockOpen(tx.sql, decision, 'approved');
      if (request === null) return null;
      await execute(tx.sql, statements.DECIDE, { accountId, requestId, status: 'approved', actorId, reason });
      return this.execute(tx, request, actorId, reason);
    });
    if (refundId !== null) await this.deps.refunds.carryOut(accountId, refundId);
    return this.get(accountId, requestId);
  }

  /**
   * Refuses a request. @throws NOT_FOUND, FORBIDDEN for one's own request or account, INVALID_STATE if it was approved
   * or has expired
   */
  async refuse(decision: StaffDecision): Promise<StaffRequest> {
    const { accountId, actorId, requestId } = decision;
    const reason = checkedReason(decision.reason);
    await this.deps.db.transaction(async (tx) => {
      const request = await this.lockOpen(tx.sql, decision, 'refused');
      if (request === null) return;
      await execute(tx.sql, statements.DECIDE, { accountId, requestId, status: 'refused', actorId, reason });
      const action = ACTIONS[request.kind].refuse;
      const details = { ...wishDetails(request), requestedBy: request.requestedBy };
      await recordAudit(tx, { accountId, actorId, action, subject: requestId, reason, details });
    });
    return this.get(accountId, requestId);
  }

  /** Of all accounts, newest first. @throws INVALID_PARAMETER for a bad cursor. */
  async list(page: {
    first: number;
    after: string | null;
    status: StaffRequestStatus | null;
  }): Promise<StaffRequest[]> {
    const { status, first } = page;
    return (await execute(this.deps.db.sql, statements.LIST, { ...parseTimeCursor(page.after), status, first })).map(
      staffRequestOf,
    );
  }

  private async propose(proposal: QuotaProposal | RefundProposal, check: (sql: Sql) => Promise<Wish>) {
    const { actorId, idempotencyKey } = proposal;
    const accountId = proposal.accountId.toLowerCase();
    const reason = checkedReason(proposal.reason);
    if (!isUuid(accountId)) throw new AppError('ACCOUNT_NOT_FOUND', 'Account not found.');
    if (idempotencyKey.length === 0 || idempotencyKey.length > MAX_KEY_LENGTH) {
      throw new AppError('INVALID_INPUT', `An idempotency key has 1 to ${MAX_KEY_LENGTH} characters.`);
    }
    return this.deps.db.transaction(async (tx) => {
      const { sql } = tx;
      await lockStaff(sql, actorId);
      const [known] = await execute(sql, statements.BY_KEY, { accountId, idempotencyKey });
      const wish = known ? null : await check(sql);
      if (wish !== null) {
        const id = newId();
        const { kind } = wish;
        const [inserted] = await execute(sql, statements.INSERT, {
          ...wish,
          amountMinor: wish.amountMinor?.toString() ?? null,
          accountId,
          id,
          reason,
          idempotencyKey,
          actorId,
        });
        if (inserted) {
          const action = ACTIONS[kind].propose;
          await recordAudit(tx, { accountId, actorId, action, subject: id, reason, details: wishDetails(wish) });
        }
      }
      const [row] = await execute(sql, statements.BY_KEY, { accountId, idempotencyKey });
      return sameWish(staffRequestOf(row!), proposal);
    });
  }

  /** @returns the locked request, or `null` if it already has this outcome */
  private async lockOpen(
    sql: Sql,
    { accountId, actorId, requestId }: StaffDecision,
    outcome: 'approved' | 'refused',
  ): Promise<StaffRequest | null> {
    await lockStaff(sql, actorId);
    const isNamed = isUuid(accountId) && isUuid(requestId);
    const [row] = isNamed ? await execute(sql, statements.LOCK, { accountId, requestId }) : [];
    if (!row) throw new AppError('NOT_FOUND', 'Request not found.');
    const request = staffRequestOf(row);
    return (await mayDecide(sql, actorId, request, outcome)) ? request : null;
  }

  /** @returns the refund to request from the provider, or `null` for a quota */
  private async execute(
    tx: Transaction,
    request: StaffRequest,
    actorId: string,
    reason: string,
  ): Promise<string | null> {
    const { accountId, id, requestedBy, apiKeyId, dailyQuota, topUpId, amountMinor } = request;
    if (topUpId !== null && amountMinor !== null) {
      const people = { actorId: requestedBy, approvedBy: actorId, reason: request.reason };
      return this.deps.refunds.writeApproved(tx, { accountId, requestId: id, topUpId, amountMinor, ...people });
    }
    await this.deps.keys.setDailyQuota(accountId, apiKeyId!, dailyQuota!, tx.sql);
    const details = { to: dailyQuota, requestedBy };
    const action = 'api_key.set_daily_quota';
    await recordAudit(tx, { accountId, actorId, action, subject: apiKeyId!, reason, details });
    return null;
  }

  private async get(accountId: string, id: string): Promise<StaffRequest> {
    const [row] = await execute(this.deps.db.sql, statements.FIND, { accountId, id });
    return staffRequestOf(row!);
  }
}

function wishDetails({ apiKeyId, dailyQuota, topUpId, amountMinor }: Omit<Wish, 'kind'>): Record<string, unknown> {
  return amountMinor === null
    ? { apiKey: apiKeyId, to: dailyQuota }
    : { topUp: topUpId, amount: formatAmount(amountMinor) };
}

function sameWish(known: StaffRequest, proposal: QuotaProposal | RefundProposal): StaffRequest {
  const isSame =
    'apiKeyId' in proposal
      ? known.apiKeyId === proposal.apiKeyId.toLowerCase() && known.dailyQuota === proposal.dailyQuota
      : known.topUpId === proposal.topUpId.toLowerCase() && known.amountMinor === parseAmount(proposal.amount);
  if (isSame && known.requestedBy === proposal.actorId) return known;
  throw new AppError('IDEMPOTENCY_CONFLICT', 'This idempotency key was used for something else.');
}
