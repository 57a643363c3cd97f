import { type Database, execute, type Sql, statement } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { recordAudit } from '../../shared/audit.js';
import { isUuid } from '../../shared/ids.js';
import type { ProcessingService, Purchase } from '../../media/pipeline/processing.service.js';
import { checkedReason } from '../../shared/reason.js';
import type { StaffOrder } from './support.service.js';
import { type AfterTime, parseTimeCursor, timeCursor } from './timeCursor.js';

/** A failed video of any account. */
export interface FailedVideo {
  readonly accountId: string;
  readonly videoId: string;
  readonly title: string;
  readonly attempt: number;
  readonly failureCode: string | null;
  readonly failureMessage: string | null;
  readonly failedAt: Date;
  readonly cursor: string;
}

interface FailedRow {
  account_id: string;
  id: string;
  title: string;
  attempt: number;
  failure_code: string | null;
  failure_message: string | null;
  updated_at: string;
}

const LIST = statement<AfterTime & { first: number }, FailedRow>(
  'support-failed-videos',
  `
    select account_id, id, title, attempt, failure_code, failure_message, updated_at from video
    where status = 'failed' and deleted_at is null and (updated_at, id) < (:afterTime::timestamptz, :afterId::uuid)
    order by updated_at desc, id desc limit :first`,
);

/** What staff can do about failed videos. */
export class FailedVideoService {
  constructor(private readonly deps: { readonly db: Database; readonly processing: ProcessingService }) {}

  /** Of all accounts, latest failure first, at most `first`. @throws INVALID_PARAMETER for a bad cursor. */
  async list(page: { first: number; after: string | null }): Promise<FailedVideo[]> {
    const rows = await execute(this.deps.db.sql, LIST, { ...parseTimeCursor(page.after), first: page.first });
    return rows.map((row) => ({
      accountId: row.account_id,
      videoId: row.id,
      title: row.title,
      attempt: row.attempt,
      failureCode: row.failure_code,
      failureMessage: row.failure_message,
      failedAt: new Date(row.updated_at),
      cursor: timeCursor(row.updated_at, row.id),
    }));
  }

  /**
   * Buys the processing again with the owner's credits, like the owner's own retry. Recorded in the audit trail in the
   * same transaction.
   *
   * @throws VIDEO_NOT_FOUND, INVALID_INPUT for a bad reason, and everything that {@link ProcessingService.retry} throws
   */
  async retry({ accountId, actorId, reason, videoId }: StaffOrder & { videoId: string }): Promise<Purchase> {
    const checked = checkedReason(reason);
    if (!isUuid(accountId)) throw new AppError('VIDEO_NOT_FOUND', 'Video not found.');
    return this.deps.processing.retry(accountId, videoId, (sql: Sql, { attempt }: Purchase) =>
      recordAudit(sql, {
        accountId,
        actorId,
        action: 'video.retry',
        subject: videoId,
        reason: checked,
        details: { attempt },
      }),
    );
  }
}
