/** A stretch of the video, in whole milliseconds. */
export type Range = readonly [fromMs: number, toMs: number];

const MAX_RANGES = 64;

/** Adds a stretch to disjoint ranges, in ascending order. Joins the two closest ranges when there are too many. */
export function addRange(ranges: readonly Range[], fromMs: number, toMs: number): readonly Range[] {
  let [from, to] = [fromMs, toMs];
  const apart = ranges.filter((range) => {
    const touches = range[0] <= toMs && range[1] >= fromMs;
    if (touches) [from, to] = [Math.min(from, range[0]), Math.max(to, range[1])];
    return !touches;
  });
  const all: Range[] = [...apart, [from, to] as const].sort((a, b) => a[0] - b[0]);
  if (all.length > MAX_RANGES) {
    const gaps = all.slice(1).map((range, at) => range[0] - all.at(at)![1]);
    const at = gaps.indexOf(Math.min(...gaps));
    all.splice(at, 2, [all.at(at)![0], all.at(at + 1)![1]]);
  }
  return all;
}
