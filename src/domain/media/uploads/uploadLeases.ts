import type { Sql, Statement } from '../../../db/sql.js';
import type { UploadRef } from '../../../ports/uploadStaging.js';

/** How long a holder that says nothing (killed, frozen, cut off) keeps others out. */
const LEASE_SECONDS = 6;

// Leases are about living processes, so they run by the machine's clock and not by the service's, which tests move.
const ACQUIRE: Statement = {
  name: 'upload-lease-acquire',
  text: `
    update upload set
      release_wanted = not (lease_token is null or leased_until <= statement_timestamp()),
      leased_until = case when lease_token is null or leased_until <= statement_timestamp()
        then clock_timestamp() + interval '${LEASE_SECONDS} s' else leased_until end,
      lease_token = case when lease_token is null or leased_until <= statement_timestamp() then $3 else lease_token end
    where account_id = $1 and id = $2
    returning lease_token = $3 as acquired`,
};

const RENEW: Statement = {
  name: 'upload-lease-renew',
  text: `
    update upload set leased_until = clock_timestamp() + interval '${LEASE_SECONDS} s'
    where account_id = $1 and id = $2 and lease_token = $3
    returning release_wanted`,
};

const RELEASE: Statement = {
  name: 'upload-lease-release',
  text: `
    update upload set lease_token = null, leased_until = null, release_wanted = false
    where account_id = $1 and id = $2 and lease_token = $3`,
};

/** Who may write to an upload: one holder at a time, over all processes. `token` is a UUID the holder makes up. */
export class UploadLeases {
  constructor(private readonly sql: Sql) {}

  /** Where another holds the lease, it is asked to let go. `missing`: there is no such upload any more. */
  async acquire(ref: UploadRef, token: string): Promise<'acquired' | 'held' | 'missing'> {
    const [row] = await this.sql.query<{ acquired: boolean }>(ACQUIRE, [ref.accountId, ref.uploadId, token]);
    if (row === undefined) return 'missing';
    return row.acquired ? 'acquired' : 'held';
  }

  /** Must be called every few seconds. `lost`: someone else may hold it by now; stop writing. */
  async renew(ref: UploadRef, token: string): Promise<'kept' | 'wanted' | 'lost'> {
    const [row] = await this.sql.query<{ release_wanted: boolean }>(RENEW, [ref.accountId, ref.uploadId, token]);
    if (row === undefined) return 'lost';
    return row.release_wanted ? 'wanted' : 'kept';
  }

  async release(ref: UploadRef, token: string): Promise<void> {
    await this.sql.query(RELEASE, [ref.accountId, ref.uploadId, token]);
  }
}
