import { createHash } from 'node:crypto';

import { type Database, execute, type Sql } from '../../../db/sql.js';
import { isDatabaseUnavailable } from '../../../errors.js';
import type { Logger } from '../../../logger.js';
import type { PaymentFact, PaymentProvider, ProviderName, SignedEvent } from '../../../ports/paymentProvider.js';
import { raiseAlert } from '../../shared/alerts/raiseAlert.js';
import { newId } from '../../shared/ids.js';
import {
  INBOX_DONE,
  INBOX_FAILED,
  INBOX_NEXT,
  INBOX_RECEIVE,
  INBOX_WAITING,
  INBOX_WAKE,
  type EventRow,
} from './inbox.sql.js';
import { settlePayment, type Settlement } from '../settlement/settlePayment.js';
import { factsOfWebhook } from './storedFacts.js';

export type PaymentProviders = ReadonlyMap<ProviderName, PaymentProvider>;

/** SQLSTATEs of transactions that collided. A retry is likely to succeed. */
const COLLISION = /^(40001|40P01|55P03)$/;
const MAX_ERROR_LENGTH = 1000;
/** For an event with facts of several payments: the most significant status comes first. */
const RANK: readonly Settlement['status'][] = ['suspense', 'waiting', 'done', 'ignored'];

/**
 * Signed webhooks: stored first, then processed, each in its own transaction. A process that dies in between loses
 * nothing, and processing an event twice changes nothing.
 */
export class PaymentInbox {
  private draining: Promise<void> | null = null;
  private wokenMeanwhile = false;
  private readonly stopping = new AbortController();

  constructor(
    private readonly deps: {
      readonly db: Database;
      readonly providers: PaymentProviders;
      readonly logger: Logger;
      /** The key for hashing payers. */
      readonly payerKey: Buffer;
    },
  ) {}

  /**
   * Stores a webhook whose signature was verified, byte for byte, in one statement.
   *
   * @returns whether it is new. @throws if the database is unavailable; the provider then sends it again.
   */
  async receive(provider: ProviderName, event: SignedEvent, rawBody: Buffer): Promise<boolean> {
    const hash = createHash('sha256').update(rawBody).digest();

    const rows = await execute(this.deps.db.sql, INBOX_RECEIVE, {
      provider,
      eventId: event.eventId,
      hash,
      id: newId(),
      type: event.type,
      createdAt: event.createdAt,
      rawBody,
    });
    return rows.length > 0;
  }

  /** Processes the inbox in this process without blocking the caller. Never throws. */
  wake(): void {
    if (this.stopping.signal.aborted) return;
    if (this.draining) {
      this.wokenMeanwhile = true;
      return;
    }
    this.draining = this.drain(this.stopping.signal)
      .catch((error: unknown) => {
        this.deps.logger.warn({ scope: 'payments', err: error }, 'could not process the webhook inbox');
      })
      .then(() => {
        this.draining = null;
        if (!this.wokenMeanwhile) return;
        this.wokenMeanwhile = false;
        this.wake();
      });
  }

  /** Resolves once work in progress is done. No new work starts. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.draining;
  }

  /**
   * Processes everything that is due, alongside any other process that does.
   *
   * @returns how many events. @throws if the database is unavailable; other errors are stored with their event.
   */
  async drain(signal?: AbortSignal): Promise<number> {
    for (let count = 0; ; count += 1) {
      if (signal?.aborted || !(await this.next())) return count;
    }
  }

  private async next(): Promise<boolean> {
    let inHand: EventRow | undefined;
    try {
      const known = await this.deps.db.transaction(async ({ sql }) => {
        [inHand] = await execute(sql, INBOX_NEXT);
        return inHand ? this.process(sql, inHand) : [];
      });
      if (inHand && known.length > 0)
        await execute(this.deps.db.sql, INBOX_WAKE, { provider: inHand.provider, paymentIds: known });
      return inHand !== undefined;
    } catch (error) {
      if (!inHand || isDatabaseUnavailable(error)) throw error;
      await this.noteFailure(inHand, error);
      return true;
    }
  }

  /** @returns payments that are now known, so that events waiting for them can be processed */
  private async process(sql: Sql, event: EventRow): Promise<string[]> {
    const provider = this.deps.providers.get(event.provider);
    if (!provider) throw new Error(`${event.provider} is not set up`);
    const byPayment = Map.groupBy(factsOfWebhook(provider, event), (fact) => fact.paymentId);
    const known: string[] = [];
    const earlier = async (paymentId: string) => {
      known.push(paymentId);
      return adopt(sql, provider, paymentId);
    };
    const settled: (Settlement & { paymentId: string })[] = [];
    // A fixed order, so that two events about the same payments cannot deadlock.
    for (const paymentId of [...byPayment.keys()].toSorted()) {
      const { payerKey } = this.deps;
      const payment = {
        provider: event.provider,
        sandbox: provider.sandbox,
        paymentId,
        facts: byPayment.get(paymentId)!,
        payerKey,
      };
      settled.push({ paymentId, ...(await settlePayment(sql, payment, earlier)) });
    }
    settled.sort((a, b) => RANK.indexOf(a.status) - RANK.indexOf(b.status));
    const [first] = settled;
    await execute(sql, INBOX_DONE, {
      id: event.id,
      status: first?.status ?? 'ignored',
      outcome: first?.outcome ?? 'says nothing about money',
      accountId: first?.accountId ?? null,
      paymentId: first?.paymentId ?? null,
    });
    return known;
  }

  private async noteFailure(event: EventRow, error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error);
    const isCollision = error instanceof Error && 'code' in error && COLLISION.test(String(error.code));
    this.deps.logger.warn({ scope: 'payments', event: event.id, err: error }, 'could not process a webhook');
    await this.deps.db.transaction(async ({ sql }) => {
      await execute(sql, INBOX_FAILED, {
        id: event.id,
        lastError: message.slice(0, MAX_ERROR_LENGTH).replaceAll('\0', ''),
      });
      if (isCollision) return;
      await raiseAlert(sql, {
        kind: 'payment.webhook_failed',
        subject: event.id,
        message: `A ${event.provider} webhook (${event.type}) could not be processed: ${message.slice(0, 200)}`,
      });
    });
  }
}

/**
 * Facts that waited for this payment, so that one posting takes all into account. Their events finish in their own
 * turn.
 */
async function adopt(sql: Sql, provider: PaymentProvider, paymentId: string): Promise<PaymentFact[]> {
  const waiting = await execute(sql, INBOX_WAITING, { provider: provider.name, paymentId });
  return waiting.flatMap((event) => factsOfWebhook(provider, event)).filter((fact) => fact.paymentId === paymentId);
}
