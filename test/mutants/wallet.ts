import type { Mutant } from './mutant.js';

const SPENDING = 'src/domain/ledger/spending.ts';
const POSTING = 'src/domain/ledger/posting.ts';
const MOVEMENTS = 'src/domain/ledger/movements.ts';
const ESCROW = 'src/domain/ledger/escrow.ts';
const DRAW = 'src/domain/ledger/automaticAllocation.ts';
const SERVICE = 'src/domain/ledger/wallet.service.ts';
const CREDITS = 'src/domain/ledger/credits.ts';
const WALKS = 'src/domain/ledger/ledgerWalks.ts';
const FUNCTIONS = 'src/domain/ledger/ledgerFunctions.ts';
const RULES = 'src/domain/ledger/ledgerRules.ts';
const LEDGER_TESTS = ['test/db/wallet', 'test/unit/wallet'];
const MODEL = ['test/faults/proofs/model.test.ts'];
const LEDGER_AND_MODEL = [...LEDGER_TESTS, ...MODEL];

export const walletMutants: readonly Mutant[] = [
  {
    name: 'an unbalanced posting is not refused before it is sent',
    file: POSTING,
    from: 'sum !== 0n || deltas.length < 2',
    to: 'deltas.length < 2',
    tests: LEDGER_TESTS,
    survives:
      'The database refuses an unbalanced posting as well; this check only says so sooner and in clearer words.',
  },
  {
    name: 'the request hash leaves the reference out',
    file: POSTING,
    from: 'const request = [posting.type, posting.reference ?? null, amounts];',
    to: 'const request = [posting.type, null, amounts];',
    tests: ['test/faults/proofs/idempotency.test.ts'],
  },
  {
    name: 'the request hash leaves the type out',
    file: POSTING,
    from: 'const request = [posting.type, posting.reference ?? null, amounts];',
    to: 'const request = [posting.reference ?? null, amounts];',
    tests: ['test/faults/proofs/idempotency.test.ts'],
  },
  {
    name: 'a key that was used for something else is taken for a repetition',
    file: POSTING,
    from: 'if (!booked?.request_hash.equals(requestHash)) {',
    to: 'if (!booked) {',
    tests: LEDGER_TESTS,
  },
  {
    name: 'a zero delta is posted',
    file: POSTING,
    from: '.filter(([, delta]) => delta !== 0n)',
    to: '.filter(() => true)',
    tests: LEDGER_AND_MODEL,
  },
  {
    name: 'credits that come in do not repay debt first',
    file: MOVEMENTS,
    from: 'const repaid = amountMicros < -balances.DEBT ? amountMicros : -balances.DEBT;',
    to: 'const repaid = 0n * amountMicros;',
    tests: LEDGER_AND_MODEL,
  },
  {
    name: 'what is missing after a claw-back is forgotten',
    file: MOVEMENTS,
    from: 'return { ...deltas, DEBT: -missingMicros };',
    to: 'return { ...deltas, DEBT: -missingMicros + (missingMicros > 0n ? 1n : 0n) };',
    tests: LEDGER_AND_MODEL,
  },
  {
    name: 'claw-backs take CLOUD first',
    file: MOVEMENTS,
    from: "['MASTER', 'CREATIVE', 'AI', 'CLOUD'] as const satisfies",
    to: "['CLOUD', 'MASTER', 'CREATIVE', 'AI'] as const satisfies",
    tests: LEDGER_AND_MODEL,
  },
  {
    name: 'an escrow is resolved twice',
    file: ESCROW,
    from: "and attempt = :attempt and status = 'locked'",
    to: 'and attempt = :attempt',
    tests: LEDGER_AND_MODEL,
  },
  {
    name: 'a settled escrow keeps the rest',
    file: ESCROW,
    from: 'resolved.lockedMicros - amountMicros, resolved.bucket);',
    to: 'resolved.lockedMicros - amountMicros, "MASTER");',
    tests: LEDGER_AND_MODEL,
  },
  {
    name: 'a released escrow goes to MASTER instead of its bucket',
    file: ESCROW,
    from: 'resolved.lockedMicros, resolved.bucket);\n  await post(sql, {\n    ownerId: escrow.accountId,',
    to: 'resolved.lockedMicros);\n  await post(sql, {\n    ownerId: escrow.accountId,',
    tests: LEDGER_AND_MODEL,
  },
  {
    name: 'an escrow locked again is locked twice',
    file: ESCROW,
    from: 'if (!inserted || amountMicros === 0n) return;',
    to: 'if (amountMicros === 0n) return;',
    tests: LEDGER_TESTS,
  },
  {
    name: 'a job does not draw from MASTER',
    file: ESCROW,
    from: '  await drawMissing(sql, escrow);\n',
    to: '',
    tests: LEDGER_AND_MODEL,
  },
  {
    name: 'a job draws all that it costs, not what is missing',
    file: DRAW,
    from: 'const lackingMicros = amountMicros - balances[bucket];',
    to: 'const lackingMicros = amountMicros;',
    tests: LEDGER_TESTS,
  },
  {
    name: 'a job draws although the owner switched it off',
    file: DRAW,
    from: 'if (!(await automaticBuckets(sql, accountId)).includes(bucket)) return;',
    to: '',
    tests: LEDGER_AND_MODEL,
  },
  {
    name: 'a refused job names what the bucket lacks, not what both lack',
    file: DRAW,
    from: 'formatCredits(lackingMicros - balances.MASTER)',
    to: 'formatCredits(lackingMicros)',
    tests: LEDGER_TESTS,
  },
  {
    name: 'a draw of the last micro-credit in MASTER is refused',
    file: DRAW,
    from: 'if (lackingMicros > balances.MASTER) {',
    to: 'if (lackingMicros >= balances.MASTER) {',
    tests: LEDGER_TESTS,
  },
  {
    name: 'nothing can be allocated',
    file: SERVICE,
    from: "if (move.amountMicros <= 0n) throw new AppError('INVALID_INPUT'",
    to: "if (move.amountMicros < 0n) throw new AppError('INVALID_INPUT'",
    tests: [...LEDGER_TESTS, 'test/service/graphql/walletAndKeys.test.ts'],
  },
  {
    name: 'credits can be allocated backwards',
    file: SERVICE,
    from: "if (move.amountMicros <= 0n) throw new AppError('INVALID_INPUT'",
    to: "if (move.amountMicros === 0n) throw new AppError('INVALID_INPUT'",
    tests: [...LEDGER_TESTS, 'test/service/graphql/walletAndKeys.test.ts'],
  },
  {
    name: 'more debt than there is can be repaid',
    file: SERVICE,
    from: 'deltas: { MASTER: -amountMicros, DEBT: amountMicros },',
    to: 'deltas: { MASTER: -amountMicros, CREATIVE: amountMicros },',
    tests: LEDGER_AND_MODEL,
  },
  {
    name: 'an adjustment upwards does not repay debt',
    file: SERVICE,
    from: 'amountMicros > 0n ? putIn(await lockWallet(sql, accountId), amountMicros) : { MASTER: amountMicros };',
    to: 'amountMicros > 0n ? { MASTER: amountMicros } : { MASTER: amountMicros };',
    tests: LEDGER_AND_MODEL,
  },
  {
    name: 'an amount loses its sixth decimal',
    file: CREDITS,
    from: "(match[3] ?? '').padEnd(6, '0')",
    to: "(match[3] ?? '').slice(0, 5).padEnd(6, '0')",
    tests: LEDGER_TESTS,
  },
  {
    name: 'an amount beyond what the ledger holds is taken',
    file: CREDITS,
    from: 'const MAX_MICROS = (1n << 63n) - 1n;',
    to: 'const MAX_MICROS = 1n << 63n;',
    tests: LEDGER_TESTS,
  },
  {
    name: 'a statement shows the company’s accounts',
    file: WALKS,
    from: 'where e.owner_id = :ownerId and e.account_no < ${FIRST_COMPANY_ACCOUNT_NO} and ${BELOW} and ${PERIOD',
    to: 'where e.owner_id = :ownerId and ${BELOW} and ${PERIOD',
    tests: [...LEDGER_TESTS, 'test/db/billing/filters.test.ts'],
  },
  {
    name: 'the posting’s ordered lock is not ordered',
    file: FUNCTIONS,
    from: `any (p_accounts || \${MASTER}::smallint)
      order by a.account_no for no key update;
    if p_type = 'STORAGE' then`,
    to: `any (p_accounts || \${MASTER}::smallint)
      for no key update;
    if p_type = 'STORAGE' then`,
    tests: ['test/db/wallet/posting.test.ts'],
  },
  {
    name: 'the posting obeys no rule',
    file: FUNCTIONS,
    from: 'perform public.ledger_obey(p_type, p_accounts, (select array_agg(sign(d)::integer) from unnest(p_deltas) d));',
    to: '',
    tests: ['test/db/rights/postings.test.ts'],
  },
  {
    name: 'postings of many owners obey no rule',
    file: FUNCTIONS,
    from: 'perform public.ledger_obey(p_type, p_accounts, pattern);',
    to: 'null;',
    tests: ['test/db/rights/postings.test.ts'],
  },
  {
    name: 'a posting may fit into two shapes by halves',
    file: FUNCTIONS,
    from: 'having count(*) = (select count(*) from unnest(directions) d where d <> 0)',
    to: 'having count(*) > 0',
    tests: ['test/db/rights/postings.test.ts'],
  },
  {
    name: 'a bonus may be made out of nothing but a type',
    file: RULES,
    from: "{ type: 'REFERRAL_BONUS', shape: 'granted', from: ['PROMO'], to: PUT_IN },",
    to: "{ type: 'REFERRAL_BONUS', shape: 'granted', from: ['PROMO', 'CASH'], to: PUT_IN },",
    tests: ['test/db/rights/postings.test.ts', 'test/db/rights/catalogue.test.ts'],
  },
  {
    name: 'the wallet is read without its lock',
    file: FUNCTIONS,
    from: `where a.owner_id = p_owner and a.account_no <= \${DEBT}
      order by a.account_no for no key update;`,
    to: `where a.owner_id = p_owner and a.account_no <= \${DEBT}
      order by a.account_no;`,
    tests: ['test/db/processing/purchases.test.ts', 'test/faults/proofs/interleaved.test.ts'],
  },
  {
    name: 'a period does not wait for the postings on their way',
    file: FUNCTIONS,
    from: 'and a.account_no = ${MASTER} for share;',
    to: 'and a.account_no = ${MASTER};',
    tests: ['test/db/wallet/inOrder.test.ts'],
  },
  {
    name: 'one account may stand in a posting twice',
    file: FUNCTIONS,
    from: `      and cardinality(p_accounts) = (select count(distinct a) from unnest(p_accounts) a)
`,
    to: '',
    tests: ['test/db/rights/postings.test.ts'],
  },
  {
    name: 'postings of many owners are locked in no order',
    file: FUNCTIONS,
    from: 'order by a.owner_id, a.account_no for no key update;',
    to: 'for no key update;',
    tests: ['test/db/storage/nights.test.ts', 'test/db/wallet/posting.test.ts'],
  },
  {
    name: 'an unbalanced posting of many owners is booked',
    file: FUNCTIONS,
    from: 'having sum(delta) is distinct from 0 or count(*)',
    to: 'having count(*)',
    tests: ['test/db/rights/postings.test.ts'],
  },
  {
    name: 'what was spent on the last day is left out',
    file: SPENDING,
    from: "< (:to::timestamp + interval '1 day') at time zone",
    to: '< :to::timestamp at time zone',
    tests: ['test/service/graphql/spending.test.ts'],
  },
  {
    name: '401 days can be added up',
    file: SPENDING,
    from: 'if (days > MAX_DAYS)',
    to: 'if (days > MAX_DAYS + 1)',
    tests: ['test/service/graphql/spending.test.ts'],
  },
  {
    name: '400 days cannot be added up',
    file: SPENDING,
    from: 'if (days > MAX_DAYS)',
    to: 'if (days >= MAX_DAYS)',
    tests: ['test/service/graphql/spending.test.ts'],
  },
  {
    name: 'a page begins with the last line of the page before',
    file: WALKS,
    from: '(e.created_at, e.tx_id, e.account_no) < (${BEFORE}',
    to: '(e.created_at, e.tx_id, e.account_no) <= (${BEFORE}',
    tests: ['test/db/wallet/ledger.test.ts', 'test/db/billing/filters.test.ts'],
  },
  {
    name: 'a period takes in the moment at which it ends',
    file: WALKS,
    from: 'and ${row}.created_at < :to::timestamptz',
    to: 'and ${row}.created_at <= :to::timestamptz',
    tests: ['test/db/billing/filters.test.ts'],
  },
  {
    name: 'an escrow pays for more than it locked',
    file: ESCROW,
    from: 'deltas: { ...rest, ESCROW: -resolved.lockedMicros, REVENUE_PROCESSING: amountMicros },',
    to: 'deltas: { ...rest, ESCROW: -amountMicros, REVENUE_PROCESSING: resolved.lockedMicros },',
    tests: ['test/db/wallet/ledger.test.ts'],
  },
  {
    name: 'the steps of an escrow have one key',
    file: ESCROW,
    from: 'return `escrow:${step}:${videoId}:${attempt}`;',
    to: 'return `escrow:${videoId}:${attempt}`;',
    tests: ['test/db/wallet/ledger.test.ts'],
  },
  {
    name: 'an escrow’s key leaves the attempt out',
    file: ESCROW,
    from: 'return `escrow:${step}:${videoId}:${attempt}`;',
    to: 'return `escrow:${step}:${videoId}:${attempt && 1}`;',
    tests: ['test/db/processing/attempts.test.ts'],
  },
];
