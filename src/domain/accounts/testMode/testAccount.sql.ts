import { statement } from '../../../db/sql.js';

/** SQL that is true for the id of a test account. @param accountId a parameter, or a column with its table */
export function isTestAccount(accountId: string): string {
  // Without its table, the column would be that of the inner query, and every account a test account.
  if (accountId === 'account_id') throw new Error('say whose account_id');
  return `exists (select from test_account t where t.account_id = ${accountId})`;
}

/** The test account of a live one; no row if none was opened. */
export const TEST_ACCOUNT_OF = statement<{ liveAccountId: string }, { account_id: string }>(
  'test-account-of',
  'select account_id from test_account where live_account_id = :liveAccountId',
);

/** Opens the test account, or finds it. */
export const OPEN_TEST_ACCOUNT = statement<{ liveAccountId: string; testAccountId: string }, { account_id: string }>(
  'test-account-open',
  'select open_test_account(:liveAccountId::uuid, :testAccountId::uuid) as account_id',
);

/** Whether an account is a test account, and the test account that it has. */
export const MODES_OF = statement<{ accountId: string }, { test: string | null; is_test: boolean }>(
  'test-account-modes',
  `
    select (select account_id from test_account where live_account_id = :accountId) as test,
      ${isTestAccount(':accountId')} as is_test`,
);
