import type { Cluster } from './cluster.js';
import { POSTING_MICROS, type Load } from './load.js';
import type { Tenant } from './tenant.js';

/** Tokens that the quota has counted, and postings that the ledger has booked, by their idempotency keys. */
export interface Books {
  readonly tokens: number;
  readonly postings: ReadonlySet<string>;
  /** What those moved. */
  readonly movedMicros: bigint;
}

const TOKENS = `select ((select coalesce(sum(used), 0) from api_key)
  + (select coalesce(sum(used), 0) from api_key_day))::text as tokens`;
const POSTINGS = `select idempotency_key as key from ledger_tx
  where owner_id = $1 and type = 'ALLOCATION' and idempotency_key like 'allocation:%:%'`;
const MOVED = `select balance::text as micros from ledger_account where owner_id = $1 and account_no = 3`;

export async function readBooks(cluster: Cluster, { accountId }: Tenant): Promise<Books> {
  const [counted] = await cluster.rows<{ tokens: string }>(TOKENS);
  const booked = await cluster.rows<{ key: string }>(POSTINGS, [accountId]);
  const [moved] = await cluster.rows<{ micros: string }>(MOVED, [accountId]);
  return {
    tokens: Number(counted!.tokens),
    postings: new Set(booked.map(({ key }) => key.replace('allocation:', ''))),
    movedMicros: BigInt(moved?.micros ?? 0),
  };
}

/** What does not agree between what a load was told and what the books say, one line each. */
export function disagreements(load: Load, before: Books, after: Books): string[] {
  const tokens = load.answers.filter(({ kind }) => kind === 'token');
  const acknowledged = tokens.filter(({ what }) => what === 'ok').length;
  const counted = after.tokens - before.tokens;
  const booked = [...after.postings].filter((key) => !before.postings.has(key));
  const sent = new Set(load.postings);
  const found: string[] = [];
  if (counted < acknowledged) found.push(`${acknowledged} tokens were acknowledged, and only ${counted} counted`);
  // A request that failed may have been counted, once.
  if (counted > tokens.length) found.push(`${counted} tokens were counted of ${tokens.length} requests`);
  const missing = load.postings.filter((key) => !after.postings.has(key));
  if (missing.length > 0) found.push(`${missing.length} acknowledged postings are not booked: ${missing[0]}`);
  const unknown = booked.filter((key) => !sent.has(key));
  if (unknown.length > 0) found.push(`${unknown.length} postings are booked that nobody sent: ${unknown[0]}`);
  const moved = after.movedMicros - before.movedMicros;
  const expected = POSTING_MICROS * BigInt(sent.size);
  if (moved !== expected) found.push(`the postings moved ${moved} micros and not ${expected}`);
  return found;
}
