import type { Database, Statement } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import type { Logger } from '../../../logger.js';
import { raiseAlert } from '../../shared/alerts/raiseAlert.js';
import type { PaymentProviders } from './inbox.js';
import { TOPUP_COLUMNS, topUpOf, type TopUp, type TopUpRow } from '../topUps/topUp.js';

/** How long after its expiry the provider is still asked: a payer may have been on the pay page. */
const ASK_HOURS_AFTER_EXPIRY = 24;
const PAGE = 50;

const EXPIRE: Statement = {
  name: 'reconciler-expire',
  text: `
    update topup set status = 'expired'
    where next_check_at <= service_now() and status in ('opening', 'open') and expires_at <= service_now()`,
};

/**
 * Oldest first. The next look is put off before the provider is asked, so that one that never answers does not hold the
 * rest up, and another process does not ask as well: ten minutes, or the quarter hour after which somebody is told.
 */
const CLAIM: Statement = {
  name: 'reconciler-claim',
  text: `
    update topup t set next_check_at = case
        when t.expires_at + interval '${ASK_HOURS_AFTER_EXPIRY} hours' <= service_now() then null
        when t.created_at + interval '15 minutes' > service_now()
          then least(service_now() + interval '10 minutes', t.created_at + interval '15 minutes')
        else service_now() + interval '10 minutes' end
    from (
      select account_id, id from topup where next_check_at <= service_now()
      order by next_check_at, id limit ${PAGE} for update skip locked
    ) due
    where t.account_id = due.account_id and t.id = due.id
    returning ${TOPUP_COLUMNS.replaceAll(/\b(account_id|id)\b/g, 't.$1')}`,
};

const IS_TOLD: Statement = {
  name: 'reconciler-is-told',
  text: `
    select 1 as told from payment
    where account_id = $1 and provider = $2 and payment_id = $3 and captured_at is not null`,
};

/** Paid at the provider and not here, a quarter of an hour after the order: once. */
const MISSING: Statement = {
  name: 'reconciler-missing',
  text: `
    update topup set provider_paid_at = coalesce(provider_paid_at, service_now()),
      webhook_missing_since = case
        when service_now() not between created_at and created_at + interval '15 minutes' then service_now() end
    where account_id = $1 and id = $2 and status <> 'paid' and webhook_missing_since is null
    returning webhook_missing_since`,
};

/**
 * Asks providers about top-ups that nobody paid, as far as we were told. It never credits: what is paid without its
 * webhook is told to staff, who have the provider send it again.
 */
export class PaymentReconciler {
  constructor(
    private readonly deps: { readonly db: Database; readonly providers: PaymentProviders; readonly logger: Logger },
  ) {}

  /** Looks at every top-up that is due, once. @returns how many were looked at. */
  async reconcile(signal?: AbortSignal): Promise<number> {
    await this.deps.db.sql.query(EXPIRE);
    for (let count = 0; ;) {
      const rows = signal?.aborted ? [] : await this.deps.db.sql.query<TopUpRow>(CLAIM);
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
        const [told] = await db.sql.query(IS_TOLD, [accountId, topUp.provider, paymentId]);
        if (!told) await this.miss(topUp, paymentId);
      }
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      logger.warn({ scope: 'payments', accountId, topUp: id, err: error }, 'a provider could not be asked');
    }
  }

  private async miss(topUp: TopUp, paymentId: string): Promise<void> {
    const { accountId, id, provider } = topUp;
    await this.deps.db.transaction(async ({ sql }) => {
      const [seen] = await sql.query<{ webhook_missing_since: string | null }>(MISSING, [accountId, id]);
      if (!seen || seen.webhook_missing_since === null) return;
      await raiseAlert(sql, {
        kind: 'payment.webhook_missing',
        subject: id,
        message: `${provider} calls ${paymentId} paid, but its webhook has not come. Have the provider send it again.`,
        accountId,
      });
    });
  }
}
