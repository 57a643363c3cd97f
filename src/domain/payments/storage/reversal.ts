import type { PreviewRow } from './reversal.sql.js';
import { type Database, execute, type Sql } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { recordAudit } from '../../shared/audit.js';
import { raiseAlert } from '../../shared/alerts/raiseAlert.js';
import { newId, SYSTEM_OWNER } from '../../shared/ids.js';
import { checkedReason } from '../../shared/reason.js';
import { checkDay, LAST_ID } from './nights.js';
import { LAST_OF_BATCH, LOCK_NIGHTS } from './night.sql.js';
import * as statements from './reversal.sql.js';

/** What a reversal would return. */
export interface ReversalPreview {
  readonly nights: number;
  /** `YYYY-MM-DD` */
  readonly from: string;
  readonly through: string;
  readonly micros: bigint;
}

/** The progress of a reversal. */
export interface ReversalProgress {
  /** The night last worked on. Nights are reversed from newest to oldest. */
  readonly day: string;
  /** Postings so far. */
  readonly charges: bigint;
  readonly returnedMicros: bigint;
  readonly finished: boolean;
}

/**
 * Takes back charges of nights that ran on a wrong clock.
 *
 * Reverses all nights from one day on, never one in the middle, so that the remainder each night carries to the next
 * stays exact. Each charge gets a posting that undoes it. Every batch commits together with the progress: an
 * interrupted reversal resumes where it stopped, and any number of processes may run it at once. No night is charged
 * meanwhile; afterwards each day is charged again when it is due.
 */
export class StorageReversals {
  constructor(private readonly db: Database) {}

  /**
   * @param from `YYYY-MM-DD`, the oldest wrong night
   * @throws INVALID_PARAMETER for an invalid day; INVALID_STATE if no night from it on was charged
   */
  preview(from: string): Promise<ReversalPreview> {
    return previewOf(this.db.sql, from);
  }

  /** The same, or `null` if nothing from that day on was charged. */
  async charged(from: string): Promise<ReversalPreview | null> {
    const row = await chargedFrom(this.db.sql, from);
    return row.first === null ? null : previewIn(row, row.first);
  }

  /**
   * Reverses every charge from the night `from` on. The same call finishes an interrupted reversal.
   *
   * @param onProgress called after each batch
   * @returns whether it finished; `false` if it was told to stop before
   * @throws INVALID_STATE if there is nothing to reverse, or another reversal is in progress; INVALID_INPUT for a bad
   * reason; INVALID_PARAMETER for an invalid day
   */
  async reverse(
    { from, reason, signal }: { from: string; reason: string; signal: AbortSignal },
    onProgress: (progress: ReversalProgress) => void,
  ): Promise<boolean> {
    await this.begin(from, checkedReason(reason));
    let isFinished = false;
    while (!isFinished && !signal.aborted) {
      const progress = await this.db.transaction(({ sql }) => reverseNext(sql));
      if (progress) onProgress(progress);
      isFinished = progress === null || progress.finished;
    }
    return isFinished;
  }

  private async begin(from: string, reason: string): Promise<void> {
    await this.db.transaction(async (tx) => {
      const { sql } = tx;
      await execute(sql, LOCK_NIGHTS);
      const [open] = await execute(sql, statements.OPEN_REVERSAL);
      if (open?.from_day === from) return;
      if (open) {
        throw new AppError('INVALID_STATE', `A reversal from ${open.from_day} on is not finished: finish it first.`);
      }
      const preview = await previewOf(sql, from);
      const id = newId();
      await execute(sql, statements.BEGIN, { id, from, reason });
      const details = { reversal: id, nights: preview.nights, through: preview.through };
      await recordAudit(tx, {
        accountId: SYSTEM_OWNER,
        actorId: null,
        action: 'storage.reverse',
        subject: `nights from ${from}`,
        reason,
        details,
      });
      const message = `Storage charged from ${from} to ${preview.through} is being reversed: ${reason}`;
      await raiseAlert(sql, { kind: 'storage.reversed', subject: from, message });
    });
  }
}

async function previewOf(sql: Sql, from: string): Promise<ReversalPreview> {
  const row = await chargedFrom(sql, from);
  if (row.first === null) throw new AppError('INVALID_STATE', `No storage was charged for ${from} or a later day.`);
  if (!row.is_charged) throw new AppError('INVALID_STATE', `Charging for storage began after ${from}.`);
  return previewIn(row, row.first);
}

async function chargedFrom(sql: Sql, from: string): Promise<PreviewRow> {
  checkDay(from);
  const [row] = await execute(sql, statements.PREVIEW, { from });
  return row!;
}

function previewIn({ nights, last, micros }: PreviewRow, from: string): ReversalPreview {
  return { nights: Number(nights), from, through: last, micros: BigInt(micros) };
}

/** One batch of owners of one night, newest night first. @returns `null` if no reversal is in progress */
async function reverseNext(sql: Sql): Promise<ReversalProgress | null> {
  const [open] = await execute(sql, statements.OPEN_REVERSAL);
  if (!open) return null;
  const [last] = await execute(sql, LAST_OF_BATCH, { afterAccount: open.after_account });
  const through = last?.id ?? LAST_ID;

  const [done] = await execute(sql, statements.REVERSE_BATCH, {
    day: open.day,
    afterAccount: open.after_account,
    through,
    reversalId: open.id,
  });
  const [state] = await execute(sql, statements.ADVANCE, {
    id: open.id,
    charges: done!.charges,
    micros: done!.micros,
    isLast: last === undefined,
    through,
  });
  return {
    day: open.day,
    charges: BigInt(state!.charges),
    returnedMicros: BigInt(state!.micros),
    finished: state!.finished,
  };
}
