import type { Database } from '../../src/db/sql.js';
import { newId } from '../../src/domain/ids.js';
import { post } from '../../src/domain/wallet/posting.js';

export interface FundedAccountOptions {
  /** An account that exists already, to be given more. */
  accountId?: string;
  masterMicros?: bigint;
  creativeMicros?: bigint;
}

/** An account with a whole wallet and these credits, but without a user to sign in as. Returns its id. */
export async function openFundedAccount(db: Database, options: FundedAccountOptions): Promise<string> {
  const accountId = options.accountId ?? newId();
  await db.sql.query({ name: 'test-open-account', text: 'select open_account($1)' }, [accountId]);
  for (const [account, micros] of [
    ['MASTER', options.masterMicros ?? 0n],
    ['CREATIVE', options.creativeMicros ?? 0n],
  ] as const) {
    if (micros === 0n) continue;
    await post(db.sql, {
      ownerId: accountId,
      type: 'ADJUSTMENT',
      idempotencyKey: `test:${newId()}`,
      deltas: { [account]: micros, ADJUSTMENT: -micros },
    });
  }
  return accountId;
}
