import { execute, type Sql, statement } from '../../../db/sql.js';
import type { PaymentFact, ProviderName } from '../../../ports/paymentProvider.js';
import { isUuid } from '../../shared/ids.js';
import { alertContradictions } from './contradictions.js';
import { enterOwner, findOwner, type DirectoryEntry } from './directory.js';
import { contradictionOf, mismatchOf, suspenseRate } from './paymentOutcome.js';
import { DECIDE_OUTCOME, NOTE_CONTRADICTION, TAKE_TURN, type PaymentRow } from './payment.sql.js';
import { recordFacts } from '../inbox/recordFacts.js';
import { settleCredited } from './settleCredited.js';
import { openSuspense, settleSuspense } from './settleSuspense.js';
import { LOCK_TOPUP, topUpOf, type TopUp } from '../topUps/topUp.js';
import { KEEP_EARLIEST_CAPTURE, MARK_PAID, WEBHOOK_CAME } from '../topUps/topUp.sql.js';
import { withdrawCredit } from './withdrawCredit.js';

/** Owns money whose owner is unknown. */
export const NOBODY = '00000000-0000-0000-0000-000000000000';

/** The result of settling one payment's facts: a status for the inbox, and a sentence for support. */
export interface Settlement {
  readonly status: 'done' | 'waiting' | 'ignored' | 'suspense';
  readonly accountId: string | null;
  readonly outcome: string;
}

/** Reads facts that arrived before their payment. */
export type EarlierFacts = (paymentId: string) => Promise<PaymentFact[]>;

const FIND_TOPUP_OWNER = statement<{ accountId: string; topUpId: string; provider: string }>(
  'topup-owner',
  'select 1 as found from topup where account_id = :accountId and id = :topUpId and provider = :provider',
);

/**
 * Stores facts about one payment, and makes the ledger match everything known about it. Call it in the transaction that
 * stores where the facts came from.
 *
 * Takes the payment's turn, then locks the top-up, the payment and the wallet.
 * @param earlier reads the facts that waited for this payment; called once the payment is known
 */
export async function settlePayment(
  sql: Sql,
  payment: {
    provider: ProviderName;
    sandbox: boolean;
    paymentId: string;
    facts: readonly PaymentFact[];
    payerKey: Buffer;
  },
  earlier: EarlierFacts,
): Promise<Settlement> {
  const { provider, paymentId } = payment;
  await execute(sql, TAKE_TURN, { provider, paymentId });
  const known = await findOwner(sql, provider, paymentId);
  const owner = known ?? (await ownerByFacts(sql, provider, payment.facts));
  if (owner === null) return stranger(payment.facts);

  const facts = known ? payment.facts : [...payment.facts, ...(await earlier(paymentId))];
  const topUp = owner.topUpId === null ? null : await lockTopUp(sql, owner.accountId, owner.topUpId);
  if (!known) await enterOwner(sql, provider, paymentId, owner);
  const key = { accountId: owner.accountId, provider, paymentId, topUpId: owner.topUpId };
  const { row: noted, conflicts } = await recordFacts(sql, key, facts, payment.payerKey);
  const row = topUp === null ? noted : await noteContradiction(sql, noted, facts, topUp);
  await alertContradictions(sql, row, facts, conflicts);

  if (row.captured_at === null) {
    return { status: 'done', accountId: owner.accountId, outcome: 'noted; the payment is not captured' };
  }
  if (topUp !== null) await execute(sql, WEBHOOK_CAME, { accountId: topUp.accountId, id: topUp.id });
  return row.fate === 'none' ? decide(sql, row, topUp, { facts, sandbox: payment.sandbox }) : settleAgain(sql, row);
}

/** If neither the payment nor its order is known, finds the owner by the ids that we gave the provider. */
async function ownerByFacts(sql: Sql, provider: string, facts: readonly PaymentFact[]): Promise<DirectoryEntry | null> {
  for (const fact of facts) {
    const orderId = 'orderId' in fact ? fact.orderId : null;
    const entry = orderId === null ? null : await findOwner(sql, provider, orderId);
    if (entry) return entry;
  }
  const captured = facts.find((fact) => fact.kind === 'captured');
  if (!captured) return null;
  const { accountId, topUpId } = captured;
  if (accountId !== null && topUpId !== null && isUuid(accountId) && isUuid(topUpId)) {
    const [found] = await execute(sql, FIND_TOPUP_OWNER, { accountId, topUpId, provider });
    if (found) return { accountId, topUpId };
  }
  return { accountId: NOBODY, topUpId: null };
}

function stranger(facts: readonly PaymentFact[]): Settlement {
  const waits = facts.some((fact) => fact.kind === 'refund' || fact.kind === 'dispute');
  return waits
    ? { status: 'waiting', accountId: null, outcome: 'waits for its payment' }
    : { status: 'ignored', accountId: null, outcome: 'belongs to no order of ours' };
}

async function lockTopUp(sql: Sql, accountId: string, topUpId: string): Promise<TopUp> {
  const [row] = await execute(sql, LOCK_TOPUP, { accountId, topUpId });
  if (!row) throw new Error(`the directory names a top-up that does not exist: ${topUpId}`);
  return topUpOf(row);
}

async function noteContradiction(
  sql: Sql,
  row: PaymentRow,
  facts: readonly PaymentFact[],
  topUp: TopUp,
): Promise<PaymentRow> {
  const found = facts.map((fact) => contradictionOf(row, fact, topUp)).find((reason) => reason !== null);
  if (row.contradiction !== null || found === undefined) return row;
  await execute(sql, NOTE_CONTRADICTION, {
    accountId: row.account_id,
    provider: row.provider,
    paymentId: row.payment_id,
    contradiction: found,
  });
  return { ...row, contradiction: found };
}

/** The first capture: credits it if everything matches its quote, and puts it in suspense otherwise. */
async function decide(
  sql: Sql,
  row: PaymentRow,
  topUp: TopUp | null,
  { facts, sandbox }: { facts: readonly PaymentFact[]; sandbox: boolean },
): Promise<Settlement> {
  const captures = facts.filter((fact) => fact.kind === 'captured');
  const mismatch =
    row.contradiction ??
    captures.map((fact) => mismatchOf(row.payment_id, fact, row.order_id, topUp, sandbox)).find((reason) => reason) ??
    null;
  const isCredited = mismatch === null && topUp !== null;
  const microsPerMinor = isCredited ? topUp.microsPerMinor : suspenseRate(row, topUp);
  const micros = BigInt(row.amount_minor!) * (microsPerMinor ?? 0n);
  const outcome = isCredited ? 'credited' : 'suspense';
  await execute(sql, DECIDE_OUTCOME, {
    accountId: row.account_id,
    provider: row.provider,
    paymentId: row.payment_id,
    fate: outcome,
    creditedMicros: micros.toString(),
    microsPerMinor: microsPerMinor?.toString() ?? null,
  });
  const decided = {
    ...row,
    fate: outcome,
    credited_micros: micros.toString(),
    micros_per_minor: microsPerMinor?.toString() ?? null,
  } as const;
  if (isCredited) {
    await execute(sql, MARK_PAID, {
      accountId: topUp.accountId,
      id: topUp.id,
      paymentId: row.payment_id,
      capturedAt: row.captured_at,
    });
    await settleCredited(sql, decided, micros);
    return { status: 'done', accountId: row.account_id, outcome: 'credited' };
  }
  await openSuspense(sql, decided, mismatch ?? 'unknown order');
  await settleSuspense(sql, decided);
  return { status: 'suspense', accountId: row.account_id, outcome: `in suspense: ${mismatch}` };
}

async function settleAgain(sql: Sql, row: PaymentRow): Promise<Settlement> {
  const { account_id: accountId, topup_id: topUpId } = row;
  if (row.fate === 'credited' && row.contradiction !== null) {
    const withdrawn = await withdrawCredit(sql, row);
    await openSuspense(sql, withdrawn, row.contradiction);
    await settleSuspense(sql, withdrawn);
    return { status: 'suspense', accountId, outcome: `moved to suspense: ${row.contradiction}` };
  }
  if (row.fate === 'suspense') {
    await settleSuspense(sql, row);
    return { status: 'suspense', accountId, outcome: 'of a payment in suspense' };
  }
  await execute(sql, KEEP_EARLIEST_CAPTURE, {
    accountId,
    topUpId,
    paymentId: row.payment_id,
    capturedAt: row.captured_at,
  });
  await settleCredited(sql, row, 0n);
  return { status: 'done', accountId, outcome: 'of a credited payment' };
}
