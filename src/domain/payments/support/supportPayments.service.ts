import { type Database, execute } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import type { ProviderName } from '../../../ports/paymentProvider.js';
import { recordAudit } from '../../shared/audit.js';
import { isUuid } from '../../shared/ids.js';
import { checkedReason } from '../../shared/reason.js';
import type { PaymentInbox } from '../inbox/inbox.js';
import { REPLAY_EVENT } from '../inbox/inbox.sql.js';
import { RESOLVE_SUSPENSE } from '../settlement/settleSuspense.js';
import {
  suspenseItemOf,
  webhookEventOf,
  type SuspenseItem,
  type WebhookEvent,
  type WebhookStatus,
} from './supportPayments.views.js';
import { LIST_EVENTS, LIST_MISSING, LIST_SUSPENSE, ONE_EVENT } from './supportPayments.sql.js';
import { NOBODY } from '../settlement/settlePayment.js';
import { topUpOf } from '../topUps/topUp.js';
import { LIST_TOPUPS } from '../topUps/topUp.sql.js';
import { readDetails, type TopUpDetails } from '../topUps/topUpDetails.js';

/** A page of a list, newest first. `after` is the previous page's last id. */
export interface Page {
  readonly first: number;
  readonly after: string | null;
}

/** What staff see of incoming money, and the little they can do with it. The audit trail records all of it. */
export class SupportPayments {
  constructor(private readonly deps: { readonly db: Database; readonly inbox: Pick<PaymentInbox, 'wake'> }) {}

  /** The webhook inbox, newest first. */
  async webhooks(
    filter: { status: WebhookStatus | null; provider: ProviderName | null },
    page: Page,
  ): Promise<WebhookEvent[]> {
    return (
      await execute(this.deps.db.sql, LIST_EVENTS, {
        status: filter.status,
        provider: filter.provider,
        id: checkedCursor(page.after),
        first: page.first,
      })
    ).map(webhookEventOf);
  }

  /** One webhook with its original body or, once redacted, the facts that replaced it. @throws NOT_FOUND */
  async webhook(id: string): Promise<WebhookEvent & { readonly body: string }> {
    const [row] = isUuid(id) ? await execute(this.deps.db.sql, ONE_EVENT, { id }) : [];
    if (!row) throw new AppError('NOT_FOUND', 'Webhook not found.');
    return { ...webhookEventOf(row), body: row.facts ?? row.body.toString() };
  }

  /** Processes a stored webhook again. What is already posted is not posted twice. @throws NOT_FOUND */
  async replay(id: string, actorId: string, reason: string): Promise<WebhookEvent> {
    const checked = checkedReason(reason);
    const replayed = await this.deps.db.transaction(async (tx) => {
      const [row] = isUuid(id) ? await execute(tx.sql, REPLAY_EVENT, { id }) : [];
      if (!row) throw new AppError('NOT_FOUND', 'Webhook not found.');
      await recordAudit(tx, {
        accountId: row.account_id ?? NOBODY,
        actorId,
        action: 'payment.replay_webhook',
        subject: `${row.provider}: ${row.event_id}`,
        reason: checked,
      });
      return webhookEventOf(row);
    });
    this.deps.inbox.wake();
    return replayed;
  }

  /** Money that could not be credited. */
  async suspense(filter: { all: boolean }, page: Page): Promise<SuspenseItem[]> {
    return (
      await execute(this.deps.db.sql, LIST_SUSPENSE, {
        all: filter.all,
        id: checkedCursor(page.after),
        first: page.first,
      })
    ).map(suspenseItemOf);
  }

  /**
   * Closes an item with a note, and posts nothing. Money that goes back is posted by its webhook, which closes the item
   * by itself.
   *
   * @throws NOT_FOUND if it is not open
   */
  resolveSuspense(id: string, actorId: string, reason: string): Promise<SuspenseItem> {
    const resolution = checkedReason(reason);
    return this.deps.db.transaction(async (tx) => {
      const [row] = isUuid(id) ? await execute(tx.sql, RESOLVE_SUSPENSE, { id, resolution, actorId }) : [];
      if (!row) throw new AppError('NOT_FOUND', 'Open item not found.');
      await recordAudit(tx, {
        accountId: row.account_id,
        actorId,
        action: 'payment.resolve_suspense',
        subject: row.payment_id,
        reason: resolution,
        details: { amountMinor: row.amount_minor, currency: row.currency, item: row.id },
      });
      return suspenseItemOf(row);
    });
  }

  /** Top-ups that the provider reports as paid, but whose webhook has not arrived. */
  async withoutWebhook(page: Page): Promise<TopUpDetails[]> {
    const rows = await execute(this.deps.db.sql, LIST_MISSING, { id: checkedCursor(page.after), first: page.first });
    // None of them is credited, so there is nothing to read.
    return rows.map((row) => ({ ...topUpOf(row), refunds: [], disputes: [], refundableMinor: 0n }));
  }

  /** The top-ups of one account. */
  async topUps(accountId: string, page: Page): Promise<TopUpDetails[]> {
    const rows = isUuid(accountId)
      ? await execute(this.deps.db.sql, LIST_TOPUPS, { accountId, after: checkedCursor(page.after), first: page.first })
      : [];
    return readDetails(this.deps.db.sql, accountId, rows.map(topUpOf));
  }
}

function checkedCursor(after: string | null): string | null {
  if (after !== null && !isUuid(after)) {
    throw new AppError('INVALID_PARAMETER', 'after: invalid cursor.');
  }
  return after;
}
