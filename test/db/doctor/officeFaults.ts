import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { raiseAlert } from '../../../src/domain/shared/alerts/raiseAlert.js';
import { recordBackup } from '../../../src/domain/operations/backups/backup.sql.js';
import { newId } from '../../../src/domain/shared/ids.js';
import type { Fault } from './faults.js';
import type { DoctorScene } from './scene.js';

/** Every way in which payments, books, nights and notices can get stuck. */
export const OFFICE_FAULTS: readonly Fault[] = [
  {
    check: 'webhooks',
    how: 'a webhook that was never processed',
    make: (scene) => webhook(scene, { status: 'pending', next: 'service_now()' }),
  },
  {
    check: 'webhooks',
    how: 'a webhook that was given up',
    make: (scene) => webhook(scene, { status: 'failed', next: 'null' }),
    mend: (scene) => scene.sql(`update webhook_event set status = 'ignored' where status = 'failed'`),
  },
  {
    check: 'topups-missing-webhook',
    how: 'a paid top-up whose webhook never came',
    async make(scene) {
      const id = newId();
      await scene.sql(
        `insert into topup (account_id, id, idempotency_key, provider, sandbox, currency, amount_minor, micros_per_minor,
           credit_micros, return_path, status, created_at, expires_at, webhook_missing_since)
         values ($1, $2, 'k', 'razorpay', true, 'INR', 100, 10000, 1000000, '/', 'open', service_now(), service_now(), service_now())`,
        [scene.account, id],
      );
      return id;
    },
    mend: (scene) => scene.sql('delete from topup'),
  },
  {
    check: 'suspense',
    how: 'a payment that matches no order',
    async make(scene) {
      await scene.sql(
        `insert into suspense_item (account_id, id, provider, payment_id, amount_minor, currency, reason, created_at)
         values ($1, $2, 'razorpay', 'pay_odd', 100, 'INR', 'no such order', service_now())`,
        [scene.account, newId()],
      );
      return 'pay_odd';
    },
    mend: (scene) => scene.sql('delete from suspense_item'),
  },
  {
    check: 'refunds',
    how: 'a refund that has been open for two days',
    async make(scene) {
      await scene.sql(
        `insert into refund_request (account_id, id, idempotency_key, topup_id, provider, payment_id, amount_minor,
           amount_micros, held_micros, created_at)
         values ($1, $2, 'k', $2, 'razorpay', 'pay_back', 100, 1000000, 0, service_now() - interval '2 days')`,
        [scene.account, newId()],
      );
      return 'pay_back';
    },
    mend: (scene) => scene.sql('delete from refund_request'),
  },
  {
    check: 'storage-nights',
    how: 'three nights that were not charged',
    async make(scene) {
      await scene.sql('update storage_night set day = day - 3');
      const [row] = await scene.sql('select (day + 1)::text as day from storage_night');
      return row!['day']!;
    },
    mend: (scene) => scene.sql('update storage_night set day = day + 3'),
  },
  {
    check: 'backups',
    how: 'backups that ended three days ago',
    async make(scene) {
      await scene.sql(
        `insert into backup (id, snapshot, finished_at) values ($1, 'an older one', service_now() - interval '4 days'),
           ($2, 'the last one', service_now() - interval '3 days')`,
        [newId(), newId()],
      );
      return 'the last one';
    },
    mend: (scene) => recordBackup(scene.app.db.sql, 'a new one'),
  },
  {
    check: 'storage-measuring',
    how: 'an object store that was not measured',
    async make(scene) {
      const [row] = await scene.sql(
        `update storage_night set measured_at = null, finished_at = service_now() - interval '2 days' returning day::text as day`,
      );
      return row!['day']!;
    },
  },
  {
    check: 'ledger-audit',
    how: 'books that were never verified',
    async make(scene) {
      await scene.sql(`update storage_night set started_at = service_now() - interval '2 days'`);
      return 'ledger';
    },
  },
  {
    check: 'ledger-faults',
    how: 'books in which a verification found faults',
    async make(scene) {
      await proof(scene, 2);
      return 'ledger';
    },
    mend: (scene) => proof(scene, 0),
  },
  {
    check: 'seals',
    how: 'an archive whose heads were deleted',
    async make(scene) {
      await scene.app.ledgerAudit.seal();
      await rm(join(scene.dataDir, 'seals'), { recursive: true });
      return 'block 1';
    },
    mend: (scene) => scene.app.ledgerAudit.seal(),
  },
  {
    check: 'alerts',
    how: 'an open alert',
    async make(scene) {
      await raiseAlert(scene.app.db.sql, { kind: 'test.odd', subject: 'the thing', message: 'Somebody has to look.' });
      return 'the thing';
    },
    mend: (scene) => scene.sql('update alert set resolved_at = service_now()'),
  },
  {
    check: 'notices',
    how: 'an email that was given up',
    async make(scene) {
      await scene.sql(
        `insert into notice (account_id, key, subject, body, created_at, attempts) values ($1, 'given-up', 's', 'b', service_now(), 8)`,
        [scene.account],
      );
      return 'given-up';
    },
  },
  {
    check: 'signing-keys',
    how: 'a last signing key that was retired',
    async make(scene) {
      const [row] = await scene.sql(
        `update playback_signing_key set verifies_until = service_now() + interval '1 hour' returning kid`,
      );
      return row!['kid']!;
    },
  },
];

/** A webhook that says nothing about money. */
async function webhook(scene: DoctorScene, { status, next }: { status: string; next: string }): Promise<string> {
  const eventId = `evt_${newId()}`;
  const body = JSON.stringify({ id: eventId, object: 'event', type: 'product.created', data: { object: { id: 'p' } } });
  await scene.sql(
    `insert into webhook_event (provider, event_id, body_hash, id, type, provider_created_at, received_at, body, status, next_attempt_at)
     values ('stripe', $1, '\\x00', $2, 'product.created', service_now(), service_now() - interval '20 minutes', $3, $4, ${next})`,
    [eventId, newId(), Buffer.from(body), status],
  );
  return eventId;
}

function proof(scene: DoctorScene, faults: number): Promise<unknown> {
  return scene.sql(
    `insert into ledger_audit (id, verified_at, transactions, entries, faults, first_fault)
     values ($1, service_now(), 1, 2, $2, 'balance: owner x')`,
    [newId(), faults],
  );
}
