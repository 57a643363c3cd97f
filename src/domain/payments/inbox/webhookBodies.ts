import { type Database, execute, statement } from '../../../db/sql.js';
import type { PaymentFact, ProviderName } from '../../../ports/paymentProvider.js';
import { NOW_ONCE } from '../../shared/clock/now.js';
import { LOWEST_ID } from '../../shared/ids.js';
import type { PaymentProviders } from './inbox.js';
import { impersonal } from './storedFacts.js';

interface OldEvent {
  readonly id: string;
  readonly received_at: string;
  readonly provider: ProviderName;
  readonly status: string;
  readonly body: Buffer;
}

const BATCH = 200;
const BEFORE_EVERYTHING = { receivedAt: '-infinity', id: LOWEST_ID };

/** Events that are unprocessed or failed keep their body. */
const WORKED_THROUGH = "status in ('done', 'ignored', 'suspense', 'waiting')";

/** The database lets nobody remove a younger one. */
const LEAST_DAYS = 7;

interface Place {
  readonly receivedAt: string;
  readonly id: string;
}

const OLD = statement<Place & { keepDays: number }, OldEvent>(
  'webhook-bodies-old',
  `
    select id, received_at, provider, status, body from webhook_event
    where redacted_at is null and received_at < ${NOW_ONCE} - :keepDays * interval '1 day'
      and ${WORKED_THROUGH} and (received_at, id) > (:receivedAt::timestamptz, :id::uuid)
    order by received_at, id limit ${BATCH}`,
);

const OLD_OF_ACCOUNT = statement<Place & { accountId: string }, OldEvent>(
  'webhook-bodies-old-of-account',
  `
    select id, received_at, provider, status, body from webhook_event
    where redacted_at is null and received_at < service_now() - interval '${LEAST_DAYS} days' and account_id = :accountId
      and ${WORKED_THROUGH} and (received_at, id) > (:receivedAt::timestamptz, :id::uuid)
    order by received_at, id limit ${BATCH}`,
);

const REDACT = statement<{ ids: readonly string[]; facts: readonly string[] }, { redacted: number }>(
  'webhook-bodies-redact',
  `
    select count(*)::int as redacted from unnest(:ids::uuid[], :facts::jsonb[]) old(id, facts)
    where redact_webhook(old.id, old.facts)`,
);

/**
 * Removes the bodies of old webhooks, and with them names, addresses and cards of payers. Keeps the provider's event
 * id, the SHA-256 of the body, which identifies repeated deliveries, and the facts about money.
 */
export class WebhookBodies {
  constructor(
    private readonly deps: {
      readonly db: Database;
      readonly providers: PaymentProviders;
      /** How many days a body is kept; `redact_webhook` enforces at least 7. */
      readonly keepDays: number;
    },
  ) {}

  /** @returns how many bodies were removed */
  redact(signal?: AbortSignal): Promise<number> {
    const { db, keepDays } = this.deps;
    return this.redactAll((after) => execute(db.sql, OLD, { ...after, keepDays }), signal);
  }

  /** Removes the bodies of one account’s webhooks as soon as the database lets anybody. @returns how many */
  redactOf(accountId: string, signal?: AbortSignal): Promise<number> {
    const { db } = this.deps;
    return this.redactAll((after) => execute(db.sql, OLD_OF_ACCOUNT, { ...after, accountId }), signal);
  }

  /** One batch at a time, oldest first, past those whose bodies must stay. */
  private async redactAll(next: (after: Place) => Promise<OldEvent[]>, signal?: AbortSignal): Promise<number> {
    let after: Place = BEFORE_EVERYTHING;
    for (let count = 0; ;) {
      if (signal?.aborted) return count;
      const events = await next(after);
      count += await this.redactEach(events);
      const last = events.at(-1);
      if (!last || events.length < BATCH) return count;
      after = { receivedAt: last.received_at, id: last.id };
    }
  }

  private async redactEach(events: readonly OldEvent[]): Promise<number> {
    const redactable = events.flatMap((event) => {
      const facts = this.factsOf(event);
      return facts === null ? [] : [{ id: event.id, facts: impersonal(facts) }];
    });
    const [done] = await execute(this.deps.db.sql, REDACT, {
      ids: redactable.map(({ id }) => id),
      facts: redactable.map(({ facts }) => facts),
    });
    return done!.redacted;
  }

  /**
   * The facts of a processed event are stored with its payment, so an unreadable body may be removed. A waiting event
   * still needs its body: `null`.
   */
  private factsOf({ provider: name, status, body }: OldEvent): PaymentFact[] | null {
    // A provider that is disabled here may be enabled again, and only it can read its events.
    const provider = this.deps.providers.get(name);
    if (!provider) return null;
    try {
      return provider.facts(body);
    } catch {
      return status === 'waiting' ? null : [];
    }
  }
}
