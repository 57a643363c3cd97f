import type { Database } from '../../../db/sql.js';
import { appendEvents } from '../../shared/events/appendEvent.js';
import { eventExample } from '../../shared/events/eventSchemas.js';
import type { EventData } from '../../shared/events/eventTypes.js';
import { newId } from '../../shared/ids.js';
import { askForFault } from './testFaults.js';

/**
 * Writes `dispute.opened` to the log of a test account, for its webhook endpoints to hear. There is no payment, and no
 * money moves.
 *
 * @throws INVALID_INPUT for a live account
 */
export function simulateDispute(db: Database, accountId: string): Promise<void> {
  return db.transaction(async ({ sql }) => {
    const id = newId();
    await askForFault(sql, { accountId, subjectId: id, fault: 'PAYMENT_DISPUTED' });
    const example = eventExample('dispute.opened')['data'] as EventData<'dispute.opened'>;
    await appendEvents(sql, [
      { accountId, type: 'dispute.opened', fact: `test:${id}`, data: { ...example, disputeId: `test_${id}` } },
    ]);
  });
}
