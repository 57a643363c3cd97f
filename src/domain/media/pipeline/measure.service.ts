import { type Database, execute } from '../../../db/sql.js';
import type { MeasureUploadJob } from '../../../ports/jobQueue.js';
import type { SourceProbe, UnusableSourceError } from '../../../ports/transcoder.js';
import { actorFor } from '../../shared/actor.js';
import { BEGIN_MEASURE, MEASURED, REFUSE_SOURCE, UNCOUNT_MEASURE } from '../library/videoState.sql.js';

/** An uploaded file that waits to be measured. */
export interface UnmeasuredSource {
  readonly sourceKey: string;
  /**
   * Whether it has been tried repeatedly for minutes. Then even an error that a broken disk may have caused is
   * accepted.
   */
  readonly isTriedForMinutes: boolean;
  /** A test video has to be short. */
  readonly isTest: boolean;
}

/** Records the probe of an upload. Each result counts once, and only for the file it is about. */
export class MeasureService {
  constructor(private readonly db: Database) {}

  /** Begins a try. Returns `null` if there is nothing to measure (any more). */
  async begin(job: MeasureUploadJob): Promise<UnmeasuredSource | null> {
    const [video] = await execute(this.db.sql, BEGIN_MEASURE, { accountId: job.accountId, videoId: job.videoId });
    if (!video) return null;
    return { sourceKey: video.source_key, isTriedForMinutes: video.is_tried_for_minutes, isTest: video.is_test };
  }

  /** Takes back a try that ended before the file was read: it does not count against the file. */
  async uncount(job: MeasureUploadJob, { sourceKey }: UnmeasuredSource): Promise<void> {
    await execute(this.db.sql, UNCOUNT_MEASURE, { accountId: job.accountId, videoId: job.videoId, sourceKey });
  }

  /** Records the probe; the video can be priced from now on. @returns false if the file is no longer wanted */
  async measured(job: MeasureUploadJob, { sourceKey }: UnmeasuredSource, probe: SourceProbe): Promise<boolean> {
    const rows = await execute(this.db.sql, MEASURED, {
      ...actorFor(job.accountId),
      accountId: job.accountId,
      videoId: job.videoId,
      sourceKey,
      durationMs: probe.durationMs,
      displayWidth: probe.video?.displayWidth ?? null,
      displayHeight: probe.video?.displayHeight ?? null,
      sizeBytes: probe.sizeBytes,
      probe: JSON.stringify(probe),
    });
    return rows.length > 0;
  }

  /** Marks the file as unusable and tells its owner why. */
  async refuse(job: MeasureUploadJob, { sourceKey }: UnmeasuredSource, reason: UnusableSourceError): Promise<void> {
    await execute(this.db.sql, REFUSE_SOURCE, {
      accountId: job.accountId,
      videoId: job.videoId,
      sourceKey,
      failureCode: 'UNUSABLE_SOURCE',
      message: reason.message,
    });
  }

  /** Gives up after measuring failed repeatedly because of the service, so that the owner does not wait longer. */
  async giveUp(job: MeasureUploadJob): Promise<void> {
    await execute(this.db.sql, REFUSE_SOURCE, {
      accountId: job.accountId,
      videoId: job.videoId,
      sourceKey: null,
      failureCode: 'MEASURING_FAILED',
      message: 'This file could not be measured. Please upload it again.',
    });
  }
}
