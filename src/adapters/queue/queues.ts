import type { Queue } from 'pg-boss';

export const QUEUE_SCHEMA = 'pgboss';

export const MEASURE_UPLOAD = 'measure-upload';
export const PROCESS_VIDEO = 'process-video';
export const ENCODE_CHUNK = 'encode-chunk';
export const SWEEP = 'sweep';

export const NIGHT = 'night';

/** Cron expressions: every minute, and every quarter of an hour. Each job finds out for itself what is due. */
export const SWEEP_CRON = '* * * * *';
export const NIGHT_CRON = '*/15 * * * *';

/**
 * The queues, as `migrateQueue` creates and updates them.
 *
 * A job without a heartbeat for `heartbeatSeconds` goes to another worker. Retries are nearly unlimited here: the
 * domain counts faults (`processing.faults`) and gives up itself. So giving up, the reason shown to the owner and the
 * released escrow are one transaction, which is impossible for an exhausted queue entry.
 */
export const QUEUES: readonly Queue[] = [
  {
    name: MEASURE_UPLOAD,
    // One live job per video (the singleton key): asking again while one waits or runs adds none.
    policy: 'exclusive',
    notify: true,
    heartbeatSeconds: 15,
    // The file may have to be downloaded first, over a slow connection.
    expireInSeconds: 86_400,
    retryLimit: 20,
    retryDelay: 1,
    retryBackoff: true,
    retryDelayMax: 15,
    deleteAfterSeconds: 86_400,
  },
  {
    name: PROCESS_VIDEO,
    policy: 'standard',
    notify: true,
    heartbeatSeconds: 15,
    // pg-boss's maximum. A long video in every rendition may need hours; the heartbeat reveals a lost worker.
    expireInSeconds: 86_400,
    // Also covers days of a full disk, at four tries a minute.
    retryLimit: 20_000,
    retryDelay: 1,
    retryBackoff: true,
    retryDelayMax: 15,
    deleteAfterSeconds: 86_400,
  },
  {
    name: ENCODE_CHUNK,
    policy: 'standard',
    notify: true,
    heartbeatSeconds: 15,
    // The job may wait in a worker until a slot is free.
    expireInSeconds: 86_400,
    // Any worker may claim the chunk itself, so a job that failed once or twice is not missed.
    retryLimit: 3,
    retryDelay: 1,
    retryBackoff: true,
    retryDelayMax: 15,
    deleteAfterSeconds: 3600,
  },
  {
    name: SWEEP,
    policy: 'exclusive',
    notify: true,
    heartbeatSeconds: 15,
    expireInSeconds: 3600,
    // The schedule sends the next one in a minute.
    retryLimit: 0,
    deleteAfterSeconds: 3600,
  },
  {
    name: NIGHT,
    policy: 'exclusive',
    notify: true,
    heartbeatSeconds: 15,
    expireInSeconds: 6 * 3600,
    // The schedule sends the next one in a quarter of an hour.
    retryLimit: 0,
    deleteAfterSeconds: 86_400,
  },
];
