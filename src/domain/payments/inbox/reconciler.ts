import type { ProviderName } from '../../../ports/paymentProvider.js';
import { type Database, execute, statement } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import type { Logger } from '../../../logger.js';
import { CLAIM_DUE, EXPIRE_DUE, NOTE_MISSING_WEBHOOK } from '../topUps/topUp.sql.js';
import { raiseAlert } from '../../shared/alerts/raiseAlert.js';
import type { PaymentProviders } from './inbox.js';
import { topUpOf, type TopUp } from '../topUps/topUp.js';

const IS_TOLD = statement<{ accountId: string; provider: ProviderName; paymentId: string }>(
  'reconciler-is-told',
  `
    select 1 as told from payment
    where account_id = :accountId and provider = :provider and payment_id = :paymentId and captured_at is not null`,
);

/**
 * Asks providers about top-ups without a payment webhook. Never credits: if one was paid, it alerts staff, who have the
 * provider send the webhook again.
 */
export class PaymentReconciler {
  constructor(
    private readonly deps: { readonly db: Database; readonly providers: PaymentProviders; readonly logger: Logger },
  ) {}

  /** Checks every top-up that is due, once. @returns how many were checked */
  async reconcile(signal?: AbortSignal): Promise<number> {
    await execute(this.deps.db.sql, EXPIRE_DUE);
    for (let count = 0; ;) {
      const rows = signal?.aborted ? [] : await execute(this.deps.db.sql, CLAIM_DUE);
      if (rows.length === 0) return count;
      for (const topUp of rows.map(topUpOf)) {
        if (signal?.aborted) return count;
        await this.look(topUp);
        count += 1;
      }
    }
  }

  private async look(topUp: TopUp): Promise<void> {
    const { db, providers, logger } = this.deps;
    const { accountId, id, checkout } = topUp;
    const provider = providers.get(topUp.provider);
    if (!provider || checkout === null || provider.sandbox !== topUp.sandbox) return;
    try {
      for (const { paymentId } of await provider.paymentsOf(checkout.orderId)) {
        const [told] = await execute(db.sql, IS_TOLD, { accountId, provider: topUp.provider, paymentId });
        if (!told) await this.miss(topUp, paymentId);
      }
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      logger.warn({ scope: 'payments', accountId, topUp: id, err: error }, 'could not ask a provider about a top-up');
    }
  }

  private async miss(topUp: TopUp, paymentId: string): Promise<void> {
    const { accountId, id, provider } = topUp;
    await this.deps.db.transaction(async ({ sql }) => {
      const [seen] = await execute(sql, NOTE_MISSING_WEBHOOK, { accountId, id });
      if (!seen || seen.webhook_missing_since === null) return;
      await raiseAlert(sql, {
        kind: 'payment.webhook_missing',
        subject: id,
        message: `${provider} reports ${paymentId} as paid, but its webhook has not arrived. Have the provider send it again.`,
        accountId,
      });
    });
  }
}
