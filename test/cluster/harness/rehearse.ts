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

/** A row of the table. */
export function rowOf({ drill, tokenGapsMs, postingGapsMs, refusals, tokens, postings, videos }: Shown): string {
  const seconds = (gaps: readonly number[]): string => gaps.map((ms) => (ms / 1000).toFixed(1)).join(' / ');
  const pairs = [tokens, postings, videos].map((pair) => pair.join(' / '));
  return `| ${[drill, seconds(tokenGapsMs), seconds(postingGapsMs), refusals, ...pairs].join(' | ')} |`;
}
