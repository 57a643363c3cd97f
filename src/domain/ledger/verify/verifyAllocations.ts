import { anyOf, type TxForm } from './verifyForms.js';

/**
 * Movements by owners. They have no row of their own: the fact is the request itself, which the posting contains as a
 * hash. An allocation moves one amount from one account to another.
 */
export const ALLOCATION_FORMS: readonly TxForm[] = [
  {
    name: 'allocation',
    applies: `t.type = 'ALLOCATION' and starts_with(t.key, 'allocation:')`,
    fact: 'select true as there where t.entries = 2 and t.total = 0 and t.debt = 0',
    moves: anyOf('MASTER', 'CLOUD', 'AI', 'CREATIVE'),
  },
  {
    name: 'debt-repayment',
    applies: `t.type = 'ALLOCATION' and starts_with(t.key, 'debt:repay:')`,
    fact: 'select true as there where t.debt > 0',
    moves: { MASTER: '-t.debt', DEBT: 't.debt' },
  },
];
