import { type NoParams, execute, statement } from '../../../../db/sql.js';
import { sourceKeyOf, type StagedBytes } from '../../../../ports/uploadStaging.js';
import { unknownOf } from '../../../media/uploads/unknownBytes.js';
import { found, rowsCheck, type Check, type Finding } from '../check.js';
import type { DoctorServices, Services } from '../services.js';

const UNKNOWN_AFTER_SECONDS = 3600;
/** The most uploads and files looked up one by one, in the staging or the store. */
const MAX_LOOKED_UP = 500;

const UNLEASED = `u.finished_at is null and (u.lease_token is null or u.leased_until <= clock_timestamp())`;

/** Files being uploaded. */
export function uploadChecks(services: Services): readonly Check[] {
  return [handover(services), expired(services), unknownFiles(services), unmeasured(services)];
}

interface OpenRow {
  readonly account_id: string;
  readonly video_id: string;
  readonly id: string;
  readonly size_bytes: string;
  readonly created_at: string;
}

/** Uploads that nobody writes to and nobody hands over. */
const OPEN = statement<NoParams, OpenRow>(
  'doctor-open-uploads',
  `
    select u.account_id, u.video_id, u.id, u.size_bytes, u.created_at
    from upload u join video v on v.account_id = u.account_id and v.id = u.video_id
    where ${UNLEASED} and v.status = 'uploading' and v.deleted_at is null
      and u.created_at < service_now() - interval '1 minute'
    order by u.created_at limit ${MAX_LOOKED_UP}`,
);

function handover(services: Services): Check {
  return {
    name: 'uploads-complete',
    title: 'uploads that are complete but were not handed over',
    remedy: 'Moves them into the store and has them measured.',
    async find({ sql, signal }) {
      const whole: Finding[] = [];
      const rows = await execute(sql, OPEN);
      for (const row of rows) {
        if (signal.aborted) break;
        const why = await whereIsWhole(services(), row);
        if (why === null) continue;
        const subject = `account ${row.account_id}, video ${row.video_id}, upload ${row.id}`;
        whole.push({ subject, since: new Date(row.created_at), why });
      }
      return found(
        whole,
        rows.length === MAX_LOOKED_UP ? `Only ${MAX_LOOKED_UP} open uploads were checked.` : undefined,
      );
    },
    repair: () => services().uploads.recoverUploads(),
  };
}

async function whereIsWhole(
  { staging, store }: DoctorServices,
  { account_id: accountId, video_id: videoId, id: uploadId, size_bytes: sizeBytes }: OpenRow,
): Promise<string | null> {
  const staged = await staging.sizeBytes({ accountId, uploadId });
  if (staged !== null) {
    return `${staged}` === sizeBytes ? 'All bytes have arrived, but its server was lost.' : null;
  }
  const stored = await store.head(sourceKeyOf({ accountId, videoId, uploadId }));
  return stored !== null && `${stored.sizeBytes}` === sizeBytes
    ? 'It is in the store, but its row does not say so.'
    : null;
}

function expired(services: Services): Check {
  const check = rowsCheck({
    name: 'uploads-expired',
    title: 'uploads that expired or lost their video, and still take up space',
    remedy: 'Removes their bytes and their rows.',
    text: `
      select format('account %s, video %s, upload %s', u.account_id, u.video_id, u.id), least(u.expires_at, v.deleted_at),
        case when v.id is null then 'Its video is not there.'
          when v.deleted_at is not null then 'Its video was deleted.' else 'Nobody continued it.' end
      from upload u left join video v on v.account_id = u.account_id and v.id = u.video_id
      where ${UNLEASED} and least(u.expires_at, v.deleted_at, case when v.id is null then u.created_at end)
        < service_now() - interval '10 minutes'`,
  });
  return { ...check, repair: () => services().uploads.expireUploads() };
}

/** Files of requests that raced with a removal, and parts that a killed request left. */
function unknownFiles(services: Services): Check {
  const find: Check['find'] = async ({ sql }) => {
    const unknown: StagedBytes[] = [];
    const staged = services().staging.listIdle(UNKNOWN_AFTER_SECONDS);
    for await (const bytes of unknownOf(sql, staged)) unknown.push(bytes);
    return found(
      unknown.map(({ accountId, uploadId, multipart }) => ({
        subject: `account ${accountId}, upload ${uploadId}`,
        since: null,
        why: `${multipart ? 'It was started a day ago' : 'Nobody has written to it for an hour'}, and it belongs to no open upload.`,
      })),
    );
  };
  return {
    name: 'uploads-unknown',
    title: 'files in the staging folder, or parts in the bucket, that belong to no open upload',
    remedy: 'Removes them.',
    find,
    async repair(look) {
      const { count } = await find(look);
      await services().uploads.expireUploads();
      return count;
    },
  };
}

interface UnmeasuredRow {
  readonly account_id: string;
  readonly video_id: string;
  readonly updated_at: string;
  readonly measure_runs: number;
  readonly measured: boolean;
  readonly late: boolean;
}

const UNMEASURED = statement<NoParams, UnmeasuredRow>(
  'doctor-unmeasured',
  `
    select account_id, id as video_id, updated_at, measure_runs, duration_ms is not null as measured,
      updated_at < service_now() - interval '1 hour' as late
    from video
    where status = 'uploaded' and deleted_at is null and updated_at < service_now() - interval '10 minutes'
      and (duration_ms is null and source_key is not null
        or auto_process and attempt = 0 and duration_ms is not null and failure_code is null)
    order by updated_at limit 10000`,
);

function unmeasured(services: Services): Check {
  return {
    name: 'uploads-unmeasured',
    title: 'complete uploads that are not being measured, or not processed as their owner chose',
    remedy:
      'Queues them again, which needs a worker. Those that could not be measured for an hour are marked as failed.',
    async find({ sql }) {
      const rows = await execute(sql, UNMEASURED);
      const live = await services().queue.liveMeasureUploadVideos(rows.map((row) => row.video_id));
      const forgotten = rows.filter((row) => row.late || !live.has(row.video_id));
      return found(
        forgotten.map((row) => ({
          subject: `account ${row.account_id}, video ${row.video_id}`,
          since: new Date(row.updated_at),
          why: row.measured
            ? 'It is measured and should be processed automatically, but no job does so.'
            : `${live.has(row.video_id) ? 'Its job waits for a worker' : 'No job measures it'}; it was started ${row.measure_runs} times.`,
        })),
      );
    },
    repair: () => services().leftovers.resumeMeasuring(),
  };
}
