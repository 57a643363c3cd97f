import { type Database, execute, type Sql } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import type { MachineClock } from '../../../ports/machineClock.js';
import { recordAudit } from '../audit.js';
import { raiseAlert } from '../alerts/raiseAlert.js';
import { SYSTEM_OWNER } from '../ids.js';
import { checkedReason } from '../reason.js';
import * as statements from './clock.sql.js';
import { whatIsWrong, type Reading } from './reading.js';
import { mendTimesAhead } from './timesAhead.js';

/** The clock's state, as shown to people. */
export interface ClockState {
  /** The database's clock. */
  readonly now: Date;
  /** The last time the service saw and trusted. */
  readonly seenAt: Date;
  /** Why daily charges are on hold; `null` if they are not. */
  readonly heldWhy: string | null;
}

/** Checks that the database's clock is plausible before any daily work. */
export type ClockWatch = Pick<ClockService, 'look'>;

const MS_PER_DAY = 86_400_000;

/**
 * Watches the clock that daily charges depend on.
 *
 * Every process checks once a minute and before each night. It compares the database's clock with the last trusted
 * time, with its machine's uptime, which nobody can set, and with its machine's calendar. A contradiction holds all
 * daily charges, in every process, until a person accepts the clock.
 */
export class ClockService {
  constructor(
    private readonly deps: {
      readonly db: Database;
      readonly machine: MachineClock;
      /** Moves the times at which objects were stored, where a fast clock set them in the future, back to now. */
      readonly mendStored: (sql: Sql, nowMs: number) => Promise<void>;
    },
  ) {}

  /**
   * Checks the clock, and pulls back times that a wrong clock set too far ahead. Pulling back does not wait for a
   * person to accept the clock, because nothing is charged by those times.
   *
   * @returns whether daily charges may run
   */
  async look(): Promise<boolean> {
    const isRight = await this.check();
    await mendTimesAhead(this.deps.db.sql);
    return isRight;
  }

  private check(): Promise<boolean> {
    return this.deps.db.transaction(async ({ sql }) => {
      const [row, reading] = await this.read((runId) => execute(sql, statements.LOCK_CLOCK, { runId }));
      if (row.held_since !== null) return false;
      const wrong = whatIsWrong(reading);
      if (wrong !== null) {
        await execute(sql, statements.HOLD, { now: row.now, wrong });
        const message = `${wrong} Daily charges are on hold until a person checks the clock: see \`dhara clock\`.`;
        await raiseAlert(sql, { kind: 'clock.held', subject: 'clock', message });
        return false;
      }
      await execute(sql, statements.SEEN, { now: row.now });
      // Re-anchor once a day: the clocks of two machines drift apart by seconds.
      if (row.anchored_at === null || row.now - row.anchored_at > MS_PER_DAY) {
        await execute(sql, statements.ANCHOR, {
          runId: this.deps.machine.runId,
          bootedAtMs: reading.bootedAtMs,
          now: row.now,
        });
        await execute(sql, statements.FORGET_MACHINES, { now: row.now });
      }
      return true;
    });
  }

  async state(): Promise<ClockState> {
    const [row] = await this.read((runId) => execute(this.deps.db.sql, statements.READ_CLOCK, { runId }));
    return { now: new Date(row.now), seenAt: new Date(row.seen_at), heldWhy: row.held_why };
  }

  /**
   * Records that a person confirmed the clock, and that every day before `today` may be charged, however late.
   *
   * @param today `YYYY-MM-DD` in UTC, typed by the person, so that a clock that is still wrong is not accepted by
   * mistake
   * @throws INVALID_STATE if the clock reads another day, or this machine's clock differs from it; INVALID_INPUT
   */
  async accept(today: string, reason: string): Promise<void> {
    const checked = checkedReason(reason);
    await this.deps.db.transaction(async (tx) => {
      const { sql } = tx;
      const [row, reading] = await this.read((runId) => execute(sql, statements.LOCK_CLOCK, { runId }));
      if (row.today !== today) {
        throw new AppError('INVALID_STATE', `The database’s clock reads ${row.today}, not ${today}. Correct it first.`);
      }
      const wrong = whatIsWrong({ ...reading, seenAtMs: reading.nowMs, anchoredBootMs: null });
      if (wrong !== null) throw new AppError('INVALID_STATE', `${wrong} Correct it first.`);
      await execute(sql, statements.ACCEPT, { now: row.now, today });
      await this.deps.mendStored(sql, row.now);
      await execute(sql, statements.FORGET_ANCHORS);
      await execute(sql, statements.RESOLVE_ALERTS);
      await recordAudit(tx, {
        accountId: SYSTEM_OWNER,
        actorId: null,
        action: 'clock.accept',
        subject: today,
        reason: checked,
        details: { heldSince: row.held_since, heldWhy: row.held_why, seenAt: new Date(row.seen_at).toISOString() },
      });
    });
  }

  /**
   * Reads the database's clock between two readings of this machine's clocks. The statement may have to wait, so the
   * midpoint is off by at most half of the time it took.
   */
  private async read(
    query: (runId: string) => Promise<statements.ClockRow[]>,
  ): Promise<readonly [statements.ClockRow, Reading]> {
    const { machine } = this.deps;
    const before = { calendar: machine.nowMs(), uptime: machine.uptimeMs() };
    const [row] = await query(machine.runId);
    const after = { calendar: machine.nowMs(), uptime: machine.uptimeMs() };
    const uptimeMs = (before.uptime + after.uptime) / 2;
    return [
      row!,
      {
        nowMs: row!.now,
        seenAtMs: row!.seen_at,
        bootedAtMs: row!.now - uptimeMs,
        anchoredBootMs: row!.booted_at,
        calendarAheadMs: (before.calendar + after.calendar) / 2 - row!.machine_now,
        uncertaintyMs: after.uptime - before.uptime,
      },
    ];
  }
}
