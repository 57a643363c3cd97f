import type { LoadDriver } from './processes.js';

/** How slow the slowest percent may be, as a multiple of the bare handler's at the same rate. */
const MAX_RATIO = 1.5;
/** Share of the bare handler's maximum rate. */
const SHARE = 0.5;

interface Side {
  readonly server: { readonly port: number };
  readonly requests: readonly string[];
}

/**
 * p99 of both sides at a steady rate, half of the bare handler's maximum. Each request counts from when it was due, so
 * that a pause counts for all requests it delayed. Prints the ratio.
 * @returns whether it meets its target
 */
export async function measureTails(
  driver: LoadDriver,
  sides: readonly [Side, Side],
  {
    bareRate,
    connections,
    durationMs,
    pairs,
  }: Readonly<Record<'bareRate' | 'connections' | 'durationMs' | 'pairs', number>>,
): Promise<boolean> {
  const perSecond = Math.round(bareRate * SHARE);
  const runs: [number, number][] = [];
  const medians: [number, number][] = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    const results = [];
    for (const { server, requests } of sides) {
      results.push(await driver.drive({ port: server.port, connections, durationMs, perSecond, requests }));
    }
    const [first, second] = results;
    runs.push([first!.p99Ms, second!.p99Ms]);
    medians.push([first!.p50Ms, second!.p50Ms]);
  }
  const ratios = runs.map(([first, second]) => second / first);
  const ratio = median(ratios);
  const isMet = ratio <= MAX_RATIO;
  const both = (values: readonly [number, number][]): string =>
    ([0, 1] as const).map((side) => median(values.map((run) => run[side])).toFixed(2)).join(' and ');
  console.log(
    `${isMet ? 'ok    ' : 'MISSED'}   p99 at ${perSecond} requests/s: ${ratio.toFixed(2)} × (target at most ${MAX_RATIO}; ` +
      `p99 ${both(runs)} ms, median ${both(medians)} ms; pairs ${ratios.map((value) => value.toFixed(2)).join(' ')})`,
  );
  return isMet;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}
