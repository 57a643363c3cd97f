import type { HomeQuery } from '../generated/graphql.js';
import { microsOf } from '../lib/credits.js';
import { SHORT_RUNWAY_DAYS } from '../lib/runway.js';

export type Money = Pick<HomeQuery, 'wallet' | 'storage'>;
/** What is owed, or what is about to run out. */
export type MoneyProblem = 'debt' | 'runway' | 'low';

/** The worst problem with the wallet. */
export function moneyProblemOf({ wallet, storage }: Money): MoneyProblem | null {
  if (microsOf(wallet.debt) < 0n) return 'debt';
  if (storage.runwayDays !== null && storage.runwayDays < SHORT_RUNWAY_DAYS) return 'runway';
  const warnBelow = wallet.lowBalanceWarning;
  return warnBelow !== null && leftOf(wallet) < microsOf(warnBelow) ? 'low' : null;
}

/** What can be spent on jobs and storage. */
export function leftOf({ master, creative, cloud }: Money['wallet']): bigint {
  return [master, creative, cloud].reduce((sum, amount) => sum + microsOf(amount), 0n);
}
