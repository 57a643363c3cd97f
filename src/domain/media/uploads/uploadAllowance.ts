import { execute, type Sql, statement } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { PRICES } from '../../ledger/prices.js';
import { formatCredits } from '../../ledger/credits.js';
import { balanceOf, spendableOf } from '../../ledger/ledgerAccounts.js';
import { keepsFiles } from '../objects/storedObject.sql.js';

/** How many unprocessed bytes an account may store. */
export interface UploadAllowance {
  /** Without any credits. */
  readonly freeBytes: number;
  /** For how many months the account's credits must pay for the rest. */
  readonly months: number;
  /** The percentage of free space that may be promised to one account's open uploads. */
  readonly spaceSharePercent: number;
}

export const DEFAULT_ALLOWANCE: UploadAllowance = { freeBytes: 5_000_000_000, months: 1, spaceSharePercent: 50 };

const BYTES_PER_GB = 1_000_000_000n;

/**
 * The account's video count serializes its uploads. It is locked after the video, in the order of the video's trigger.
 */
const LOCK = statement<{ accountId: string }>(
  'upload-allowance-lock',
  'select from video_count where account_id = :accountId for no key update',
);

/**
 * What an account stores and has. An open upload counts with its full promised size, from its start until its bytes are
 * swept. A source counts until it is bought or, if deleted, until it is swept, so it counts in the bin, too.
 */
const STANDING = statement<{ accountId: string }, StandingRow>(
  'upload-allowance-standing',
  `
    select
      (select coalesce(sum(u.size_bytes), 0) from upload u where u.account_id = :accountId and u.finished_at is null)::text
        as open_bytes,
      ((select coalesce(sum(o.size_bytes), 0) from video v
          join stored_object o on o.account_id = v.account_id and o.key = v.source_key
          where v.account_id = :accountId and v.status in ('uploaded', 'failed') and ${keepsFiles('v')}
            and o.removed_at is null)
        + (select coalesce(sum(o.size_bytes), 0) from stored_object o
          left join video v on v.account_id = o.account_id and v.id = o.video_id
          where o.account_id = :accountId and o.removed_at is not null and o.swept_at is null and coalesce(v.attempt, 0) = 0)
      )::text as source_bytes,
      coalesce(${spendableOf(':accountId')}, 0)::text
        as spendable_micros,
      coalesce(${balanceOf(':accountId', 'DEBT')}, 0)::text
        as debt_micros`,
);

const OPEN_UPLOADS = statement<{ accountId: string }, { id: string }>(
  'upload-allowance-open',
  'select id from upload where account_id = :accountId and finished_at is null',
);

interface StandingRow {
  open_bytes: string;
  source_bytes: string;
  spendable_micros: string;
  debt_micros: string;
}

/**
 * Refuses a file that the account could not pay to keep, or that would leave too little space for others. Call it in
 * the transaction that opens the upload; it serializes uploads of one account until that ends.
 *
 * @param freeBytes free space for unfinished uploads; `Infinity` in a bucket
 * @param receivedBytes how much of an upload has arrived
 * @throws DEBT_OUTSTANDING, UPLOAD_ALLOWANCE_EXCEEDED with `details.missing` credits, STORE_FULL
 */
export async function claimAllowance(
  sql: Sql,
  accountId: string,
  {
    sizeBytes,
    freeBytes,
    receivedBytes,
    allowance,
  }: {
    sizeBytes: number;
    freeBytes: number;
    receivedBytes: (uploadId: string) => Promise<number>;
    allowance: UploadAllowance;
  },
): Promise<void> {
  await execute(sql, LOCK, { accountId });
  const [standing] = await execute(sql, STANDING, { accountId });
  const debtMicros = -BigInt(standing!.debt_micros);
  if (debtMicros > 0n) {
    const owed = formatCredits(debtMicros);
    throw new AppError('DEBT_OUTSTANDING', `Please repay ${owed} credits of debt first.`, { details: { owed } });
  }

  const openBytes = BigInt(standing!.open_bytes) + BigInt(sizeBytes);
  const neededBytes = openBytes + BigInt(standing!.source_bytes) - BigInt(allowance.freeBytes);
  const missingMicros = microsToKeep(neededBytes, allowance.months) - BigInt(standing!.spendable_micros);
  if (missingMicros > 0n) {
    const missing = formatCredits(missingMicros);
    const message = `To keep this file beside what is not processed yet, the account lacks ${missing} credits.`;
    throw new AppError('UPLOAD_ALLOWANCE_EXCEEDED', message, { details: { missing } });
  }

  const shareBytes = (freeBytes * allowance.spaceSharePercent) / 100;
  if (sizeBytes > freeBytes) throw storeFull();
  if (Number(openBytes) <= shareBytes) return;
  // Bytes that have arrived already reduce the free space, so do not count them twice.
  const open = await execute(sql, OPEN_UPLOADS, { accountId });
  let stillToCome = Number(openBytes);
  for (const { id } of open) stillToCome -= await receivedBytes(id);
  if (stillToCome > shareBytes) throw storeFull();
}

function storeFull(): AppError {
  return new AppError('STORE_FULL', 'There is no space for a file of this size right now. Try again later.');
}

/** @throws INVALID_INPUT, FILE_TOO_LARGE */
export function checkSize(sizeBytes: number, maxSizeBytes: number): void {
  if (!Number.isSafeInteger(sizeBytes) || sizeBytes < 0) {
    throw new AppError('INVALID_INPUT', 'The size of the file must be a whole number of bytes.');
  }
  if (sizeBytes > maxSizeBytes) {
    throw new AppError('FILE_TOO_LARGE', `The file is larger than the ${maxSizeBytes} bytes allowed.`, {
      details: { maxSizeBytes: String(maxSizeBytes) },
    });
  }
}

/** The price of keeping this many bytes for this many months, rounded up. */
function microsToKeep(bytes: bigint, months: number): bigint {
  if (bytes <= 0n) return 0n;
  return (bytes * PRICES.storagePerGbMonthMicros * BigInt(months) + BYTES_PER_GB - 1n) / BYTES_PER_GB;
}
