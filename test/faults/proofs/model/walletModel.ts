/** An owner's balances, in micro-credits by account: only a map, and the rules in their simplest form. */
export class WalletModel {
  readonly balances = new Map<string, bigint>();

  of(account: string): bigint {
    return this.balances.get(account) ?? 0n;
  }

  move(from: string, to: string, micros: bigint): void {
    this.balances.set(from, this.of(from) - micros);
    this.balances.set(to, this.of(to) + micros);
  }

  /** Incoming credits repay debt first. */
  receive(from: string, micros: bigint, into = 'MASTER'): void {
    const repaid = least(micros, -this.of('DEBT'));
    this.move(from, 'DEBT', repaid);
    this.move(from, into, micros - repaid);
  }

  /** Takes what there is, then makes a debt. Returns the sources. */
  seize(to: string, micros: bigint): Sources {
    const sources = this.seizeWhatIsThere(to, micros);
    const owed = micros - total(sources);
    this.move('DEBT', to, owed);
    sources.set('DEBT', owed);
    return sources;
  }

  seizeWhatIsThere(to: string, micros: bigint): Sources {
    const sources: Sources = new Map();
    for (const account of TAKEN_FIRST) {
      const part = least(this.of(account), micros - total(sources));
      this.move(account, to, part);
      sources.set(account, part);
    }
    return sources;
  }
}

export type Sources = Map<string, bigint>;

/** Where credits are taken from without asking, in this order; they go back in the opposite one. */
export const TAKEN_FIRST = ['MASTER', 'CREATIVE', 'AI', 'CLOUD'];

export function total(sources: Sources): bigint {
  return [...sources.values()].reduce((sum, micros) => sum + micros, 0n);
}

export function add(sources: Sources, account: string, micros: bigint): void {
  sources.set(account, (sources.get(account) ?? 0n) + micros);
}

export function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
