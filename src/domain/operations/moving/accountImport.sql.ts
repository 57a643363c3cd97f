import { statement } from '../../../db/sql.js';

export const IMPORT_OF_ARCHIVE = statement<{ archiveId: string }, { account_id: string; imported_at: string }>(
  'account-import-find',
  'select account_id, imported_at from account_import where archive_id = :archiveId',
);

export const INSERT_IMPORT = statement<{
  accountId: string;
  archiveId: string;
  origin: string;
  exportedAt: string;
  amountMicros: string;
  txId: string | null;
}>(
  'account-import-insert',
  `
    insert into account_import (account_id, archive_id, origin, exported_at, amount_micros, tx_id, imported_at)
    values (:accountId, :archiveId, :origin, :exportedAt, :amountMicros, :txId, service_now())`,
);
