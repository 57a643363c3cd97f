import type { Mutant } from './mutant.js';

const REFUND_SQL = 'src/domain/payments/refunds/refund.sql.ts';
const CALLS = 'src/domain/payments/refunds/refundCalls.ts';
const RATE = 'src/domain/payments/topUps/quoteTopUp.ts';
const TOPUPS = 'src/domain/payments/topUps/topUp.service.ts';
const ACCOUNT_SQL = 'src/domain/accounts/account.sql.ts';
const TOPUP_SQL = 'src/domain/payments/topUps/topUp.sql.ts';
const TOPUP = 'src/domain/payments/topUps/topUp.ts';
const RECONCILER = 'src/domain/payments/inbox/reconciler.ts';
const REFUND = 'src/domain/payments/refunds/refund.service.ts';
const DETAILS = 'src/domain/payments/topUps/topUpDetails.ts';
const CSV = 'src/domain/shared/csv.ts';
const PAYMENTS = ['test/db/payments', 'test/faults/payments', 'test/db/referrals'];

export const topUpMutants: readonly Mutant[] = [
  {
    name: 'more than is left of a top-up can be asked back',
    file: REFUND,
    from: 'if (amountMinor <= refundableMinor) return;',
    to: 'if (amountMinor !== null) return;',
    tests: [...PAYMENTS, 'test/service/graphql/topUps.test.ts'],
  },
  {
    name: 'credits that are owed can be asked back',
    file: REFUND,
    from: 'if (amountMicros <= MASTER && amountMicros > MASTER + DEBT) {',
    to: 'if (amountMicros <= MASTER && amountMicros > MASTER + DEBT && false) {',
    tests: [...PAYMENTS, 'test/service/graphql/topUps.test.ts'],
  },
  {
    name: 'staff refund their own top-up',
    file: REFUND,
    from: 'if (await needsSecondPerson(sql, actorId, accountId)) throw',
    to: "if (accountId === '') throw",
    tests: ['test/db/payments/staffRefunds.test.ts', 'test/service/graphql/supportMoney.test.ts'],
  },
  {
    name: 'what is disputed can be asked back',
    file: DETAILS,
    from: 'dispute.openMicros + dispute.lostMicros, 0n) +',
    to: 'dispute.lostMicros, 0n) +',
    tests: [...PAYMENTS, 'test/service/graphql/topUps.test.ts'],
  },
  {
    name: 'the CSV guard is off',
    file: CSV,
    from: "FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text",
    to: 'FORMULA.test(text) && !NUMBER.test(text) ? `${text}` : text',
    tests: ['test/unit/billing', 'test/db/billing', 'test/service/documents'],
  },
  {
    name: 'a formula after white space is not guarded against',
    file: CSV,
    from: '|\\s*[=+\\-@＝＋－＠])/;',
    to: '|[=+\\-@＝＋－＠])/;',
    tests: ['test/unit/billing', 'test/db/billing', 'test/service/documents'],
  },
  {
    name: 'what a refused refund held stays out of a dispute',
    file: CALLS,
    from: `      // A dispute can now count what was held until here.
      await this.settle(sql, request);
`,
    to: '',
    tests: ['test/db/payments/disputes.test.ts'],
  },
  {
    name: 'a refusal counts although an earlier call was carried out',
    file: CALLS,
    from: `const told = await toldRefund(sql, request);
      await`,
    to: `const told: string | null = null;
      await`,
    tests: ['test/db/payments/givingBack.test.ts'],
  },
  {
    name: 'a refund that was answered is asked for again',
    file: CALLS,
    from: "if (row?.status !== 'requested' || row.refund_id !== null) return true;",
    to: "if (row?.status !== 'requested') return true;",
    tests: ['test/db/payments/givingBack.test.ts'],
  },
  {
    name: 'a refund’s key is good for another amount',
    file: REFUND,
    from: 'if (made.topup_id !== asking.topUpId || BigInt(made.amount_minor) !== asking.amountMinor) {',
    to: 'if (made.topup_id !== asking.topUpId) {',
    tests: ['test/db/payments/givingBack.test.ts'],
  },
  {
    name: 'a refund’s key is good for another top-up',
    file: REFUND,
    from: 'if (made.topup_id !== asking.topUpId || BigInt',
    to: 'if (BigInt',
    tests: ['test/db/payments/givingBack.test.ts'],
  },
  {
    name: 'a refund’s key is everybody’s',
    file: REFUND_SQL,
    from: 'from refund_request where account_id = :accountId and idempotency_key = :idempotencyKey',
    to: 'from refund_request where (:accountId::uuid is not null) and idempotency_key = :idempotencyKey',
    tests: ['test/db/payments/givingBack.test.ts'],
  },
  {
    name: 'a suspended owner asks for a refund',
    file: REFUND,
    from: 'if (account?.suspended) throw',
    to: "if (account?.suspended && accountId === '') throw",
    tests: ['test/db/payments/givingBack.test.ts'],
  },
  {
    name: 'staff refund a colleague alone',
    file: REFUND,
    from: 'if (await needsSecondPerson(sql, actorId, accountId)) throw',
    to: "if ((await needsSecondPerson(sql, actorId, accountId)) && accountId === '') throw",
    tests: ['test/db/payments/staffRefunds.test.ts'],
  },
  {
    name: 'staff refund beyond their day’s limit',
    file: REFUND,
    from: 'if (await takeAllowance(sql, actorId, amountMicros, this.deps.staffLimitMicros)) return;',
    to: 'if ((await takeAllowance(sql, actorId, amountMicros, this.deps.staffLimitMicros)) || actorId) return;',
    tests: ['test/db/payments/staffRefunds.test.ts'],
  },
  {
    name: 'another account’s top-up is found',
    file: TOPUP,
    from: `'topup-find',
  \`select \${TOPUP_COLUMNS} from topup where account_id = :accountId and id = :topUpId\`,`,
    to: `'topup-find',
  \`select \${TOPUP_COLUMNS} from topup where :accountId::uuid is not null and id = :topUpId\`,`,
    tests: ['test/service/graphql/topUps.test.ts', 'test/service/graphql/foreignIds.test.ts'],
  },
  {
    name: 'an old rate is taken',
    file: RATE,
    from: 'if (age!.stale || rate',
    to: 'if (rate',
    tests: ['test/db/payments/payments.test.ts'],
  },
  {
    name: 'a rate of nothing is taken',
    file: RATE,
    from: ' || rate.microsPerCent <= 0n)',
    to: ')',
    tests: ['test/db/payments/payments.test.ts'],
  },
  {
    name: 'the smallest top-up is refused',
    file: TOPUPS,
    from: 'if (amountMinor < minMinor || amountMinor > maxMinor) {',
    to: 'if (amountMinor <= minMinor || amountMinor > maxMinor) {',
    tests: ['test/service/graphql/topUps.test.ts'],
  },
  {
    name: 'the largest top-up is refused',
    file: TOPUPS,
    from: 'if (amountMinor < minMinor || amountMinor > maxMinor) {',
    to: 'if (amountMinor < minMinor || amountMinor >= maxMinor) {',
    tests: ['test/service/graphql/topUps.test.ts'],
  },
  {
    name: 'a top-up’s key is good for another amount',
    file: TOPUPS,
    from: 'if (topUp?.provider !== provider.name || topUp.amountMinor !== amountMinor) {',
    to: 'if (topUp?.provider !== provider.name) {',
    tests: ['test/service/graphql/topUps.test.ts', 'test/db/payments/payments.test.ts'],
  },
  {
    name: 'a twenty-first top-up waits to be paid',
    file: TOPUPS,
    from: 'if (count!.open >= MAX_OPEN) {',
    to: 'if (count!.open > MAX_OPEN) {',
    tests: ['test/db/payments/payments.test.ts'],
  },
  {
    name: 'top-ups opened at once are not counted',
    file: ACCOUNT_SQL,
    from: "suspended from account where id = :accountId for update'",
    to: "suspended from account where id = :accountId'",
    tests: ['test/db/payments/payments.test.ts'],
  },
  {
    name: 'asking again and again keeps an old rate',
    file: TOPUP_SQL,
    from: `
      and (rate_as_of is null or created_at > service_now() - interval '1 hour')`,
    to: '',
    tests: ['test/db/payments/payments.test.ts'],
  },
  {
    name: 'a webhook is missing at once',
    file: 'src/domain/payments/topUps/topUp.sql.ts',
    from: "when service_now() not between created_at and created_at + interval '15 minutes' then",
    to: 'when true then',
    tests: ['test/db/payments/reconciler.test.ts'],
  },
  {
    name: 'a payment that was only authorised counts as told',
    file: RECONCILER,
    from: ' and captured_at is not null`',
    to: '`',
    tests: ['test/db/payments/reconciler.test.ts'],
  },
];
