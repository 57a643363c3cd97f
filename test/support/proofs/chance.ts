import { randomInt } from 'node:crypto';
import { env, stdout } from 'node:process';

/** Repeatable random numbers: the seed is printed, and taken from PROOF_SEED if that is set. */
export class Chance {
  private state: number;

  private constructor(seed: number) {
    this.state = seed;
  }

  /** @param nth of several in one run, each with a seed that follows from the run's */
  static of(what: string, nth = 0): Chance {
    const seed = Number(env['PROOF_SEED'] ?? randomInt(2 ** 31)) + nth;
    stdout.write(`${what}: seed ${seed} (PROOF_SEED=${seed - nth} makes the same choices again)\n`);
    return new Chance(seed);
  }

  /** A number from 0 to below `end`. */
  below(end: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end);
  }

  /** Mostly once or twice, sometimes up to ten times. */
  deliveries(): number {
    const kind = this.below(10);
    return kind < 6 ? 1 : kind < 9 ? 2 + this.below(2) : 4 + this.below(7);
  }

  /** `count` of the items, each at most once, in random order. */
  some<T>(items: readonly T[], count: number): T[] {
    const left = [...items];
    return Array.from({ length: Math.min(count, left.length) }, () => left.splice(this.below(left.length), 1)[0]!);
  }
}

export function permutationsOf<T>(items: readonly T[]): T[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((item, at) => permutationsOf(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));
}
