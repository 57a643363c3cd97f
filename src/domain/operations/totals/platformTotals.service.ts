import { type Database, execute } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { DUE_DAYS, MAX_TOTAL_DAYS, MEASURE_DAY, PLATFORM_DAYS, type PlatformDayRow } from './platformDay.sql.js';

/** What the whole platform did on one UTC day, without test accounts. */
export interface PlatformTotalsOfDay {
  readonly day: string;
  readonly accounts: number;
  readonly signUps: number;
  readonly toppedUpMicros: bigint;
  readonly spentMicros: bigint;
  readonly refundedMicros: bigint;
  readonly videosUploaded: number;
  readonly videosReady: number;
  readonly videosFailed: number;
  readonly encodedMs: number;
  readonly tokens: number;
  readonly views: number;
  readonly storedBytes: number | null;
  readonly isFinal: boolean;
  readonly measuredAt: Date;
}

/** After a long pause, or an upgrade, old days are summed up a few at a time: other chores wait meanwhile. */
const DAYS_PER_PASS = 20;

/** Totals of the platform by day, for staff. */
export class PlatformTotals {
  constructor(private readonly db: Database) {}

  /** Sums up what is due. @returns how many days became final */
  async measureDue(signal?: AbortSignal): Promise<number> {
    let final = 0;
    for (const { day } of await execute(this.db.sql, DUE_DAYS, { most: DAYS_PER_PASS })) {
      if (signal?.aborted) break;
      const [measured] = await execute(this.db.sql, MEASURE_DAY, { day });
      if (measured?.is_final) final += 1;
    }
    return final;
  }

  /** The last days with the running one, oldest first; those that are not summed up yet are left out. @throws INVALID_INPUT */
  async lastDays(days: number): Promise<PlatformTotalsOfDay[]> {
    if (days < 1 || days > MAX_TOTAL_DAYS) {
      throw new AppError('INVALID_INPUT', `days must be between 1 and ${MAX_TOTAL_DAYS}.`);
    }
    return (await execute(this.db.sql, PLATFORM_DAYS, { days })).map(totalsOf);
  }
}

function totalsOf(row: PlatformDayRow): PlatformTotalsOfDay {
  return {
    day: row.day,
    accounts: Number(row.accounts),
    signUps: Number(row.sign_ups),
    toppedUpMicros: BigInt(row.topped_up_micros),
    spentMicros: BigInt(row.spent_micros),
    refundedMicros: BigInt(row.refunded_micros),
    videosUploaded: Number(row.videos_uploaded),
    videosReady: Number(row.videos_ready),
    videosFailed: Number(row.videos_failed),
    encodedMs: Number(row.encoded_ms),
    tokens: Number(row.tokens),
    views: Number(row.views),
    storedBytes: row.stored_bytes === null ? null : Number(row.stored_bytes),
    isFinal: row.is_final,
    measuredAt: new Date(row.measured_at),
  };
}
