import { AppError } from '../../errors.js';
import type { LedgerTxType } from './ledgerRules.js';

/** `duplicate`: had been posted before. `refused`: for a reason that callers are told, such as too few credits. */
export type PostingOutcome = 'posted' | 'duplicate' | 'refused' | 'failed';

type Observer = (type: LedgerTxType, outcome: PostingOutcome, durationMs: number) => void;

const observers = new Set<Observer>();

/** Tells of each posting of this process, also of those whose transaction is rolled back later. Returns what ends it. */
export function observePostings(observer: Observer): () => void {
  observers.add(observer);
  return () => observers.delete(observer);
}

/** Runs a posting and tells the observers. */
export async function observed<T extends { readonly duplicate: boolean }>(
  type: LedgerTxType,
  post: () => Promise<T>,
): Promise<T> {
  const startedAtMs = performance.now();
  let outcome: PostingOutcome = 'failed';
  try {
    const posted = await post();
    outcome = posted.duplicate ? 'duplicate' : 'posted';
    return posted;
  } catch (error) {
    if (error instanceof AppError) outcome = 'refused';
    throw error;
  } finally {
    for (const observer of observers) observer(type, outcome, performance.now() - startedAtMs);
  }
}
