/** About how many steps a chart has. */
const STEPS = 4;

/**
 * Round numbers for the lines behind a chart: 0, 5, 10, 15. They reach at least from `min` to `max`, and 0 is always one of
 * them.
 *
 * If all values are whole, so are the lines.
 *
 * The first and the last one are the bottom and the top of the chart. There are at least two, so that an empty chart has
 * both.
 */
export function ticksBetween(min: number, max: number, isWhole = false): readonly number[] {
  const low = Math.min(0, min);
  const high = Math.max(0, max);
  if (!(high > low)) return [0, 1];
  const rough = (high - low) / STEPS;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const steps = [1, 2, 2.5, 5, 10].map((factor) => Number((factor * magnitude).toPrecision(12)));
  const isRound = (step: number): boolean => step >= rough * 0.999 && (!isWhole || Number.isInteger(step));
  const step = steps.find(isRound) ?? 10 * magnitude;
  const below = stepsTo(-low, step);
  const count = below + stepsTo(high, step);
  return Array.from({ length: count + 1 }, (_, index) => Number(((index - below) * step).toPrecision(12)));
}

/** How many steps reach a value. */
function stepsTo(value: number, step: number): number {
  // Slightly less, since 0.1 + 0.2 is more than 0.3.
  return Math.max(0, Math.ceil(value / step - 1e-9));
}

/** Which of `count` labels to show if at most `atMost` fit: evenly spaced, always including the newest. */
export function shownLabels(count: number, atMost: number): ReadonlySet<number> {
  const every = Math.max(1, Math.ceil(count / Math.max(1, atMost)));
  const shown = new Set<number>();
  for (let index = count - 1; index >= 0; index -= every) shown.add(index);
  return shown;
}
