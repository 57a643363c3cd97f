import type { MoneyFactRow } from '../../accounts/testMode/testFacts.js';
import { type LockedBalances, takeOut } from '../../ledger/movements.js';
import { bookForGood, bookHold, type BookedState } from '../settlement/book.js';
import { type DisputeState, evaluate } from '../settlement/evaluate.js';
import { type Sources, Working } from '../settlement/working.js';

/** A simulated payment. */
export interface TestPayment {
  readonly id: string;
  readonly amountMicros: bigint;
  readonly createdAt: Date;
  readonly dispute: TestDispute | null;
}

export interface TestDispute {
  readonly id: string;
  readonly state: DisputeState;
  readonly createdAt: Date;
}

/** What the wallet of a live account would say. No credits are behind it: a test account has no ledger accounts. */
export interface TestWallet {
  readonly availableMicros: bigint;
  readonly disputeHoldMicros: bigint;
  /** Zero or more. */
  readonly debtMicros: bigint;
  /** Newest first. */
  readonly payments: readonly TestPayment[];
}

interface Payment extends TestPayment {
  dispute: TestDispute | null;
  taken: Sources;
  held: Sources;
  booked: BookedState;
}

const NOTHING: LockedBalances = {
  MASTER: 0n,
  CREATIVE: 0n,
  AI: 0n,
  CLOUD: 0n,
  ESCROW: 0n,
  REFUND_HOLD: 0n,
  DISPUTE_HOLD: 0n,
  DEBT: 0n,
};
const UNBOOKED: BookedState = { refunds: new Map(), disputes: new Map(), requests: new Map() };

/** Works out a test wallet with the rules that settle real payments. @param facts in their order */
export function testWalletOf(facts: readonly MoneyFactRow[]): TestWallet {
  const payments = new Map<string, Payment>();
  const disputed = new Map<string, Payment>();
  let balances = NOTHING;
  for (const row of facts) {
    const createdAt = new Date(row.created_at);
    if (row.fact === 'PAYMENT_MADE') {
      const amountMicros = BigInt(row.amount_micros!);
      const working = new Working(balances, { taken: {}, held: {} });
      working.putIn(amountMicros);
      balances = working.balances;
      const { id } = row;
      payments.set(id, { id, amountMicros, createdAt, dispute: null, taken: {}, held: {}, booked: UNBOOKED });
    } else if (row.fact === 'STORAGE_CHARGED') {
      balances = charged(balances, BigInt(row.amount_micros!));
    } else {
      const isOpened = row.fact === 'PAYMENT_DISPUTED';
      const payment = (isOpened ? payments : disputed).get(row.about_id ?? '');
      if (!payment) continue;
      if (isOpened) {
        disputed.set(row.id, payment);
        payment.dispute = { id: row.id, state: 'open', createdAt };
      } else {
        payment.dispute = { ...payment.dispute!, state: row.fact === 'DISPUTE_WON' ? 'won' : 'lost' };
      }
      balances = settled(balances, payment);
    }
  }
  return {
    availableMicros: balances.MASTER,
    disputeHoldMicros: balances.DISPUTE_HOLD,
    debtMicros: -balances.DEBT,
    payments: [...payments.values()]
      .map(({ id, amountMicros, createdAt, dispute }) => ({ id, amountMicros, createdAt, dispute }))
      .toReversed(),
  };
}

/** The balances once the payment's dispute is booked. */
function settled(balances: LockedBalances, payment: Payment): LockedBalances {
  const { id, amountMicros, dispute, booked } = payment;
  const working = new Working(balances, payment);
  const disputes = dispute ? [{ ...dispute, disputeId: dispute.id, amountMicros }] : [];
  const desired = evaluate({ receivedMicros: amountMicros, refunds: [], disputes, requests: [] });
  const context = { provider: id, revision: 0 };
  bookForGood(working, booked, desired, context);
  bookHold(working, booked, desired, context);
  payment.taken = working.taken;
  payment.held = working.held;
  payment.booked = { ...UNBOOKED, disputes: new Map(desired.disputes.map((one) => [one.disputeId, one])) };
  return working.balances;
}

/** What is available and owed once this was charged to a test wallet. */
export function afterCharge(
  { availableMicros, debtMicros }: Pick<TestWallet, 'availableMicros' | 'debtMicros'>,
  amountMicros: bigint,
): Pick<TestWallet, 'availableMicros' | 'debtMicros'> {
  const { MASTER, DEBT } = charged({ ...NOTHING, MASTER: availableMicros, DEBT: -debtMicros }, amountMicros);
  return { availableMicros: MASTER, debtMicros: -DEBT };
}

/** What MASTER lacks becomes DEBT, as in a night. */
function charged(balances: LockedBalances, amountMicros: bigint): LockedBalances {
  const { MASTER = 0n, DEBT = 0n } = takeOut(balances, amountMicros);
  return { ...balances, MASTER: balances.MASTER + MASTER, DEBT: balances.DEBT + DEBT };
}
