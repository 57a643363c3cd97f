import type { Queue } from 'pg-boss';

export const QUEUE_SCHEMA = 'pgboss';

export const MEASURE_UPLOAD = 'measure-upload';
export const PROCESS_VIDEO = 'process-video';
export const ENCODE_CHUNK = 'encode-chunk';
export const SWEEP = 'sweep';

export const NIGHT = 'night';

/** In cron's words: every minute, and every quarter of an hour. Each finds out for itself what is due. */
export const SWEEP_CRON = '* * * * *';
export const NIGHT_CRON = '*/15 * * * *';

/**
 * The queues, as `migrateQueue` creates them and keeps them up to date.
 *
 * A job whose worker stops beating for `heartbeatSeconds` goes to another one. Trying again is nearly unlimited here:
 * the domain counts what went wrong (`processing.faults`) and gives up itself, so that giving up, the reason shown to
 * the owner, and the released escrow are one transaction, which an exhausted queue entry could not be.
 */
export const QUEUES: readonly Queue[] = [
  {
    name: MEASURE_UPLOAD,
    // One live job per video (the singleton key): asking again while one waits or runs adds none.
    policy: 'exclusive',
    notify: true,
    heartbeatSeconds: 15,
    // The file may have to be fetched first, by a slow line.
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
    // The most pg-boss takes. A long video in every rendition may need hours; a lost worker shows by its heartbeat.
    expireInSeconds: 86_400,
    // Days of a full disk, too: at four tries a minute.
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
    // It may wait in a worker's hands until that has a slot to spare.
    expireInSeconds: 86_400,
    // The chunk itself goes to whoever claims it next: an invitation that failed once or twice is not missed.
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
    // The next minute brings the next one.
    retryLimit: 0,
    deleteAfterSeconds: 3600,
  },
  {
    name: NIGHT,
    policy: 'exclusive',
    notify: true,
    heartbeatSeconds: 15,
    expireInSeconds: 6 * 3600,
    // The next quarter brings the next one.
    retryLimit: 0,
    deleteAfterSeconds: 86_400,
  },
];
