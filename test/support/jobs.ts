import type { Database, Sql, Statement } from '../../src/db/sql.js';
import { newId } from '../../src/domain/shared/ids.js';
import type { SpendableAccount } from '../../src/domain/ledger/ledgerAccounts.js';
import { lockEscrow, settleEscrow } from '../../src/domain/ledger/escrow.js';

const INSERT_JOB: Statement = {
  name: 'test-insert-job',
  text: `
    insert into processing (account_id, video_id, attempt, quote_id, quality, price_micros, state, queued_at, updated_at)
    values ($1, $2, $3, $4, '480p', $5, 'cancelled', service_now(), service_now())
    on conflict do nothing`,
};

/** Locks an escrow for a job that costs it, without a video. The job never runs. */
export async function lockForJob(sql: Sql, escrow: Parameters<typeof lockEscrow>[1]): Promise<void> {
  const { accountId, videoId, attempt, amountMicros } = escrow;
  await sql.query(INSERT_JOB, [accountId, videoId, attempt, newId(), amountMicros.toString()]);
  await lockEscrow(sql, escrow);
}

/** Spends this amount on a job that ends at once. */
export async function spendOnJob(
  db: Database,
  accountId: string,
  amountMicros: bigint,
  bucket: SpendableAccount = 'MASTER',
): Promise<void> {
  const job = { accountId, videoId: newId(), attempt: 1, bucket, amountMicros };
  await db.transaction(async ({ sql }) => {
    await lockForJob(sql, job);
    await settleEscrow(sql, job);
  });
}
