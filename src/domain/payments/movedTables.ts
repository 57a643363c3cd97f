import { movedTable } from '../shared/movedTable.js';

export const MOVED_BILLING_DETAILS = movedTable('billing_details', {
  columns: ['legal_name', 'address_lines', 'country', 'state_code', 'gstin', 'email', 'updated_at'],
});

export const MOVED_LOW_BALANCE = movedTable('low_balance', {
  columns: ['is_default', 'threshold_micros'],
  arrivingAs: { below_since: 'null', crossings: '0' },
});
