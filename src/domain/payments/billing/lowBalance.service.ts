import { type Database, execute } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { MICROS_PER_CREDIT } from '../../ledger/credits.js';
import { lockWallet } from '../../ledger/lockWallet.js';
import { COMPARE_WITH_NEW_THRESHOLD, FIND_THRESHOLD, SET_THRESHOLD } from './lowBalance.sql.js';

/** For accounts that have topped up, until they choose another. The database function that compares has it, too. */
const DEFAULT_THRESHOLD_MICROS = 50n * MICROS_PER_CREDIT;

/**
 * The threshold of each owner. The transaction in which MASTER, CREATIVE and CLOUD together fall below it writes an
 * event and an email.
 */
export class LowBalanceService {
  constructor(private readonly db: Database) {}

  /** The threshold below which the owner is emailed; `null` for never. */
  async thresholdMicros(accountId: string): Promise<bigint | null> {
    const [row] = await execute(this.db.sql, FIND_THRESHOLD, { accountId });
    if (row!.is_default) return row!.topped_up ? DEFAULT_THRESHOLD_MICROS : null;
    return row!.threshold_micros === null ? null : BigInt(row!.threshold_micros);
  }

  /**
   * `null` turns warnings off. A balance that is below a new threshold, and was not below the one before, is told at
   * once, but at most once an hour. @throws INVALID_INPUT for a threshold that is not more than zero.
   */
  async setThreshold(accountId: string, thresholdMicros: bigint | null): Promise<void> {
    if (thresholdMicros !== null && thresholdMicros <= 0n) {
      throw new AppError('INVALID_INPUT', 'The amount must be more than zero. Leave it out to turn off warnings.');
    }
    await this.db.transaction(async ({ sql }) => {
      await lockWallet(sql, accountId);
      await execute(sql, SET_THRESHOLD, { accountId, thresholdMicros: thresholdMicros?.toString() ?? null });
      await execute(sql, COMPARE_WITH_NEW_THRESHOLD, { accountId });
    });
  }
}
