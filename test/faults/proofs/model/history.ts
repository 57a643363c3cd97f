import type { PaymentModel } from './paymentModel.js';
import { WalletModel } from './walletModel.js';

const WINDOW_MS = 48 * 3_600_000;
const CREDIT = 1_000_000n;

export interface ModelEscrow {
  readonly videoId: string;
  readonly attempt: number;
  readonly bucket: string;
  readonly micros: bigint;
  isOpen: boolean;
}

/** An exact number of micro-credits, possibly fractional. */
interface Fraction {
  readonly over: bigint;
  readonly under: bigint;
}

/** Everything that has happened to one owner, and the expected result. */
export class History {
  readonly wallet = new WalletModel();
  readonly escrows: ModelEscrow[] = [];
  readonly payments: PaymentModel[] = [];
  /** Completed actions, to be repeated. */
  readonly done: (() => Promise<unknown>)[] = [];
  referral: 'none' | 'pending' | 'granted' | 'clawed back' = 'none';
  /** Whether CLOUD, and CREATIVE and AI, draw from MASTER. */
  autoAllocate = true;
  bytes = 0n;
  days = 0;
  steps = 0;
  private ticks = 0;
  private unpaid: Fraction = { over: 0n, under: 1n };

  /** A new, growing number each time. */
  tick(): number {
    this.ticks += 1;
    return this.ticks;
  }

  escrowedMicros(): bigint {
    return this.escrows.reduce((sum, escrow) => sum + (escrow.isOpen ? escrow.micros : 0n), 0n);
  }

  credit(payment: PaymentModel): void {
    this.payments.push(payment);
    this.wallet.receive('CASH', payment.receivedMicros);
    if (this.referral !== 'pending') return;
    this.referral = 'granted';
    this.wallet.receive('PROMO', 2n * CREDIT);
  }

  settle(payment: PaymentModel): void {
    payment.settle(this.wallet, (refundedAtMs) => {
      const isFirst = payment === this.payments[0];
      if (!isFirst || this.referral !== 'granted' || refundedAtMs - payment.capturedAtMs > WINDOW_MS) return;
      this.referral = 'clawed back';
      this.wallet.seize('PROMO', 2n * CREDIT);
    });
  }

  resolve(escrow: ModelEscrow, settledMicros: bigint): void {
    escrow.isOpen = false;
    this.wallet.move('ESCROW', 'REVENUE_PROCESSING', settledMicros);
    this.wallet.receive('ESCROW', escrow.micros - settledMicros, escrow.bucket);
  }

  /** One more UTC day of storage, beginning with 1 January 2027. @returns that day */
  chargeDay(): string {
    const date = new Date(Date.UTC(2027, 0, 1 + this.days));
    this.days += 1;
    const daysInMonth = BigInt(new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate());
    // 1.5 credits per 10^9 bytes and month.
    const cost = { over: this.bytes * 3n * CREDIT, under: 2n * 1_000_000_000n * daysInMonth };
    const due = {
      over: this.unpaid.over * cost.under + cost.over * this.unpaid.under,
      under: this.unpaid.under * cost.under,
    };
    const charged = due.over / due.under;
    this.unpaid = reduced({ over: due.over % due.under, under: due.under });
    this.payStorage(charged);
    return date.toISOString().slice(0, 10);
  }

  private payStorage(micros: bigint): void {
    let rest = micros;
    for (const account of this.autoAllocate ? ['CLOUD', 'MASTER'] : ['CLOUD']) {
      const part = this.wallet.of(account) < rest ? this.wallet.of(account) : rest;
      this.wallet.move(account, 'REVENUE_STORAGE', part);
      rest -= part;
    }
    this.wallet.move('DEBT', 'REVENUE_STORAGE', rest);
  }
}

function reduced({ over, under }: Fraction): Fraction {
  let [a, b] = [over, under];
  while (b !== 0n) [a, b] = [b, a % b];
  return { over: over / a, under: under / a };
}
