import { movedTable } from '../shared/movedTable.js';

/** The books stay where they are: only what remains of the credits moves, by an adjustment. */
export const MOVED_AUTOMATIC_ALLOCATION = movedTable('automatic_allocation', {
  columns: ['bucket', 'enabled', 'updated_at'],
});
