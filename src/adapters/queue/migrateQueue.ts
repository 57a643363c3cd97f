import { PgBoss } from 'pg-boss';

import { connectionTo } from '../../db/connection.js';
import { NIGHT, NIGHT_CRON, QUEUES, QUEUE_SCHEMA, SWEEP, SWEEP_CRON } from './queues.js';

/**
 * Creates or upgrades the queue's schema, its queues and its schedule, as the role that owns tables. The running
 * service needs rights on rows only. Idempotent.
 */
export async function migrateQueue(migrationUrl: string): Promise<void> {
  const boss = new PgBoss({
    ...connectionTo(migrationUrl),
    schema: QUEUE_SCHEMA,
    migrate: true,
    createSchema: true,
    supervise: false,
    schedule: false,
    max: 2,
  });
  // An unhandled error event would end the process. Errors that matter here also reject.
  boss.on('error', () => undefined);
  await boss.start();
  try {
    for (const { name, policy, ...settings } of QUEUES) {
      await boss.createQueue(name, { ...settings, ...(policy && { policy }) });
      await boss.updateQueue(name, settings);
    }
    await boss.schedule(SWEEP, SWEEP_CRON);
    await boss.schedule(NIGHT, NIGHT_CRON);
  } finally {
    await boss.stop({ graceful: false });
  }
}
