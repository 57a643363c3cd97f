import type { PaymentFact, PaymentProvider } from '../../../ports/paymentProvider.js';
import { isUuid } from '../../shared/ids.js';

/** A stored webhook, as far as it says anything: its body, or once that is redacted, the facts in its place. */
export interface StoredWebhook {
  readonly body: Buffer;
  readonly facts: readonly StoredFact[] | null;
}

/** A fact as JSON: amounts as decimal text, times in RFC 3339. */
export type StoredFact = Readonly<Record<string, string | boolean | readonly string[] | null>>;

/** What a stored webhook says. @throws Error where a body that matters is not as documented */
export function factsOfWebhook(provider: PaymentProvider, { body, facts }: StoredWebhook): PaymentFact[] {
  return facts === null ? provider.facts(body) : facts.map(revived);
}

/**
 * Facts without persons, for what becomes of a webhook's body. Who paid is left out: payers are kept as hashes beside
 * their payment. Ids that are not of our form may be anything a payer's browser wrote, and only say that they differ.
 */
export function impersonal(facts: readonly PaymentFact[]): string {
  const ours = (id: string | null) => (id === null || isUuid(id) ? id : 'redacted');
  const kept = facts.map((fact) =>
    fact.kind === 'captured'
      ? { ...fact, payers: [], accountId: ours(fact.accountId), topUpId: ours(fact.topUpId) }
      : fact,
  );
  return JSON.stringify(kept, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
}

const AMOUNTS = new Set(['amountMinor', 'lostMinor']);
const TIMES = new Set(['at', 'capturedAt', 'createdAt']);

function revived(fact: StoredFact): PaymentFact {
  const entries = Object.entries(fact).map(([name, value]) => {
    if (value === null) return [name, null];
    if (AMOUNTS.has(name)) return [name, BigInt(value as string)];
    return [name, TIMES.has(name) ? new Date(value as string) : value];
  });
  return Object.fromEntries(entries) as PaymentFact;
}
