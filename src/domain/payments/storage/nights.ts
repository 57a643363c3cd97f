import type { NextNight, NightRow } from './night.sql.js';
import { type Database, execute, type Sql } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { raiseAlert } from '../../shared/alerts/raiseAlert.js';
import type { ClockWatch } from '../../shared/clock/clock.service.js';
import { isDay } from '../../shared/day.js';
import * as statements from './night.sql.js';
import { tellOfNight } from './nightNotices.js';

/** The storage charges of one UTC day, over all owners. */
export interface StorageNight {
  /** `YYYY-MM-DD` */
  readonly day: string;
  /** The number of owners who stored anything. */
  readonly accounts: bigint;
  readonly chargedMicros: bigint;
  /** The part of it that became debt. */
  readonly arrearsMicros: bigint;
}

/** Nights that are due. */
export interface WaitingNights {
  readonly nights: number;
  readonly from: string;
  /** Whether they wait for a person rather than just for the next run. */
  readonly waits: boolean;
}

/** The highest possible account id. */
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/**
 * Charges storage, one UTC day after the other.
 *
 * A day is due 15 minutes after its end: by then, whatever was being stored or removed at midnight is committed. The
 * charge is computed from rows that say what was stored when, so a late night charges for that day, not for the
 * present. Each batch of owners commits together with the night's progress: an interrupted night resumes where it
 * stopped, and any number of processes may run it at once.
 */
export class StorageNights {
  constructor(
    private readonly db: Database,
    private readonly clock?: ClockWatch,
  ) {}

  /** Charges every day that is due and not charged yet, oldest first. @returns the nights it finished */
  async runDue(signal: AbortSignal): Promise<StorageNight[]> {
    const nights: StorageNight[] = [];
    while (!signal.aborted) {
      const next = await this.next();
      if (!next.due) break;
      if (next.waits) {
        // The hold on the clock has already raised its own alert.
        if (!next.held) await this.alert(next);
        break;
      }
      const night = await this.run(next.day, signal);
      if (night) nights.push(night);
    }
    return nights;
  }

  /**
   * Charges one day, which must be the next one. A day that is already charged stays as it is.
   *
   * @returns `null` if it was told to stop before the end
   * @throws INVALID_PARAMETER for an invalid day; INVALID_STATE for a day that is not over yet, or not the next
   */
  async runDay(day: string, signal: AbortSignal): Promise<StorageNight | null> {
    checkDay(day);
    const finished = await this.find(day);
    if (finished) return finished;
    const next = await this.next();
    if (day < next.day) throw new AppError('INVALID_STATE', `Storage has not been charged yet for ${day}.`);
    if (day > next.day) throw new AppError('INVALID_STATE', `Days are charged in order: ${next.day} comes first.`);
    if (!next.due) throw new AppError('INVALID_STATE', `${day} can be charged from 00:15 UTC of the day after.`);
    if (next.waits) throw new AppError('INVALID_STATE', waitingText(next));
    return this.run(day, signal);
  }

  async waiting(): Promise<WaitingNights> {
    const { day: from, due, waits, nights } = await this.next();
    return { nights: due ? nights : 0, from, waits: due && waits };
  }

  /** How long the next night has been due, in seconds; 0 if none is. */
  async lagSeconds(): Promise<number> {
    const [row] = await execute(this.db.sql, statements.NEXT_NIGHT);
    return row!.lag_seconds;
  }

  private async run(day: string, signal: AbortSignal): Promise<StorageNight | null> {
    await this.db.transaction(async ({ sql }) => {
      await execute(sql, statements.LOCK_NIGHTS);
      await execute(sql, statements.OPEN_NIGHT, { day });
    });
    let isOpen = true;
    while (isOpen && !signal.aborted) isOpen = await this.db.transaction(({ sql }) => chargeNext(sql, day));
    return isOpen ? null : this.find(day);
  }

  private async next(): Promise<NextNight> {
    await this.clock?.look();
    const [row] = await execute(this.db.sql, statements.NEXT_NIGHT);
    return row!;
  }

  private alert(next: NextNight): Promise<void> {
    return raiseAlert(this.db.sql, { kind: 'storage.late', subject: next.day, message: waitingText(next) });
  }

  private async find(day: string): Promise<StorageNight | null> {
    const [row] = await execute(this.db.sql, statements.FIND_NIGHT, { day });
    return row ? nightOf(row) : null;
  }
}

/** @throws INVALID_PARAMETER for a day that does not exist. */
export function checkDay(day: string): void {
  if (!isDay(day)) throw new AppError('INVALID_PARAMETER', 'A day is written YYYY-MM-DD.');
}

function waitingText({ day, nights }: NextNight): string {
  const days = nights > 1 ? `${nights} days, from ${day} on,` : day;
  return `Storage charges for ${days} are on hold until a person checks the clock: see \`dhara clock\`.`;
}

/** Charges one batch and records the night's progress. @returns whether there is more */
async function chargeNext(sql: Sql, day: string): Promise<boolean> {
  const [night] = await execute(sql, statements.LOCK_NIGHT, { day });
  if (!night) return false;
  const [last] = await execute(sql, statements.LAST_OF_BATCH, { afterAccount: night.after_account });
  const through = last?.id ?? LAST_ID;
  const [batch] = await execute(sql, statements.CHARGE_BATCH, { day, afterAccount: night.after_account, through });
  const { accounts, charged_micros: charged, arrears_micros: arrears, short } = batch!;
  await tellOfNight(sql, day, short);
  await execute(sql, statements.ADVANCE_NIGHT, {
    day,
    through,
    accounts,
    charged,
    arrears,
    isLast: last === undefined,
  });
  return last !== undefined;
}

function nightOf(row: NightRow): StorageNight {
  return {
    day: row.day,
    accounts: BigInt(row.accounts),
    chargedMicros: BigInt(row.charged_micros),
    arrearsMicros: BigInt(row.arrears_micros),
  };
}
