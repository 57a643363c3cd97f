import { type Database, execute, statement } from '../../db/sql.js';
import { AppError } from '../../errors.js';
import { newId } from '../shared/ids.js';

const LEASE_SECONDS = 60;
const RENEW_EVERY_MS = (LEASE_SECONDS * 1000) / 4;

interface Lease {
  readonly accountId: string;
  readonly id: string;
}

const TAKE = statement<Lease, { taken: boolean }>(
  'data-download-take',
  `
    update account set data_download_id = :id, data_download_until = service_now() + interval '${LEASE_SECONDS} seconds'
    where id = :accountId and coalesce(data_download_until <= service_now(), true)
    returning true as taken`,
);

/** Returns no row if the lease ended and another download took it. */
const RENEW = statement<Lease, { kept: boolean }>(
  'data-download-renew',
  `
    update account set data_download_until = service_now() + interval '${LEASE_SECONDS} seconds'
    where id = :accountId and data_download_id = :id
    returning true as kept`,
);

const RELEASE = statement<Lease>(
  'data-download-release',
  'update account set data_download_id = null, data_download_until = null where id = :accountId and data_download_id = :id',
);

/** What a download sends, cut off once another download has taken its place. */
export type WhileHeld = <T>(parts: AsyncIterable<T>) => AsyncIterable<T>;

/**
 * Downloads of everything that an account holds: one at a time for each account, in all processes together. The database
 * keeps a lease rather than a lock, so that a slow reader holds no connection. The lease is renewed while somebody reads,
 * and ends a minute after the process that held it.
 */
export class DataDownloads {
  constructor(
    private readonly db: Database,
    /** 0 in a test that must not wait. */
    private readonly renewEveryMs = RENEW_EVERY_MS,
  ) {}

  /** @throws RATE_LIMIT_EXCEEDED at once, if another download of the account is under way */
  async run(accountId: string, work: (whileHeld: WhileHeld) => Promise<void>): Promise<void> {
    const lease = { accountId, id: newId() };
    const [taken] = await execute(this.db.sql, TAKE, lease);
    if (!taken) throw underWay();
    try {
      await work((parts) => this.whileHeld(lease, parts));
    } finally {
      await execute(this.db.sql, RELEASE, lease);
    }
  }

  private async *whileHeld<T>(lease: Lease, parts: AsyncIterable<T>): AsyncGenerator<T> {
    let renewedAtMs = performance.now();
    for await (const part of parts) {
      if (performance.now() - renewedAtMs >= this.renewEveryMs) {
        const [kept] = await execute(this.db.sql, RENEW, lease);
        if (!kept) throw underWay();
        renewedAtMs = performance.now();
      }
      yield part;
    }
  }
}

function underWay(): AppError {
  return new AppError('RATE_LIMIT_EXCEEDED', 'Your data is already being downloaded. Try again after that.');
}
