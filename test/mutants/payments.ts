import type { Mutant } from './mutant.js';

const DIRECTORY = 'src/domain/payments/settlement/directory.ts';
const BODIES = 'src/domain/payments/inbox/webhookBodies.ts';
const WITHDRAW = 'src/domain/payments/settlement/withdrawCredit.ts';
const EVALUATE = 'src/domain/payments/settlement/evaluate.ts';
const OUTCOME = 'src/domain/payments/settlement/paymentOutcome.ts';
const BOOK = 'src/domain/payments/settlement/book.ts';
const WORKING = 'src/domain/payments/settlement/working.ts';
const STATEMENTS = 'src/domain/payments/settlement/payment.sql.ts';
const TOPUPS = 'src/domain/payments/topUps/topUp.sql.ts';
const ROW = 'src/domain/payments/settlement/paymentRow.ts';
const SETTLE = 'src/domain/payments/settlement/settleCredited.ts';
const INBOX = 'src/domain/payments/inbox/inbox.sql.ts';
const PURE = ['test/unit/payments/evaluate.test.ts'];
const PAYMENTS = ['test/db/payments', 'test/faults/payments', 'test/db/referrals'];

export const paymentMutants: readonly Mutant[] = [
  {
    name: 'refunds count in the order in which they came',
    file: EVALUATE,
    from: 'facts.refunds.toSorted(byAge).map(',
    to: 'facts.refunds.map(',
    tests: [...PURE, ...PAYMENTS],
  },
  {
    name: 'a pending refund counts',
    file: EVALUATE,
    from: "refund.state === 'processed' ? remaining.take(refund.amountMicros) : 0n",
    to: "refund.state !== 'failed' ? remaining.take(refund.amountMicros) : 0n",
    tests: [...PURE, ...PAYMENTS],
  },
  {
    name: 'what our own request holds is disputed, too',
    file: EVALUATE,
    from: "if (requests.get(requestId) === 'requested') remaining.take(heldMicros);",
    to: "if (requests.get(requestId) === 'requested') remaining.take(0n * heldMicros);",
    tests: [...PURE, ...PAYMENTS],
  },
  {
    name: 'more goes back than came in',
    file: EVALUATE,
    from: 'const taken = least(amountMicros, this.restMicros);',
    to: 'const taken = amountMicros;',
    tests: [...PURE, ...PAYMENTS],
  },
  {
    name: 'a won dispute keeps holding',
    file: EVALUATE,
    from: "openMicros: state === 'open' ? remaining.take(amountMicros) : 0n,",
    to: "openMicros: state !== 'lost' ? remaining.take(amountMicros) : 0n,",
    tests: [...PURE, ...PAYMENTS],
  },
  {
    name: 'play money is credited by a real provider',
    file: OUTCOME,
    from: "if (topUp.sandbox !== sandbox) return 'play money';",
    to: '',
    tests: PAYMENTS,
  },
  {
    name: 'a payment of another account’s order is credited',
    file: OUTCOME,
    from: "if (fact.accountId !== null && fact.accountId !== topUp.accountId) return 'other account';",
    to: '',
    tests: PAYMENTS,
  },
  {
    name: 'a payment of another order is credited',
    file: OUTCOME,
    from: "(fact.orderId ?? orderId) !== topUp.orderId) return 'other order';",
    to: "false) return 'other order';",
    tests: PAYMENTS,
  },
  {
    name: 'another currency is credited',
    file: OUTCOME,
    from: "if (fact.currency !== topUp.currency) return 'other currency';",
    to: '',
    tests: PAYMENTS,
  },
  {
    name: 'another amount is credited',
    file: OUTCOME,
    from: "if (fact.amountMinor !== topUp.amountMinor) return 'other amount';",
    to: '',
    tests: PAYMENTS,
  },
  {
    name: 'a second payment of one order is credited',
    file: OUTCOME,
    from: "if (topUp.paymentId !== null && topUp.paymentId !== paymentId) return 'second payment';",
    to: '',
    tests: PAYMENTS,
  },
  {
    name: 'what is taken is booked before what is given back',
    file: BOOK,
    from: '[...all.filter((part) => part.takenMicros <= 0n), ...all.filter((part) => part.takenMicros > 0n)]',
    to: '[...all.filter((part) => part.takenMicros > 0n), ...all.filter((part) => part.takenMicros <= 0n)]',
    tests: ['test/db/payments/disputes.test.ts'],
  },
  {
    name: 'what is given back does not go into an open dispute’s hold',
    file: BOOK,
    from: 'const intoHold = desired.disputedMicros > 0n;',
    to: 'const intoHold = desired.disputedMicros > 0n && false;',
    tests: ['test/db/payments/disputes.test.ts'],
  },
  {
    name: 'what is taken for good leaves a dispute’s hold alone',
    file: WORKING,
    from: 'const part = least(this.held[account] ?? 0n, restMicros);\n      this.held[account] = (this.held[account] ?? 0n) - part;\n      this.taken',
    to: 'const part = least(0n, restMicros);\n      this.held[account] = (this.held[account] ?? 0n) - part;\n      this.taken',
    tests: [...PAYMENTS, 'test/faults/proofs/permutations.test.ts'],
  },
  {
    name: 'what is given back does not repay the debt it caused',
    file: WORKING,
    from: 'const debtMicros = least(this.taken.DEBT ?? 0n, amountMicros);',
    to: 'const debtMicros = least(0n, amountMicros);',
    tests: [...PAYMENTS, 'test/faults/proofs/permutations.test.ts'],
  },
  {
    name: 'no lock per payment',
    file: STATEMENTS,
    from: "select pg_advisory_xact_lock(hashtextextended(:provider || ':' || :paymentId, 71))",
    to: "select hashtextextended(:provider || ':' || :paymentId, 71)",
    tests: ['test/db/payments/times.test.ts'],
  },
  {
    name: 'latest instead of earliest capture',
    file: STATEMENTS,
    from: 'captured_at = least(captured_at, :capturedAt::timestamptz),',
    to: 'captured_at = greatest(captured_at, :capturedAt::timestamptz),',
    tests: [...PAYMENTS, 'test/faults/proofs/clawBack.test.ts'],
  },
  {
    name: 'the top-up keeps its latest capture',
    file: TOPUPS,
    from: 'update topup set captured_at = least(captured_at, :capturedAt::timestamptz)',
    to: 'update topup set captured_at = greatest(captured_at, :capturedAt::timestamptz)',
    tests: [...PAYMENTS, 'test/faults/proofs/clawBack.test.ts'],
  },
  {
    name: 'latest refund time',
    file: ROW,
    from: 'new Date(Math.min(...refundTimes))',
    to: 'new Date(Math.max(...refundTimes))',
    tests: [...PAYMENTS, 'test/faults/proofs/clawBack.test.ts'],
  },
  {
    name: 'a refund’s latest creation counts',
    file: STATEMENTS,
    from: `provider_created_at = least(r.provider_created_at, excluded.provider_created_at),
      was_processed`,
    to: `provider_created_at = greatest(r.provider_created_at, excluded.provider_created_at),
      was_processed`,
    tests: [...PAYMENTS, 'test/faults/proofs/clawBack.test.ts'],
  },
  {
    name: 'a lost dispute is not sticky',
    file: STATEMENTS,
    from: "when 'lost' in (d.state, excluded.state) then 'lost'",
    to: "when excluded.state = 'lost' then 'lost'",
    tests: PAYMENTS,
  },
  {
    name: 'a failed refund is not sticky',
    file: STATEMENTS,
    from: "when 'failed' in (r.state, excluded.state) then 'failed'",
    to: "when excluded.state = 'failed' then 'failed'",
    tests: PAYMENTS,
  },
  {
    name: 'a refund that once was processed is forgotten when it fails',
    file: STATEMENTS,
    from: 'was_processed = r.was_processed or excluded.was_processed,',
    to: 'was_processed = excluded.was_processed,',
    tests: ['test/db/payments/times.test.ts'],
  },
  {
    name: 'refunds in another currency count',
    file: ROW,
    from: 'const isOurs = (row: { currency: string }) => row.currency === payment.currency;',
    to: 'const isOurs = (row: { currency: string }) => row.currency === payment.currency || row.currency !== "";',
    tests: ['test/db/payments/contradictions.test.ts'],
  },
  {
    name: 'a bonus comes after what disputes hold',
    file: SETTLE,
    from: 'if (refundedNow) await releaseHold(sql, payment, working, stored);',
    to: '',
    tests: ['test/db/payments/times.test.ts'],
  },
  {
    name: 'one event twice is two events',
    file: INBOX,
    from: 'on conflict (provider, event_id, body_hash) do nothing',
    to: 'on conflict (provider, event_id, body_hash) do update set received_at = service_now()',
    tests: PAYMENTS,
  },
  {
    name: 'an event that waits is never looked at again',
    file: INBOX,
    from: "next_attempt_at = case when :status = 'waiting'\n        then service_now() + greatest(interval '1 hour', service_now() - received_at) end",
    to: 'next_attempt_at = null',
    tests: PAYMENTS,
  },
  {
    name: 'a refund is told apart by its provider’s id alone',
    file: STATEMENTS,
    from: 'and (q.refund_id = :refundId or q.id::text = :requestKey)',
    to: "and (q.refund_id = :refundId or :requestKey::text = '')",
    tests: ['test/db/payments/givingBack.test.ts'],
  },
  {
    name: 'one provider’s payment is another’s',
    file: DIRECTORY,
    from: "where provider = :provider and reference = :reference'",
    to: "where :provider::text is not null and reference = :reference'",
    tests: ['test/db/payments/payments.test.ts'],
  },
  {
    name: 'a webhook that failed loses its body',
    file: BODIES,
    from: "status in ('done', 'ignored', 'suspense', 'waiting')",
    to: "status in ('done', 'ignored', 'suspense', 'waiting', 'failed')",
    tests: ['test/db/payments/webhookBodies.test.ts'],
    survives: 'redact_webhook() refuses it as well; the condition keeps it out of every night’s walk.',
  },
  {
    name: 'a contradicted credit leaves what its dispute holds',
    file: WITHDRAW,
    from: 'sum(working.hold(0n), working.take(withdrawnMicros), {',
    to: 'sum(working.take(withdrawnMicros), {',
    tests: ['test/db/payments/contradictions.test.ts'],
  },
  {
    name: 'who paid first is forgotten',
    file: STATEMENTS,
    from: 'from unnest(payer_hashes || :hashes::text[]) h',
    to: 'from unnest(:hashes::text[]) h',
    tests: ['test/db/payments/payments.test.ts'],
  },
];
