import { type Database, execute } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import type { MachineClock } from '../../../ports/machineClock.js';
import { recordAudit } from '../audit.js';
import { raiseAlert } from '../alerts/raiseAlert.js';
import { SYSTEM_OWNER } from '../ids.js';
import { checkedReason } from '../reason.js';
import * as statements from './clock.sql.js';
import { whatIsWrong, type Reading } from './reading.js';
import { mendTimesAhead } from './timesAhead.js';

/** What a person is shown of the clock. */
export interface ClockState {
  /** The database's clock. */
  readonly now: Date;
  /** What it was last seen to read while it was believed. */
  readonly seenAt: Date;
  /** Why charges by the day wait for a person; `null` where they do not. */
  readonly heldWhy: string | null;
}

/** Says whether the database's clock adds up, before anything is done by the day. */
export type ClockWatch = Pick<ClockService, 'look'>;

const MS_PER_DAY = 86_400_000;

/**
 * Watches the clock that days are charged by.
 *
 * Every process looks once a minute, and before each night: at what was last seen, at how long its machine has been
 * running, which nobody can set, and at its machine's own calendar. What does not fit together holds all charges by the
 * day, in every process, until a person accepts the clock.
 */
export class ClockService {
  constructor(private readonly deps: { readonly db: Database; readonly machine: MachineClock }) {}

  /**
   * What waits for a time that only a clock which was wrong has set goes on, whether or not somebody has accepted the
   * clock: nothing is charged by it.
   *
   * @returns whether charges by the day may go on.
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
        const message = `${wrong} Nothing is charged by the day until a person has looked: see \`dhara clock\`.`;
        await raiseAlert(sql, { kind: 'clock.held', subject: 'clock', message });
        return false;
      }
      await execute(sql, statements.SEEN, { now: row.now });
      // Anew once a day: the clocks of two machines drift apart by seconds.
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
   * A person says that the clock is right, and that every day before `today` may be charged, however late.
   *
   * @param today `YYYY-MM-DD` in UTC, as the person knows it: a clock that is still wrong is not accepted by mistake
   * @throws INVALID_STATE where the clock reads another day, or this machine's differs from it; INVALID_INPUT
   */
  async accept(today: string, reason: string): Promise<void> {
    const checked = checkedReason(reason);
    await this.deps.db.transaction(async ({ sql }) => {
      const [row, reading] = await this.read((runId) => execute(sql, statements.LOCK_CLOCK, { runId }));
      if (row.today !== today) {
        throw new AppError(
          'INVALID_STATE',
          `The database’s clock reads ${row.today}, not ${today}: set it right first.`,
        );
      }
      const wrong = whatIsWrong({ ...reading, seenAtMs: reading.nowMs, anchoredBootMs: null });
      if (wrong !== null) throw new AppError('INVALID_STATE', `${wrong} Set them right first.`);
      await execute(sql, statements.ACCEPT, { now: row.now, today });
      await execute(sql, statements.MEND_STORED, { now: row.now });
      await execute(sql, statements.FORGET_ANCHORS);
      await execute(sql, statements.RESOLVE_ALERTS);
      await recordAudit(sql, {
        accountId: SYSTEM_OWNER,
        actorId: null,
        action: 'clock.accept',
        subject: today,
        reason: checked,
        details: { heldSince: row.held_since, heldWhy: row.held_why, seenAt: new Date(row.seen_at).toISOString() },
      });
    });
  }

  /** The statement may have to wait: what this machine's clocks say of its moment is known to half of that. */
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
