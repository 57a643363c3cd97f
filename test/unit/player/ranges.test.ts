import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { addRange, type Range } from '../../../src/player/analytics/meter.js';

const SECOND = fc.integer({ min: 0, max: 300 });
const STRETCH = fc.tuple(SECOND, SECOND).filter(([from, to]) => from < to);

const added = (stretches: readonly Range[]): readonly Range[] =>
  stretches.reduce<readonly Range[]>((ranges, [from, to]) => addRange(ranges, from, to), []);
const secondsOf = (ranges: readonly Range[]): Set<number> =>
  new Set(ranges.flatMap(([from, to]) => Array.from({ length: to - from }, (_, at) => from + at)));

describe('watched ranges', () => {
  it('are merged where they touch or overlap', () => {
    const stretches: Range[] = [
      [0, 10],
      [20, 30],
      [40, 50],
      [10, 12],
      [25, 45],
    ];
    expect(added(stretches)).toEqual([
      [0, 12],
      [20, 50],
    ]);
  });

  it('cover exactly what was watched, in ascending order and without contact', () => {
    fc.assert(
      fc.property(fc.array(STRETCH, { maxLength: 40 }), (stretches) => {
        const ranges = added(stretches);
        expect(secondsOf(ranges)).toEqual(secondsOf(stretches));
        for (const [at, [from]] of ranges.slice(1).entries()) expect(from).toBeGreaterThan(ranges[at]![1]);
      }),
    );
  });

  it('are at most 64: the two with the smallest gap become one', () => {
    const apart = Array.from({ length: 64 }, (_, at): Range => [at * 10, at * 10 + 5]);
    const ranges = added([...apart, [703, 705], [707, 710]]);
    expect(ranges).toHaveLength(64);
    expect(ranges.at(-1)).toEqual([703, 710]);
    expect(ranges[0]).toEqual([0, 15]);
  });
});
