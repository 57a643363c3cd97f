import { type Database, execute, type Sql } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import type { Logger } from '../../../logger.js';
import { raiseAlert } from '../../shared/alerts/raiseAlert.js';
import { lockWallet } from '../../ledger/lockWallet.js';
import { putIn } from '../../ledger/movements.js';
import { post } from '../../ledger/posting.js';
import { notifyWallet } from '../../ledger/wallet.service.js';
import type { PaymentProviders } from '../inbox/inbox.js';
import { TAKE_TURN, TIE_REFUND } from '../settlement/payment.sql.js';
import { ANSWERED, LOCK_REQUEST, NEXT_DUE, PUT_OFF, REFUSED, REQUEST_BY_ID, TOLD_REFUND } from './refund.sql.js';
import { refundRequestOf, type RefundRequest } from './refundRequest.js';
import { settlePayment } from '../settlement/settlePayment.js';
import { LOCK_TOPUP } from '../topUps/topUp.js';

export interface RefundDeps {
  readonly db: Database;
  readonly providers: PaymentProviders;
  readonly logger: Logger;
  /** The key for hashing payers. */
  readonly payerKey: Buffer;
  /** How much one staff member may adjust and refund alone on one UTC day. */
  readonly staffLimitMicros: bigint;
}

/** The hours that these take are longer than an outage of a provider. */
const MANY_ATTEMPTS = 10;

/** Calls providers for refund requests, and handles their responses. Only webhooks post what was refunded. */
export class RefundCalls {
  constructor(private readonly deps: RefundDeps) {}

  /**
   * Asks unavailable providers again, with the same key. Raises an alert for a refund that does not end, because
   * otherwise nobody would notice that its hold stays forever.
   *
   * @returns how many were looked at
   */
  async retry(signal?: AbortSignal): Promise<number> {
    for (let count = 0; ; count += 1) {
      if (signal?.aborted) return count;
      const [due] = await execute(this.deps.db.sql, NEXT_DUE);
      if (!due) return count;
      const { account_id: accountId, id, attempts } = due;
      const wasAnswered = await this.carryOut(accountId, id);
      if (wasAnswered || attempts >= MANY_ATTEMPTS) await this.alertStuck(accountId, id);
    }
  }

  private async alertStuck(accountId: string, id: string): Promise<void> {
    const { sql } = this.deps.db;
    const [row] = await execute(sql, REQUEST_BY_ID, { accountId, id });
    if (row?.status !== 'requested') return;
    const { provider, payment_id: paymentId, refund_id: refundId } = row;
    const message =
      refundId === null
        ? `${provider} has not accepted a refund of ${paymentId}: ${row.last_error ?? 'no response'}`
        : `${provider} accepted refund ${refundId} of ${paymentId}, but has not reported its outcome. Have it send the webhook again.`;
    await raiseAlert(sql, { kind: 'payment.refund_stuck', subject: id, message, accountId });
  }

  /** Calls the provider unless it has already answered. A response moves no money. @returns whether it had answered */
  async carryOut(accountId: string, id: string): Promise<boolean> {
    const { db } = this.deps;
    const [row] = await execute(db.sql, REQUEST_BY_ID, { accountId, id });
    if (row?.status !== 'requested' || row.refund_id !== null) return true;
    const request = refundRequestOf(row);
    const told = await toldRefund(db.sql, request);
    if (told === null) await this.call(request);
    else await this.answered(request, told);
    return false;
  }

  private async call(request: RefundRequest): Promise<void> {
    const { db, providers, logger } = this.deps;
    const { accountId, id } = request;
    const provider = providers.get(request.provider);
    try {
      if (!provider) throw new AppError('PROVIDER_UNAVAILABLE', `${request.provider} is not set up.`);
      const { refundId } = await provider.refund({
        paymentId: request.paymentId,
        amountMinor: request.amountMinor,
        currency: provider.currency,
        idempotencyKey: request.id,
        accountId,
        topUpId: request.topUpId,
      });
      await this.answered(request, refundId);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error.code === 'INVALID_STATE') return this.refused(request, error.message);
      logger.warn({ scope: 'payments', accountId, refund: id, err: error }, 'could not request a refund');
      await execute(db.sql, PUT_OFF, { accountId, id, message: error.message });
    }
  }

  /** Its webhook may already have been posted as a refund we did not request. From now on the hold covers it. */
  private async answered(request: RefundRequest, refundId: string): Promise<void> {
    const { accountId, id, provider, paymentId } = request;
    await this.deps.db.transaction(async ({ sql }) => {
      await execute(sql, TAKE_TURN, { provider, paymentId });
      await execute(sql, ANSWERED, { accountId, id, refundId });
      await execute(sql, TIE_REFUND, { accountId, provider, refundId, requestId: id });
      await this.settle(sql, request);
    });
  }

  private async refused(request: RefundRequest, message: string): Promise<void> {
    const { accountId, id, provider, paymentId, heldMicros } = request;
    await this.deps.db.transaction(async ({ sql }) => {
      await execute(sql, TAKE_TURN, { provider, paymentId });
      await execute(sql, LOCK_TOPUP, { accountId, topUpId: request.topUpId });
      const [row] = await execute(sql, LOCK_REQUEST, { accountId, id });
      if (row?.status !== 'requested') return;
      // The refusal may concern only the repeated call: an earlier call, whose response was lost, may have succeeded.
      const told = await toldRefund(sql, request);
      await (told === null
        ? execute(sql, REFUSED, { accountId, id, message })
        : execute(sql, ANSWERED, { accountId, id, refundId: told }));
      if (told === null && heldMicros > 0n) {
        await post(sql, {
          ownerId: accountId,
          type: 'REFUND',
          idempotencyKey: `refund-request:${id}:returned`,
          deltas: { ...putIn(await lockWallet(sql, accountId), heldMicros), REFUND_HOLD: -heldMicros },
          intent: heldMicros.toString(),
          reference: request.topUpId,
          metadata: { provider, payment: paymentId },
        });
        await notifyWallet(sql, accountId);
      }
      // A dispute can now count what was held until here.
      await this.settle(sql, request);
    });
  }

  private async settle(sql: Sql, { provider, paymentId }: RefundRequest): Promise<void> {
    const { payerKey, providers } = this.deps;
    const sandbox = providers.get(provider)?.sandbox ?? false;
    await settlePayment(sql, { provider, sandbox, paymentId, facts: [], payerKey }, async () => Promise.resolve([]));
  }
}

async function toldRefund(sql: Sql, { accountId, provider, paymentId, id }: RefundRequest): Promise<string | null> {
  const [told] = await execute(sql, TOLD_REFUND, { accountId, provider, paymentId, requestId: id });
  return told?.refund_id ?? null;
}
