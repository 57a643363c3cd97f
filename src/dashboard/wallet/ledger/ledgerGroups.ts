import type { LedgerAccount, LedgerRowFragment } from '../../generated/graphql.js';
import { microsOf } from '../../lib/credits.js';

/** What one row of the ledger stands for: all postings of one job, or one other posting. */
export interface LedgerGroup {
  readonly id: string;
  /** Newest first; of a job, those that have been read. */
  readonly entries: readonly [LedgerRowFragment, ...LedgerRowFragment[]];
  /** The job that all of them belong to. */
  readonly job: { readonly videoId: string; readonly attempt: number } | null;
}

/** Where a group took credits from or gave them to, as the owner sees it. */
const HELD: ReadonlySet<LedgerAccount> = new Set(['ESCROW', 'REFUND_HOLD', 'DISPUTE_HOLD']);

/** Entries without the last posting, of which more may be on the next page. */
export function wholePostings(entries: readonly LedgerRowFragment[], hasMore: boolean): readonly LedgerRowFragment[] {
  const last = entries.at(-1)?.transactionId;
  return hasMore ? entries.slice(0, entries.findLastIndex(({ transactionId }) => transactionId !== last) + 1) : entries;
}

/** Whether all entries of a job have been read: it begins with setting its price aside. */
export function isComplete({ entries, job }: LedgerGroup): boolean {
  return job === null || entries.some(({ type }) => type === 'ESCROW_LOCK');
}

/**
 * Groups entries in their order: a job stands where its newest posting does. Setting credits aside moves them within the
 * wallet, so what a job has changed in it does not depend on how many of its older postings have been read.
 */
export function groupsOf(entries: readonly LedgerRowFragment[]): LedgerGroup[] {
  const groups = new Map<string, { id: string; entries: LedgerRowFragment[]; job: LedgerGroup['job'] }>();
  for (const entry of entries) {
    const { cause, transactionId } = entry;
    const job =
      cause?.__typename === 'VideoCause' && cause.attempt !== null
        ? { videoId: cause.videoId, attempt: cause.attempt }
        : null;
    const id = job ? `${job.videoId} ${job.attempt}` : transactionId;
    const group = groups.get(id);
    if (group) group.entries.push(entry);
    else groups.set(id, { id, entries: [entry], job });
  }
  return [...groups.values()] as unknown as LedgerGroup[];
}

interface Change {
  readonly micros: bigint;
  /** Within the wallet: nothing came or went, so it has no sign. */
  readonly isMove: boolean;
}

/** What the group changed in the whole wallet; if nothing, what it moved within. */
export function changeOf({ entries }: LedgerGroup): Change {
  const micros = sumOf(entries);
  if (micros !== 0n) return { micros, isMove: false };
  const newest = entries.filter(({ transactionId }) => transactionId === entries[0]?.transactionId);
  return { micros: sumOf(newest.filter(({ amount }) => microsOf(amount) > 0n)), isMove: true };
}

/** The accounts of the newest posting that owners think in: the bucket of a job, and both sides of a move. */
export function accountsOf({ entries, job }: LedgerGroup): LedgerAccount[] {
  const [{ transactionId }] = entries;
  const of = job ? entries : entries.filter((entry) => entry.transactionId === transactionId);
  const falling = of.filter(({ amount }) => microsOf(amount) < 0n);
  const rising = of.filter(({ amount }) => microsOf(amount) > 0n);
  const accounts = [...new Set([...falling, ...rising].map(({ account }) => account))];
  const named = job ? accounts.filter((account) => !HELD.has(account)) : accounts;
  return named.length > 0 ? named : accounts;
}

function sumOf(entries: readonly LedgerRowFragment[]): bigint {
  return entries.reduce((sum, { amount }) => sum + microsOf(amount), 0n);
}
