import { type Database, execute } from '../../../db/sql.js';
import type { QueueWatch } from '../../../ports/jobQueue.js';
import { deliveryLag } from '../../accounts/webhooks/deliverer.js';
import type { StorageService } from '../../payments/storage/storage.service.js';
import { FAILED_ATTEMPTS } from './platformDay.sql.js';

/** How old one kind of work is. */
export interface QueueAge {
  readonly kind: string;
  /** `null` where only the age is known. */
  readonly waiting: number | null;
  readonly running: number | null;
  /** In the last 24 hours. */
  readonly failed: number | null;
  readonly oldestSeconds: number;
  /** From this age on, people are alerted; `null` if nobody is. */
  readonly lateAfterSeconds: number | null;
}

/** The same as in deploy/prometheus/dhara.rules.yaml. */
export const LATE_AFTER_SECONDS: Readonly<Record<string, number>> = {
  'measure-upload': 900,
  'process-video': 900,
  webhooks: 300,
  'storage-night': 6 * 3600,
};

interface QueueAgeDeps {
  readonly db: Database;
  readonly queue: QueueWatch;
  readonly storage: Pick<StorageService, 'lagSeconds'>;
}

/** What waits for workers, by kind, and for how long. */
export class QueueAges {
  constructor(private readonly deps: QueueAgeDeps) {}

  async list(): Promise<QueueAge[]> {
    const { db, queue, storage } = this.deps;
    const [backlog, failures, [attempts], webhooks, night] = await Promise.all([
      queue.backlog(),
      queue.failures(),
      execute(db.sql, FAILED_ATTEMPTS),
      deliveryLag(db.sql),
      storage.lagSeconds(),
    ]);
    const jobs = backlog.map(({ kind, waiting, active, oldestSeconds }) => ({
      kind,
      waiting,
      running: active,
      // A processing job ends well although its attempt failed: the owner is told, and the queue has nothing to repeat.
      failed: (failures.get(kind) ?? 0) + (kind === 'process-video' ? Number(attempts?.failed ?? 0) : 0),
      oldestSeconds,
    }));
    const others = [
      { kind: 'webhooks', oldestSeconds: webhooks.lagSeconds },
      { kind: 'storage-night', oldestSeconds: night },
    ].map((age) => ({ ...age, waiting: null, running: null, failed: null }));
    return [...jobs, ...others].map((age) => ({ ...age, lateAfterSeconds: LATE_AFTER_SECONDS[age.kind] ?? null }));
  }
}
