/**
 * Round numbers from 0 up to at least `max`, for the lines behind a chart: 0, 5, 10, 15.
 *
 * The last one is the top of the chart. There are at least two, so that an empty chart has a bottom and a top.
 */
export function ticksUpTo(max: number, about = 4): readonly number[] {
  if (!(max > 0)) return [0, 1];
  const rough = max / about;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * magnitude >= rough * 0.999) ?? 10) * magnitude;
  // Slightly less, since 0.1 + 0.2 is more than 0.3.
  const count = Math.max(1, Math.ceil(max / step - 1e-9));
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/** As `ticksUpTo`, from at most `min` if that is below 0. 0 is always one of them. */
export function ticksBetween(min: number, max: number): readonly number[] {
  if (!(min < 0)) return ticksUpTo(max);
  const step = ticksUpTo(Math.max(max, 0) - min)[1]!;
  const below = Math.ceil(-min / step - 1e-9);
  const above = Math.max(0, Math.ceil(max / step - 1e-9));
  return Array.from({ length: below + above + 1 }, (_, index) => Number(((index - below) * step).toPrecision(12)));
}

/** Which of `count` labels to show if at most `atMost` fit: evenly spaced, always including the newest. */
export function shownLabels(count: number, atMost: number): ReadonlySet<number> {
  const every = Math.max(1, Math.ceil(count / Math.max(1, atMost)));
  const shown = new Set<number>();
  for (let index = count - 1; index >= 0; index -= every) shown.add(index);
  return shown;
}
