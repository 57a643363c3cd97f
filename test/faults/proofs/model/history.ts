import { MICROS_PER_PAISA, type PaymentModel } from './paymentModel.js';
import { least, WalletModel } from './walletModel.js';

const WINDOW_MS = 48 * 3_600_000;
const CREDIT = 1_000_000n;

export interface ModelEscrow {
  readonly videoId: string;
  readonly attempt: number;
  readonly bucket: string;
  readonly micros: bigint;
  isOpen: boolean;
}

/** A video with its file. */
export interface ModelVideo {
  readonly id: string;
  readonly bytes: bigint;
  readonly seconds: number;
  place: 'library' | 'bin' | 'nowhere';
  /** The job that runs for it. */
  job: ModelEscrow | null;
  attempts: number;
}

/** What a closed account is to be refunded of one payment. */
export interface ModelPayback {
  readonly payment: PaymentModel;
  readonly minor: bigint;
}

export const BUCKETS = ['CLOUD', 'AI', 'CREATIVE'] as const;
export type Bucket = (typeof BUCKETS)[number];

/** An exact number of micro-credits, possibly fractional. */
interface Fraction {
  readonly over: bigint;
  readonly under: bigint;
}

/** Everything that has happened to one owner, and the expected result. */
export class History {
  readonly wallet = new WalletModel();
  /** Escrows without a video, and those of videos' jobs. */
  readonly escrows: ModelEscrow[] = [];
  readonly jobs: ModelEscrow[] = [];
  readonly payments: PaymentModel[] = [];
  /** Completed actions, to be repeated. */
  readonly done: (() => Promise<unknown>)[] = [];
  referral: 'none' | 'pending' | 'granted' | 'clawed back' = 'none';
  readonly videos: ModelVideo[] = [];
  /** Which buckets draw what they lack from MASTER. */
  readonly draws: Record<Bucket, boolean> = { CLOUD: true, AI: true, CREATIVE: true };
  /** All that was ever drawn. */
  drawnMicros = 0n;
  account: 'open' | 'closed' | 'erased' = 'open';
  /** How often it was closed. */
  closings = 0;
  /** The closing with which credits lapsed, if any did. */
  lapsedWith = 0;
  /** Of files without a video. */
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

  /**
   * Takes `micros` of a bucket for what it pays: MASTER adds what it lacks, if it may, and all of it or nothing.
   *
   * @returns whether there was enough
   */
  spend(bucket: Bucket | 'MASTER', to: string, micros: bigint): boolean {
    const lacking = micros - this.wallet.of(bucket);
    if (lacking > 0n) {
      if (bucket === 'MASTER' || !this.draws[bucket] || lacking > this.wallet.of('MASTER')) return false;
      this.draw(bucket, lacking);
    }
    this.wallet.move(bucket, to, micros);
    return true;
  }

  private draw(bucket: Bucket, micros: bigint): void {
    this.drawnMicros += micros;
    this.wallet.move('MASTER', bucket, micros);
  }

  /** A job ends, and its purchase is returned. */
  endJob(video: ModelVideo): void {
    if (video.job?.isOpen) this.resolve(video.job, 0n);
    video.job = null;
  }

  /**
   * What a closing does with the balance: jobs return theirs, all buckets go to MASTER, MASTER pays debt, and payments
   * are refunded from it, the newest first. A refund that failed since the closing is not tried again.
   *
   * @returns what is asked for, or `null` if credits are still in escrow
   */
  payBack(): ModelPayback[] | null {
    for (const video of this.videos) this.endJob(video);
    if (this.escrowedMicros() > 0n) return null;
    const { wallet } = this;
    for (const bucket of BUCKETS) wallet.move(bucket, 'MASTER', wallet.of(bucket));
    wallet.move('MASTER', 'DEBT', least(wallet.of('MASTER'), -wallet.of('DEBT')));
    const asked: ModelPayback[] = [];
    for (const payment of this.payments.toSorted((a, b) => (a.topUpId < b.topUpId ? 1 : -1))) {
      const minor = least(payment.refundableMinor(), wallet.of('MASTER') / MICROS_PER_PAISA);
      const failed = payment.requests.some((one) => one.closing === this.closings && one.status === 'returned');
      if (minor === 0n || failed) continue;
      wallet.move('MASTER', 'REFUND_HOLD', minor * MICROS_PER_PAISA);
      asked.push({ payment, minor });
    }
    return asked;
  }

  /** Credits that no payment stands for lapse, once per closing. */
  lapse(): void {
    if (this.lapsedWith === this.closings) return;
    this.lapsedWith = this.closings;
    const owed = this.payments.reduce((sum, payment) => sum + payment.refundableMinor() * MICROS_PER_PAISA, 0n);
    const master = this.wallet.of('MASTER');
    if (master > owed) this.wallet.move('MASTER', 'ADJUSTMENT', master - owed);
  }

  escrowedMicros(): bigint {
    return [...this.escrows, ...this.jobs].reduce((sum, { isOpen, micros }) => sum + (isOpen ? micros : 0n), 0n);
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

  /** All that is stored: in the library, in the bin, and elsewhere. */
  storedBytes(): bigint {
    const stored = this.videos.filter(({ place }) => place !== 'nowhere');
    return stored.reduce((sum, { bytes }) => sum + bytes, this.bytes);
  }

  /** One more UTC day of storage, beginning with 1 January 2027. A closed account pays none. @returns that day */
  chargeDay(): string {
    const date = new Date(Date.UTC(2027, 0, 1 + this.days));
    this.days += 1;
    const day = date.toISOString().slice(0, 10);
    if (this.account !== 'open') return day;
    const daysInMonth = BigInt(new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate());
    // 1.5 credits per 10^9 bytes and month.
    const cost = { over: this.storedBytes() * 3n * CREDIT, under: 2n * 1_000_000_000n * daysInMonth };
    const due = {
      over: this.unpaid.over * cost.under + cost.over * this.unpaid.under,
      under: this.unpaid.under * cost.under,
    };
    const charged = due.over / due.under;
    this.unpaid = reduced({ over: due.over % due.under, under: due.under });
    this.payStorage(charged);
    return day;
  }

  /** A night takes what there is, and the rest becomes debt. */
  private payStorage(micros: bigint): void {
    const lacking = micros - this.wallet.of('CLOUD');
    if (lacking > 0n && this.draws.CLOUD) this.draw('CLOUD', least(lacking, this.wallet.of('MASTER')));
    const paid = least(micros, this.wallet.of('CLOUD'));
    this.wallet.move('CLOUD', 'REVENUE_STORAGE', paid);
    this.wallet.move('DEBT', 'REVENUE_STORAGE', micros - paid);
  }
}

function reduced({ over, under }: Fraction): Fraction {
  let [a, b] = [over, under];
  while (b !== 0n) [a, b] = [b, a % b];
  return { over: over / a, under: under / a };
}
