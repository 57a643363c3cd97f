import { newId } from '../../src/domain/shared/ids.js';
import { connectToEmbedded } from '../support/browser/ledgerSeed.js';

/** An alert, an item in suspense and a failed video of one account, as work for staff. The account has a video. */
export async function seedWork(dataDir: string, accountId: string): Promise<void> {
  const admin = await connectToEmbedded(dataDir);
  await admin.query(
    `insert into alert (id, kind, subject, message, account_id, raised_at, last_raised_at)
      values ($1, 'payment.mismatch', 'pay_7', 'The amount differs from the quote.', $2, now(), now())`,
    [newId(), accountId],
  );
  await admin.query(
    `insert into suspense_item (account_id, id, provider, payment_id, amount_minor, currency, reason, created_at)
      values ($1, $2, 'stripe', 'pi_7', 12345, 'EUR', 'A currency without a rate', now())`,
    [accountId, newId()],
  );
  await admin.query(
    `insert into video (account_id, id, title, status, attempt, quality, failure_code, failure_message, duration_ms,
        source_probe, source_key, size_bytes)
      select account_id, $2, 'A long video', 'failed', 1, '480p', 'OUT_OF_SPACE', 'The disk was full.', duration_ms,
        source_probe, source_key, size_bytes from video where account_id = $1 limit 1`,
    [accountId, newId()],
  );
  await admin.end();
}
