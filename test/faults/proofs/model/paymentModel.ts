import { add, least, TAKEN_FIRST, total, type Sources, type WalletModel } from './walletModel.js';

export interface ModelRequest {
  readonly id: string;
  readonly refundId: string;
  readonly heldMicros: bigint;
  /** The closing that asked for it, counted from 1; 0 if the owner did. */
  readonly closing: number;
  status: 'requested' | 'settled' | 'returned';
}

export interface ModelRefund {
  readonly id: string;
  readonly atMs: number;
  readonly minor: bigint;
  readonly request: ModelRequest | null;
  failed: boolean;
  /** Sticky, even if the refund comes back later. */
  readonly wasProcessed: boolean;
  /** What of it counts, and what of that our own request had held. */
  counted: bigint;
  covered: bigint;
}

export interface ModelDispute {
  readonly id: string;
  readonly atMs: number;
  readonly minor: bigint;
  state: 'open' | 'won' | 'lost';
  open: bigint;
  lost: bigint;
}

export const MICROS_PER_PAISA = 10_000n;

/** One credited payment and its outcome. What is taken for it comes from certain accounts, and goes back there. */
export class PaymentModel {
  readonly refunds: ModelRefund[] = [];
  readonly disputes: ModelDispute[] = [];
  readonly requests: ModelRequest[] = [];
  private readonly taken: Sources = new Map();
  private readonly held: Sources = new Map();
  private refundedAtMs = Infinity;

  constructor(
    readonly id: string,
    readonly topUpId: string,
    readonly orderId: string,
    readonly minor: bigint,
    readonly capturedAtMs: number,
  ) {}

  get receivedMicros(): bigint {
    return this.minor * MICROS_PER_PAISA;
  }

  get heldMicros(): bigint {
    return total(this.held);
  }

  /** What the owner can still request as a refund, in paise. */
  refundableMinor(): bigint {
    const gone = [...this.refunds.map((one) => one.counted), ...this.disputes.map((one) => one.open + one.lost)];
    const asked = this.requests.filter((one) => one.status === 'requested').map((one) => one.heldMicros);
    const left = [...gone, ...asked].reduce((rest, micros) => rest - micros, this.receivedMicros);
    return left > 0n ? left / MICROS_PER_PAISA : 0n;
  }

  /**
   * Applies new facts to the wallet.
   *
   * @param onFirstRefund called for a first refund, or for one made earlier than those known, because it matters
   * elsewhere
   */
  settle(wallet: WalletModel, onFirstRefund: (refundedAtMs: number) => void): void {
    const processed = this.refunds.filter((refund) => refund.wasProcessed);
    const refundedAtMs = Math.min(...processed.map((refund) => refund.atMs), Infinity);
    const firstRefund = refundedAtMs < this.refundedAtMs;
    const before = this.summary();
    const { steps, disputed } = this.verdict(wallet);
    // Facts that change nothing move nothing, not even a dispute hold that could now be filled up.
    if (!firstRefund && this.summary() === before) return;
    for (const { more, run } of steps) if (more <= 0n) run();
    for (const { more, run } of steps) if (more > 0n) run();
    if (firstRefund) {
      this.refundedAtMs = refundedAtMs;
      this.hold(wallet, 0n);
      onFirstRefund(refundedAtMs);
    }
    this.hold(wallet, disputed);
  }

  private summary(): string {
    return [
      ...this.refunds.filter((one) => one.counted > 0n).map((one) => `${one.id} ${one.counted} ${one.covered}`),
      ...this.disputes.filter((one) => one.open + one.lost > 0n).map((one) => `${one.id} ${one.open} ${one.lost}`),
      ...this.requests.map((one) => `${one.id} ${one.status}`),
    ].join();
  }

  /** Refunds count first, by age, then our own requests, then lost disputes, then open ones. */
  private verdict(wallet: WalletModel) {
    let left = this.receivedMicros;
    const count = (micros: bigint) => {
      const counted = least(micros, left);
      left -= counted;
      return counted;
    };
    const steps: { more: bigint; run: () => void }[] = [];
    const intoHold = () => this.disputes.some((dispute) => dispute.open > 0n);
    for (const refund of this.refunds.toSorted(byAge)) {
      const counted = refund.failed ? 0n : count(refund.minor * MICROS_PER_PAISA);
      steps.push(this.refundStep(wallet, refund, counted, intoHold));
    }
    for (const request of this.requests) if (request.status === 'requested') count(request.heldMicros);
    const disputes = this.disputes.toSorted(byAge);
    for (const dispute of disputes) {
      const lost = dispute.state === 'lost' ? count(dispute.minor * MICROS_PER_PAISA) : 0n;
      const more = lost - dispute.lost;
      dispute.lost = lost;
      steps.push({ more, run: () => this.takeMore(wallet, more, intoHold()) });
    }
    for (const dispute of disputes) {
      dispute.open = dispute.state === 'open' ? count(dispute.minor * MICROS_PER_PAISA) : 0n;
    }
    return { steps, disputed: disputes.reduce((sum, dispute) => sum + dispute.open, 0n) };
  }

  private refundStep(wallet: WalletModel, refund: ModelRefund, counted: bigint, intoHold: () => boolean) {
    const { request } = refund;
    const isLive = request !== null && request.status !== 'returned';
    const leaves = request?.status === 'requested' ? request.heldMicros : 0n;
    const wanted = isLive ? least(counted, request.heldMicros) : 0n;
    const covered = leaves > 0n ? wanted : least(wanted, refund.covered);
    const freed = leaves > 0n ? leaves - covered : refund.covered - covered;
    const more = counted - covered - (refund.counted - refund.covered);
    if (isLive) request.status = refund.failed ? 'returned' : 'settled';
    Object.assign(refund, { counted, covered });
    const run = () => {
      wallet.move('REFUND_HOLD', 'CASH', leaves);
      wallet.receive('CASH', freed);
      this.takeMore(wallet, more, intoHold());
    };
    return { more, run };
  }

  private takeMore(wallet: WalletModel, micros: bigint, intoHold: boolean): void {
    if (micros < 0n) return this.giveBack(wallet, -micros, intoHold);
    let rest = micros;
    for (const account of TAKEN_FIRST) {
      const part = least(this.held.get(account) ?? 0n, rest);
      add(this.held, account, -part);
      add(this.taken, account, part);
      wallet.move('DISPUTE_HOLD', 'CASH', part);
      rest -= part;
    }
    for (const [account, part] of wallet.seize('CASH', rest)) add(this.taken, account, part);
  }

  private giveBack(wallet: WalletModel, micros: bigint, intoHold: boolean): void {
    let rest = micros;
    const part = least(this.taken.get('DEBT') ?? 0n, rest);
    add(this.taken, 'DEBT', -part);
    wallet.receive('CASH', part);
    rest -= part;
    for (const account of TAKEN_FIRST.toReversed()) {
      const part = least(this.taken.get(account) ?? 0n, rest);
      add(this.taken, account, -part);
      if (intoHold) add(this.held, account, part);
      wallet.move('CASH', intoHold ? 'DISPUTE_HOLD' : account, part);
      rest -= part;
    }
  }

  /** Holds the disputed amount, as far as it is there. */
  private hold(wallet: WalletModel, micros: bigint): void {
    const missing = micros - this.heldMicros;
    if (missing > 0n) {
      for (const [account, part] of wallet.seizeWhatIsThere('DISPUTE_HOLD', missing)) add(this.held, account, part);
      return;
    }
    let excess = -missing;
    for (const account of TAKEN_FIRST.toReversed()) {
      const part = least(this.held.get(account) ?? 0n, excess);
      add(this.held, account, -part);
      wallet.move('DISPUTE_HOLD', account, part);
      excess -= part;
    }
  }
}

function byAge(a: { atMs: number }, b: { atMs: number }): number {
  return a.atMs - b.atMs;
}
