import { type Database, execute } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { queueNotices, type NewNotice } from '../../accounts/notices/queueNotice.js';
import { formatCredits, MICROS_PER_CREDIT } from '../../ledger/credits.js';
import { appendEvents, type NewEvent } from '../../shared/events/appendEvent.js';
import { FALLEN, FIND_THRESHOLD, RISEN, SET_THRESHOLD, type FallenRow } from './lowBalance.sql.js';

/** For accounts that have topped up, until they choose another. */
const DEFAULT_THRESHOLD_MICROS = 50n * MICROS_PER_CREDIT;
const BATCH = 1_000;

/** Emails the owner each time that MASTER, CREATIVE and CLOUD together fall below a threshold. */
export class LowBalanceService {
  constructor(private readonly db: Database) {}

  /** The threshold below which the owner is emailed; `null` for never. */
  async thresholdMicros(accountId: string): Promise<bigint | null> {
    const [row] = await execute(this.db.sql, FIND_THRESHOLD, { accountId });
    if (row!.is_default) return row!.topped_up ? DEFAULT_THRESHOLD_MICROS : null;
    return row!.threshold_micros === null ? null : BigInt(row!.threshold_micros);
  }

  /** `null` turns warnings off. @throws INVALID_INPUT for a threshold that is not more than zero. */
  async setThreshold(accountId: string, thresholdMicros: bigint | null): Promise<void> {
    if (thresholdMicros !== null && thresholdMicros <= 0n) {
      throw new AppError('INVALID_INPUT', 'The amount must be more than zero. Leave it out to turn off warnings.');
    }
    await execute(this.db.sql, SET_THRESHOLD, { accountId, thresholdMicros: thresholdMicros?.toString() ?? null });
  }

  /** Queues the emails that are due, one batch per transaction. @returns how many */
  async warn(signal?: AbortSignal): Promise<number> {
    await execute(this.db.sql, RISEN, { defaultThresholdMicros: DEFAULT_THRESHOLD_MICROS.toString() });
    for (let count = 0; ;) {
      const warned = await this.db.transaction(async ({ sql }) => {
        const fallen = await execute(sql, FALLEN, {
          defaultThresholdMicros: DEFAULT_THRESHOLD_MICROS.toString(),
          batch: BATCH,
        });
        await queueNotices(sql, fallen.map(noticeOf));
        await appendEvents(sql, fallen.map(eventOf));
        return fallen.length;
      });
      count += warned;
      if (warned < BATCH || signal?.aborted) return count;
    }
  }
}

function eventOf({ account_id: accountId, crossings, micros, threshold }: FallenRow): NewEvent {
  return {
    accountId,
    type: 'wallet.low',
    fact: `${crossings}`,
    data: { balance: formatCredits(BigInt(micros)), threshold: formatCredits(BigInt(threshold)) },
  };
}

function noticeOf({ account_id: accountId, crossings, micros, threshold }: FallenRow): NewNotice {
  return {
    accountId,
    key: `low-balance:${crossings}`,
    kind: 'wallet.low',
    data: { balance: formatCredits(BigInt(micros)), threshold: formatCredits(BigInt(threshold)) },
  };
}
