import { type Database, execute } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import type { ClockWatch } from '../../shared/clock/clock.service.js';
import { CLAIM_MEASUREMENT, END_MEASUREMENT } from './night.sql.js';
import { StorageNights, type StorageNight, type WaitingNights } from './nights.js';
import * as statements from './overview.sql.js';
import { StorageReversals } from './reversal.js';
import { unitsPerDay, UNITS_PER_MICRO, wholeDaysPaid } from '../../ledger/storageRate.js';

/** What an owner stores now, and for how long it is paid. */
export interface StorageOverview {
  readonly bytes: bigint;
  /** At the current size, in a month as long as the current one; rounded down. */
  readonly perDayMicros: bigint;
  /** Whole days that CLOUD (and MASTER, if CLOUD draws from it) pay for; `null` if nothing is stored. */
  readonly runwayDays: bigint | null;
  /** Whether CLOUD draws from MASTER. */
  readonly autoAllocate: boolean;
}

/** One charged UTC day of one owner. */
export interface StorageDay {
  /** `YYYY-MM-DD` */
  readonly day: string;
  readonly bytes: bigint;
  readonly chargedMicros: bigint;
  readonly fromCloudMicros: bigint;
  readonly fromMasterMicros: bigint;
  /** What neither could pay: posted as debt. */
  readonly arrearsMicros: bigint;
}

const MAX_HISTORY_DAYS = 366;
const MS_PER_DAY = 86_400_000;

/** An owner's storage, and the nights that charge for it. */
export class StorageService {
  private readonly nights: StorageNights;
  /** For nights that ran on a wrong clock. */
  readonly reversals: StorageReversals;

  /** @param clock checked before each night; without it, only late nights wait */
  constructor(
    private readonly db: Database,
    clock?: ClockWatch,
  ) {
    this.nights = new StorageNights(db, clock);
    this.reversals = new StorageReversals(db);
  }

  /** How long the next night has been due, in seconds; 0 if none is. Reads one row per day that was ever charged. */
  lagSeconds(): Promise<number> {
    return this.nights.lagSeconds();
  }

  /**
   * Charges every UTC day that is due and not charged yet, oldest first. A day that is more than 48 hours late waits,
   * with an alert, until a person has accepted the clock. All days wait while the clock itself is on hold.
   *
   * @returns the nights it finished
   */
  runDueNights(signal: AbortSignal): Promise<StorageNight[]> {
    return this.nights.runDue(signal);
  }

  /**
   * Charges one day (`YYYY-MM-DD`), which must be the next one. A day that is already charged stays as it is.
   *
   * @returns `null` if it was told to stop before the end
   * @throws INVALID_PARAMETER for an invalid day; INVALID_STATE for a day that is not over yet, not the next, or waits
   * for a person
   */
  runNight(day: string, signal: AbortSignal): Promise<StorageNight | null> {
    return this.nights.runDay(day, signal);
  }

  /** Past days that are not charged: how many, the first, and whether they wait for a person. */
  waiting(): Promise<WaitingNights> {
    return this.nights.waiting();
  }

  /** Claims the measurement of the object store after the last charged night; null if somebody else has it. */
  async claimMeasurement(): Promise<{ day: string; nowMs: number } | null> {
    const [night] = await execute(this.db.sql, CLAIM_MEASUREMENT);
    return night ? { day: night.day, nowMs: Number(night.now_ms) } : null;
  }

  /** @param isDone false if the measurement has to be made again */
  async endMeasurement(day: string, isDone: boolean): Promise<void> {
    await execute(this.db.sql, END_MEASUREMENT, { day, isDone });
  }

  /** @throws ACCOUNT_NOT_FOUND */
  async overview(accountId: string): Promise<StorageOverview> {
    const [row] = await execute(this.db.sql, statements.OVERVIEW, { accountId });
    if (!row) throw new AppError('ACCOUNT_NOT_FOUND', 'Account not found.');
    const bytes = BigInt(row.bytes);
    const available = BigInt(row.cloud) + (row.auto_allocate ? BigInt(row.master) : 0n);
    return {
      bytes,
      perDayMicros: unitsPerDay(bytes, row.month_days) / UNITS_PER_MICRO,
      runwayDays: wholeDaysPaid(available, bytes, row.month_days),
      autoAllocate: row.auto_allocate,
    };
  }

  /**
   * The charged days from `from` to `to`, both inclusive, oldest first. Omits days on which nothing was stored.
   *
   * @throws INVALID_INPUT if they are in the wrong order, or span more than 366 days
   */
  async history(accountId: string, from: string, to: string): Promise<StorageDay[]> {
    const days = (Date.parse(to) - Date.parse(from)) / MS_PER_DAY + 1;
    if (!(days >= 1 && days <= MAX_HISTORY_DAYS)) {
      throw new AppError('INVALID_INPUT', `A history has 1 to ${MAX_HISTORY_DAYS} days, from the first to the last.`);
    }
    const rows = await execute(this.db.sql, statements.HISTORY, { accountId, from, to });
    return rows.map((row) => ({
      day: row.day,
      bytes: BigInt(row.bytes),
      chargedMicros: BigInt(row.charged_micros),
      fromCloudMicros: BigInt(row.from_cloud_micros),
      fromMasterMicros: BigInt(row.from_master_micros),
      arrearsMicros: BigInt(row.arrears_micros),
    }));
  }
}
