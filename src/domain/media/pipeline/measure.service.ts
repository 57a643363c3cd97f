import { type Database, execute, statement } from '../../../db/sql.js';
import type { MeasureUploadJob } from '../../../ports/jobQueue.js';
import type { SourceProbe, UnusableSourceError } from '../../../ports/transcoder.js';
import { isTestAccount } from '../../accounts/testMode/testAccount.sql.js';
import { actorFor } from '../../shared/actor.js';
import { notifyVideo } from '../../shared/liveNotice.js';
import { type ByActor, recordVideoChange } from '../../shared/videoChanges/videoChange.sql.js';
import { videoEvent } from '../library/videoEvents.js';

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

/** An upload that is neither deleted, nor replaced, nor measured. */
const UNMEASURED = `account_id = :accountId and id = :videoId and deleted_at is null and status = 'uploaded' and duration_ms is null`;

/** Counted before anything is tried: a file that takes its worker down with it counts as well. */
const BEGIN = statement<
  { accountId: string; videoId: string },
  { source_key: string; is_tried_for_minutes: boolean; is_test: boolean }
>(
  'measure-begin',
  `
    update video set measure_runs = measure_runs + 1, measuring_since = coalesce(measuring_since, service_now())
    where ${UNMEASURED} and source_key is not null
    returning source_key,
      measure_runs >= 3 and measuring_since < service_now() - interval '5 minutes' as is_tried_for_minutes,
      ${isTestAccount('video.account_id')} as is_test`,
);

const UNCOUNT = statement<{ accountId: string; videoId: string; sourceKey: string }>(
  'measure-uncount',
  `
    update video set measure_runs = greatest(measure_runs - 1, 0),
      measuring_since = case when measure_runs > 1 then measuring_since end
    where ${UNMEASURED} and source_key = :sourceKey`,
);

const MEASURED = statement<
  ByActor & {
    accountId: string;
    videoId: string;
    sourceKey: string;
    durationMs: number;
    displayWidth: number | null;
    displayHeight: number | null;
    sizeBytes: number;
    probe: string;
  }
>(
  'measure-measured',
  `
    update video set duration_ms = :durationMs, width = :displayWidth, height = :displayHeight, size_bytes = :sizeBytes, source_probe = :probe,
      updated_at = service_now()
    where ${UNMEASURED} and source_key = :sourceKey
    returning ${notifyVideo('account_id', 'id')}, ${recordVideoChange('video.measured')}`,
);

/** The file is of no use to its owner: it goes, and stops counting as storage. */
const REFUSED = statement<{
  accountId: string;
  videoId: string;
  sourceKey: string | null;
  failureCode: string;
  message: string;
}>(
  'measure-refused',
  `
    with refused as (
      update video set status = 'failed', failure_code = :failureCode, failure_message = :message, source_key = null,
        updated_at = service_now()
      where ${UNMEASURED} and (:sourceKey::text is null or source_key = :sourceKey)
      returning account_id, id, ${videoEvent('video.failed', 'attempt')}
    ), removed as (
      update stored_object o set removed_at = service_now() from refused r
      where o.account_id = r.account_id and o.video_id = r.id and o.removed_at is null
    )
    select ${notifyVideo('account_id', 'id')} from refused`,
);

/** Records the probe of an upload. Each result counts once, and only for the file it is about. */
export class MeasureService {
  constructor(private readonly db: Database) {}

  /** Begins a try. Returns `null` if there is nothing to measure (any more). */
  async begin(job: MeasureUploadJob): Promise<UnmeasuredSource | null> {
    const [video] = await execute(this.db.sql, BEGIN, { accountId: job.accountId, videoId: job.videoId });
    if (!video) return null;
    return { sourceKey: video.source_key, isTriedForMinutes: video.is_tried_for_minutes, isTest: video.is_test };
  }

  /** Takes back a try that ended before the file was read: it does not count against the file. */
  async uncount(job: MeasureUploadJob, { sourceKey }: UnmeasuredSource): Promise<void> {
    await execute(this.db.sql, UNCOUNT, { accountId: job.accountId, videoId: job.videoId, sourceKey });
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
    await execute(this.db.sql, REFUSED, {
      accountId: job.accountId,
      videoId: job.videoId,
      sourceKey,
      failureCode: 'UNUSABLE_SOURCE',
      message: reason.message,
    });
  }

  /** Gives up after measuring failed repeatedly because of the service, so that the owner does not wait longer. */
  async giveUp(job: MeasureUploadJob): Promise<void> {
    await execute(this.db.sql, REFUSED, {
      accountId: job.accountId,
      videoId: job.videoId,
      sourceKey: null,
      failureCode: 'MEASURING_FAILED',
      message: 'This file could not be measured. Please upload it again.',
    });
  }
}
