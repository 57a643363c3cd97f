import { type Database, execute, statement } from '../../../db/sql.js';
import type { PaymentFact, ProviderName } from '../../../ports/paymentProvider.js';
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
const BEFORE_EVERYTHING = { received_at: '-infinity', id: '00000000-0000-0000-0000-000000000000' };

/** Whatever is still to be worked through, or could not be, keeps its body. */
const OLD = statement<{ keepDays: number; receivedAt: string; id: string }, OldEvent>(
  'webhook-bodies-old',
  `
    select id, received_at, provider, status, body from webhook_event
    where redacted_at is null and received_at < service_now() - :keepDays * interval '1 day'
      and status in ('done', 'ignored', 'suspense', 'waiting') and (received_at, id) > (:receivedAt::timestamptz, :id::uuid)
    order by received_at, id limit ${BATCH}`,
);

const REDACT = statement<{ ids: readonly string[]; facts: readonly string[] }, { redacted: number }>(
  'webhook-bodies-redact',
  `
    select count(*)::int as redacted from unnest(:ids::uuid[], :facts::jsonb[]) old(id, facts)
    where redact_webhook(old.id, old.facts)`,
);

/**
 * Removes the bodies of old webhooks, and with them names, addresses and cards of payers. What stays is the provider's
 * id of the event, the SHA-256 of the body, so that another delivery is recognised, and what it said about money.
 */
export class WebhookBodies {
  constructor(
    private readonly deps: {
      readonly db: Database;
      readonly providers: PaymentProviders;
      /** For how many days a body is kept; `redact_webhook` keeps each for 7 at least. */
      readonly keepDays: number;
    },
  ) {}

  /** A batch at a time. @returns how many bodies were removed. */
  async redact(signal?: AbortSignal): Promise<number> {
    const { sql } = this.deps.db;
    let last: Pick<OldEvent, 'id' | 'received_at'> = BEFORE_EVERYTHING;
    for (let count = 0; ;) {
      if (signal?.aborted) return count;
      const events = await execute(sql, OLD, {
        keepDays: this.deps.keepDays,
        receivedAt: last.received_at,
        id: last.id,
      });
      const redactable = events.flatMap((event) => {
        const facts = this.factsOf(event);
        return facts === null ? [] : [{ id: event.id, facts: impersonal(facts) }];
      });
      const [done] = await execute(sql, REDACT, {
        ids: redactable.map(({ id }) => id),
        facts: redactable.map(({ facts }) => facts),
      });
      count += done!.redacted;
      last = events.at(-1) ?? last;
      if (events.length < BATCH) return count;
    }
  }

  /**
   * What was worked through is written down beside its payment, so that a body nobody can read any more may go; one that
   * waits is needed as it is: `null`.
   */
  private factsOf({ provider: name, status, body }: OldEvent): PaymentFact[] | null {
    // A provider that is switched off here may be back: only it can read what its events say.
    const provider = this.deps.providers.get(name);
    if (!provider) return null;
    try {
      return provider.facts(body);
    } catch {
      return status === 'waiting' ? null : [];
    }
  }
}
