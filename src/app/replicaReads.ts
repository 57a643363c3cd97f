import type { Reads } from '../api/graphql/services.js';
import { watchReplica } from '../api/http/countedMetrics.js';
import type { HttpMetrics } from '../api/http/metrics.js';
import { ReadYourWrites } from '../api/http/readYourWrites.js';
import { PostgresDatabase } from '../db/database.js';
import { ReadReplica } from '../db/readReplica.js';
import type { Database } from '../db/sql.js';
import { VideoConnectionReader } from '../domain/media/library/videoConnection.js';
import { FailedVideoService } from '../domain/operations/support/failedVideos.js';
import { VideoActivityService } from '../domain/playback/activity/videoActivity.service.js';
import { AnalyticsService } from '../domain/playback/analytics/analytics.service.js';
import { readAuditLog } from '../domain/shared/auditLog.js';
import { EventLog } from '../domain/shared/events/eventLog.js';
import type { AppOptions, End } from './options.js';
import type { Services } from './services.js';

/** A primary that is silent for longer is asked again on a new connection. */
const PRIMARY_SILENCE_MS = 2000;

export interface ReplicaReads {
  /** Whether a session may read from the replica. */
  readonly yourWrites: ReadYourWrites;
  /** From the replica, or from the primary if the replica fails meanwhile. */
  readonly reads: Reads;
  /** Counts an operation that was kept from the replica. */
  readonly keptAway: () => void;
  readonly close: End;
}

/** What `DATABASE_READ_URL` is for; `null` if it is not set. */
export async function openReplicaReads(
  { config, runtimeUrl, publicUrl, logger }: AppOptions,
  services: Services,
  metrics: HttpMetrics,
): Promise<ReplicaReads | null> {
  const { DATABASE_READ_URL: url, DATABASE_READ_LAG_SECONDS: maxLagSeconds } = config;
  if (url === undefined) return null;
  let opened: ReadReplica | null = null;
  const count = watchReplica(metrics.registry, () => (opened?.lagMs ?? Number.POSITIVE_INFINITY) / 1000);
  // Of its own: while all connections of the pool are in use, the replica is needed most.
  const primary = await PostgresDatabase.connect({
    url: runtimeUrl,
    maxConnections: 1,
    silenceMs: PRIMARY_SILENCE_MS,
    mayBeDown: true,
  });
  const replica = await ReadReplica.open({
    primary,
    url,
    maxConnections: config.DATABASE_POOL_SIZE,
    maxLagMs: maxLagSeconds * 1000,
    refusesUnfitRole: config.NODE_ENV === 'production',
    log: (message) => logger.warn({ scope: 'replica' }, message),
    onRead: count,
  });
  opened = replica;
  // Reads all entities, like the first entity manager of the primary (`startApi`): no request should wait for it.
  replica.db.em();
  return {
    yourWrites: new ReadYourWrites({ replica, maxLagSeconds, isSecure: publicUrl.startsWith('https:') }),
    reads: withFallback(readsOf(replica.db, services, config), services, replica),
    keptAway: () => count(replica.isUsable ? 'own_write' : 'unusable'),
    close: async () => {
      await replica.close();
      await primary.close();
    },
  };
}

function readsOf(db: Database, { processing }: Services, config: AppOptions['config']): Reads {
  const videos = new VideoConnectionReader(db);
  return {
    videos: { list: (accountId, query) => videos.page(accountId, query) },
    analytics: new AnalyticsService(db, { viewDays: config.VIEW_DAYS, hourMonths: config.VIEW_HOUR_MONTHS }),
    videoActivity: new VideoActivityService({
      db,
      eventLog: new EventLog(db, config.EVENT_DAYS),
      keepDays: config.VIDEO_CHANGE_DAYS,
    }),
    support: { auditLog: (filter, page) => readAuditLog(db, filter, page) },
    failedVideos: new FailedVideoService({ db, processing }),
  };
}

/** Each method reads from the replica, and from the primary if that fails. */
function withFallback(fromReplica: Reads, fromPrimary: Reads, replica: Pick<ReadReplica, 'read'>): Reads {
  const either =
    <Asked extends unknown[], Found>(read: (reads: Reads, ...asked: Asked) => Promise<Found>) =>
    (...asked: Asked): Promise<Found> =>
      replica.read(
        () => read(fromReplica, ...asked),
        () => read(fromPrimary, ...asked),
      );
  return {
    videos: { list: either(({ videos }, ...asked) => videos.list(...asked)) },
    analytics: {
      analytics: either((from, ...asked) => from.analytics.analytics(...asked)),
      topVideos: either((from, ...asked) => from.analytics.topVideos(...asked)),
      recentPlays: either((from, ...asked) => from.analytics.recentPlays(...asked)),
      recentViews: either((from, ...asked) => from.analytics.recentViews(...asked)),
    },
    videoActivity: {
      page: either(({ videoActivity }, ...asked) => videoActivity.page(...asked)),
    },
    support: { auditLog: either(({ support }, ...asked) => support.auditLog(...asked)) },
    failedVideos: {
      list: either(({ failedVideos }, ...asked) => failedVideos.list(...asked)),
    },
  };
}
