import { execute, type Sql, statement } from '../../../db/sql.js';
import type { UploadRef } from '../../../ports/uploadStaging.js';

/** How long a holder that says nothing (killed, frozen, cut off) keeps others out. */
const LEASE_SECONDS = 6;

// Leases are about living processes, so they run by the machine's clock and not by the service's, which tests move.
const ACQUIRE = statement<{ accountId: string; uploadId: string; token: string }, { acquired: boolean }>(
  'upload-lease-acquire',
  `
    update upload set
      release_wanted = not (lease_token is null or leased_until <= statement_timestamp()),
      leased_until = case when lease_token is null or leased_until <= statement_timestamp()
        then clock_timestamp() + interval '${LEASE_SECONDS} s' else leased_until end,
      lease_token = case when lease_token is null or leased_until <= statement_timestamp() then :token else lease_token end
    where account_id = :accountId and id = :uploadId
    returning lease_token = :token as acquired`,
);

const RENEW = statement<{ accountId: string; uploadId: string; token: string }, { release_wanted: boolean }>(
  'upload-lease-renew',
  `
    update upload set leased_until = clock_timestamp() + interval '${LEASE_SECONDS} s'
    where account_id = :accountId and id = :uploadId and lease_token = :token
    returning release_wanted`,
);

const RELEASE = statement<{ accountId: string; uploadId: string; token: string }>(
  'upload-lease-release',
  `
    update upload set lease_token = null, leased_until = null, release_wanted = false
    where account_id = :accountId and id = :uploadId and lease_token = :token`,
);

/** Who may write to an upload: one holder at a time, over all processes. `token` is a UUID the holder makes up. */
export class UploadLeases {
  constructor(private readonly sql: Sql) {}

  /** Where another holds the lease, it is asked to let go. `missing`: there is no such upload any more. */
  async acquire(ref: UploadRef, token: string): Promise<'acquired' | 'held' | 'missing'> {
    const [row] = await execute(this.sql, ACQUIRE, { accountId: ref.accountId, uploadId: ref.uploadId, token });
    if (row === undefined) return 'missing';
    return row.acquired ? 'acquired' : 'held';
  }

  /** Must be called every few seconds. `lost`: someone else may hold it by now; stop writing. */
  async renew(ref: UploadRef, token: string): Promise<'kept' | 'wanted' | 'lost'> {
    const [row] = await execute(this.sql, RENEW, { accountId: ref.accountId, uploadId: ref.uploadId, token });
    if (row === undefined) return 'lost';
    return row.release_wanted ? 'wanted' : 'kept';
  }

  async release(ref: UploadRef, token: string): Promise<void> {
    await execute(this.sql, RELEASE, { accountId: ref.accountId, uploadId: ref.uploadId, token });
  }
}
