import type { Sql } from '../../../src/db/sql.js';
import { sealUpToNow } from '../../../src/domain/ledger/seals/sealLedger.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { testForgeries } from './forger.js';

const CREDIT = 1_000_000n;

testForgeries('jobs and storage', (forger) => [
  {
    what: 'a release of an escrow that never existed',
    make: () =>
      forger.forge({
        type: 'ESCROW_RELEASE',
        idempotencyKey: `escrow:release:${newId()}:1`,
        deltas: { CREATIVE: CREDIT, REVENUE_PROCESSING: -CREDIT },
      }),
    names: () => 'escrow-release: escrow:release:',
  },
  {
    what: 'a release of an escrow that had been settled',
    make: () =>
      forger.forge({
        type: 'ESCROW_RELEASE',
        idempotencyKey: `escrow:release:${forger.books.settledVideo}:1`,
        deltas: { CREATIVE: CREDIT, ESCROW: -CREDIT },
        intent: 'all',
        reference: forger.books.settledVideo,
      }),
    names: () => `escrow-release: escrow:release:${forger.books.settledVideo}:1`,
  },
  {
    what: 'an escrow settled for more than its job was quoted',
    make: async () => {
      const [job, key] = [newId(), { accountId: forger.books.stranger }];
      await forger.rows(`insert into escrow (account_id, video_id, attempt, bucket, locked_micros, settled_micros, status, created_at, resolved_at)
        values ('${key.accountId}', '${job}', 1, 4, 2, 2, 'settled', now(), now())`);
      await forger.rows(`insert into processing (account_id, video_id, attempt, quote_id, quality, price_micros, queued_at, updated_at)
        values ('${key.accountId}', '${job}', 1, '${newId()}', '480p', 1, now(), now())`);
      await forger.forge({
        type: 'ESCROW_LOCK',
        idempotencyKey: `escrow:lock:${job}:1`,
        deltas: { CREATIVE: -2n, ESCROW: 2n },
        reference: job,
      });
      await forger.forge({
        type: 'ESCROW_SETTLE',
        idempotencyKey: `escrow:settle:${job}:1`,
        deltas: { ESCROW: -2n, REVENUE_PROCESSING: 2n },
        intent: '2',
        reference: job,
      });
    },
    names: () => 'escrow-job: ',
  },
  {
    what: 'a lock without a job',
    make: () => forger.rows(`delete from processing where video_id = '${forger.books.lockedVideo}'`),
    names: () => `escrow-job: ${forger.books.lockedVideo}:1`,
  },
  {
    what: 'an escrow released to another bucket',
    make: () => forger.rows(`update escrow set bucket = 1 where video_id = '${forger.books.releasedVideo}'`),
    names: () => `escrow-release: escrow:release:${forger.books.releasedVideo}:1`,
  },
  {
    what: 'an escrow whose row was deleted',
    make: () => forger.rows(`delete from escrow where video_id = '${forger.books.lockedVideo}'`),
    names: () => `escrow-lock: escrow:lock:${forger.books.lockedVideo}:1`,
  },
  {
    what: 'an escrow marked as settled without a posting',
    make: () =>
      forger.rows(
        `update escrow set status = 'settled', settled_micros = 1 where video_id = '${forger.books.lockedVideo}'`,
      ),
    names: () => `posting-missing: escrow:settle:${forger.books.lockedVideo}:1`,
  },
  {
    what: 'a day of storage charged twice',
    make: () =>
      forger.forge({
        ownerId: forger.books.owner,
        type: 'STORAGE',
        idempotencyKey: 'storage:2027-03-01:again',
        deltas: { MASTER: -5n, REVENUE_STORAGE: 5n },
        reference: '2027-03-01',
      }),
    names: () => 'storage-posting: storage:2027-03-01:again',
  },
  {
    what: 'a day of storage with another amount',
    make: () =>
      forger.rows(`update storage_day set charged_micros = charged_micros + 1, arrears_micros = arrears_micros + 1
      where account_id = '${forger.books.owner}' and day = '2027-03-01'`),
    names: () => 'storage-posting: storage:2027-03-01',
  },
  {
    what: 'a day of storage deleted with its posting',
    make: async () => {
      await forger.erase(forger.books.owner, 'storage:2027-03-01');
      await forger.rows(`delete from storage_day where account_id = '${forger.books.owner}' and day = '2027-03-01'`);
    },
    names: () => 'storage-bytes: storage:2027-03-01',
  },
  {
    what: 'a day of storage with fewer bytes than were stored',
    make: () => forger.rows(`update stored_object set size_bytes = size_bytes + 1`),
    names: () => 'storage-bytes: storage:2027-02-28',
  },
  {
    what: 'a sealed block replaced by a consistent one',
    make: async () => {
      await forger.rows('truncate ledger_seal, ledger_seal_owner');
      await forger.rows(`update ledger_tx set metadata = metadata || '{"n": "1"}' where type = 'ALLOCATION'`);
      const em = () => forger.books.rig.db.em();
      await sealUpToNow({
        sql: forger.sql,
        em,
        transaction: (work) => work({ em, sql: skipping(forger.sql) }),
      });
    },
    names: () => 'seal-archive: block 1',
  },
]);

/** Skips the statement that sets up the transaction, which cannot run again inside one. */
function skipping(inner: Sql): Sql {
  return {
    query: async (statement, values) => (statement.name === 'seal-snapshot' ? [] : inner.query(statement, values)),
  };
}
