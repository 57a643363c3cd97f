import type { PaymentFact, PaymentProvider } from '../../../ports/paymentProvider.js';
import { isUuid } from '../../shared/ids.js';

/** The content of a stored webhook: its body or, once redacted, the facts that replace it. */
export interface StoredWebhook {
  readonly body: Buffer;
  readonly facts: readonly StoredFact[] | null;
}

/** A fact as JSON: amounts as decimal text, times in RFC 3339. */
export type StoredFact = Readonly<Record<string, string | boolean | readonly string[] | null>>;

/**
 * Extracts the facts of a stored webhook. @throws Error if a relevant body does not match the provider's documentation
 */
export function factsOfWebhook(provider: PaymentProvider, { body, facts }: StoredWebhook): PaymentFact[] {
  return facts === null ? provider.facts(body) : facts.map(revived);
}

/**
 * The facts that replace a webhook's body, without personal data. Payers are omitted; their hashes are stored with the
 * payment. Ids not of our format may be anything a payer's browser wrote, so only the fact that they differ is kept.
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
