import { median } from '../../bench/tails.js';
import type { Drill, Scene } from '../drills.js';
import { readBooks } from './books.js';
import type { Cluster } from './cluster.js';
import { Load } from './load.js';
import { settle, type Settled } from './settle.js';
import type { Tenant } from './tenant.js';

/** What a drill showed: the columns of the table in docs/high-availability.md. */
export interface Shown extends Settled {
  readonly drill: string;
  /** The longest time without a token: by HAProxy, and by the list of servers. */
  readonly tokenGapsMs: readonly number[];
  readonly postingGapsMs: readonly number[];
}

/** Breaks something and mends it. The load continues while it is broken, and afterwards. */
export async function strikeAndMend(drill: Drill, scene: Scene): Promise<void> {
  const { cluster, load } = scene;
  const mend = await drill.strike(scene);
  await load.continues();
  await mend();
  await cluster.patroni.becomesWhole();
  await load.continues();
}

/** Breaks something under load, mends it, and holds what the load was told against the books. */
export async function rehearse(
  cluster: Cluster,
  tenant: Tenant,
  drill: Drill,
  { clip, awayMs }: { readonly clip: Buffer; readonly awayMs: number },
): Promise<Shown> {
  const before = await readBooks(cluster, tenant);
  const load = new Load(cluster, tenant, clip);
  let struckAtMs = 0;
  try {
    await load.continues();
    await load.uploads.encodes();
    struckAtMs = performance.now();
    await strikeAndMend(drill, { cluster, load, awayMs });
  } catch (error) {
    load.abandon();
    throw error;
  }
  return {
    ...(await settle(cluster, tenant, load, before)),
    drill: drill.name,
    tokenGapsMs: load.longestGapsMs('token', struckAtMs),
    postingGapsMs: load.longestGapsMs('posting', struckAtMs),
  };
}

/** A row of the table, for all runs of one drill: the medians of pauses and refusals, and the sums of what was counted. */
export function rowOf(runs: readonly Shown[]): string {
  const inPairs = (valuesOf: (run: Shown) => readonly number[], combine: (values: number[]) => string): string =>
    [0, 1].map((at) => combine(runs.map((run) => valuesOf(run)[at]!))).join(' / ');
  const seconds = (values: number[]): string => (median(values) / 1000).toFixed(1);
  const sum = (values: number[]): string => String(values.reduce((total, value) => total + value, 0));
  const cells = [
    runs[0]!.drill,
    inPairs(({ tokenGapsMs }) => tokenGapsMs, seconds),
    inPairs(({ postingGapsMs }) => postingGapsMs, seconds),
    median(runs.map(({ refusals }) => refusals)),
    inPairs(({ tokens }) => tokens, sum),
    inPairs(({ postings }) => postings, sum),
    inPairs(({ videos }) => videos, sum),
    inPairs(({ videoMs }) => videoMs, seconds),
  ];
  return `| ${cells.join(' | ')} |`;
}
