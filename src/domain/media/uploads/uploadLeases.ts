import { execute, type Sql, statement } from '../../../db/sql.js';
import type { UploadRef } from '../../../ports/uploadStaging.js';

/** How long a silent holder (killed, frozen, disconnected) blocks others. */
const LEASE_SECONDS = 6;

// Leases concern live processes, so they use the machine's clock and not the service clock, which tests move.
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

/** Who may write to an upload: one holder at a time, across all processes. The holder generates `token`, a UUID. */
export class UploadLeases {
  constructor(private readonly sql: Sql) {}

  /** If another holder has the lease, it is asked to release it. `missing`: the upload no longer exists. */
  async acquire(ref: UploadRef, token: string): Promise<'acquired' | 'held' | 'missing'> {
    const [row] = await execute(this.sql, ACQUIRE, { accountId: ref.accountId, uploadId: ref.uploadId, token });
    if (row === undefined) return 'missing';
    return row.acquired ? 'acquired' : 'held';
  }

  /** Call it every few seconds. `lost`: another holder may have the lease by now, so stop writing. */
  async renew(ref: UploadRef, token: string): Promise<'kept' | 'wanted' | 'lost'> {
    const [row] = await execute(this.sql, RENEW, { accountId: ref.accountId, uploadId: ref.uploadId, token });
    if (row === undefined) return 'lost';
    return row.release_wanted ? 'wanted' : 'kept';
  }

  async release(ref: UploadRef, token: string): Promise<void> {
    await execute(this.sql, RELEASE, { accountId: ref.accountId, uploadId: ref.uploadId, token });
  }
}
