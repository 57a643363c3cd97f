import { type Database, execute } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { recordAudit } from '../../shared/audit.js';
import { isUuid } from '../../shared/ids.js';
import { FAILED_VIDEOS } from '../../media/library/video.sql.js';
import type { ProcessingService, Purchase } from '../../media/pipeline/processing.service.js';
import { checkedReason } from '../../shared/reason.js';
import type { StaffOrder } from './support.service.js';
import { parseTimeCursor, timeCursor } from './timeCursor.js';

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

/** What staff can do about failed videos. */
export class FailedVideoService {
  constructor(private readonly deps: { readonly db: Database; readonly processing: ProcessingService }) {}

  /** Of all accounts, latest failure first, at most `first`. @throws INVALID_PARAMETER for a bad cursor. */
  async list(page: { first: number; after: string | null }): Promise<FailedVideo[]> {
    const rows = await execute(this.deps.db.sql, FAILED_VIDEOS, { ...parseTimeCursor(page.after), first: page.first });
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
    return this.deps.processing.retry(accountId, videoId, (tx, { attempt }) =>
      recordAudit(tx, {
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
