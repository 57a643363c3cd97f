import type { Mutant } from './mutant.js';

const ROUNDS = ['test/db/events/lowBalanceRounds.test.ts'];

export const lowBalanceMutants: readonly Mutant[] = [
  {
    name: 'a night does not tell of balances that it brings below',
    file: 'src/domain/payments/storage/night.sql.ts',
    from: 'posted_first where charged > 0',
    to: 'posted_first where false',
    tests: ROUNDS,
  },
  {
    name: 'a reversed night does not note that a balance has risen',
    file: 'src/domain/payments/storage/reversal.sql.ts',
    from: 'from undrawn) u where charged > 0',
    to: 'from undrawn) u where false',
    tests: ROUNDS,
  },
  {
    name: 'a new threshold is not compared',
    file: 'src/domain/payments/billing/lowBalance.service.ts',
    from: 'await execute(sql, COMPARE_WITH_NEW_THRESHOLD, { accountId });',
    to: '',
    tests: [...ROUNDS, 'test/db/billing/lowBalance.test.ts'],
  },
  {
    name: 'a threshold that is changed often tells each time',
    file: 'src/domain/payments/billing/lowBalance.sql.ts',
    from: "interval '1 hour'",
    to: "interval '0 hours'",
    tests: ['test/db/billing/lowBalance.test.ts'],
  },
  {
    name: 'a reversed night tells of balances that have risen',
    file: 'src/domain/payments/billing/lowBalance.sql.ts',
    from: 'select note_risen_balances(array_agg(',
    to: 'select tell_low_balances(array_agg(',
    tests: ROUNDS,
  },
];
