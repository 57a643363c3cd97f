export interface Sample {
  readonly hours: number;
  readonly value: number;
}

/** Samples that follow each other never count as fewer than this many: with two, a line has no error. */
const LEAST_SAMPLES = 3;

/**
 * The slope of the straight line through samples, and its standard error, both per hour.
 *
 * The memory of a process rises for minutes until its garbage is collected, so neighbouring samples say nearly the same,
 * and an error that takes them for independent is several times too small. Here, `n` samples whose residuals have the
 * correlation `r` with their neighbours count as `n (1 - r) / (1 + r)` (Santer et al., 2000, doi:10.1029/1999JD901105).
 */
export function trendOf(samples: readonly Sample[]): { perHour: number; error: number } {
  const mean = (values: readonly number[]): number => sum(values) / values.length;
  const [hours, value] = [mean(samples.map((one) => one.hours)), mean(samples.map((one) => one.value))];
  const spread = sum(samples.map((one) => (one.hours - hours) ** 2));
  const perHour = sum(samples.map((one) => (one.hours - hours) * (one.value - value))) / spread;
  const rest = samples.map((one) => one.value - value - perHour * (one.hours - hours));
  const squares = sum(rest.map((one) => one ** 2));
  if (squares === 0) return { perHour, error: 0 };
  const correlation = Math.max(0, sum(rest.slice(1).map((one, nth) => one * rest[nth]!)) / squares);
  const count = Math.max(LEAST_SAMPLES, (samples.length * (1 - correlation)) / (1 + correlation));
  return { perHour, error: Math.sqrt(squares / (count - 2) / spread) };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, one) => total + one, 0);
}
