import { expect } from 'vitest';

import { type Books, disagreements, readBooks } from './books.js';
import type { Cluster } from './cluster.js';
import type { Load } from './load.js';
import type { Tenant } from './tenant.js';
import { TRY_AGAIN } from './uploads.js';

/** Staff resolve the alert of a full disk themselves: the service cannot tell on whose machine the space is back. */
const RESOLVE_FULL_DISK = `update alert set resolved_at = now() where kind = 'storage.full' and resolved_at is null`;

export interface Settled {
  readonly refusals: number;
  /** Acknowledged and counted. */
  readonly tokens: readonly [number, number];
  /** Acknowledged and booked. */
  readonly postings: readonly [number, number];
  /** Ready and failed. */
  readonly videos: readonly [number, number];
  /** The longest upload, and the longest time from its end until the video was ready. */
  readonly videoMs: readonly [number, number];
}

/** Ends a load, and checks that the books agree with what it was told, and that all of its videos have ended. */
export async function settle(cluster: Cluster, tenant: Tenant, load: Load, before: Books): Promise<Settled> {
  await load.stop();
  const videos = await load.uploads.ended();
  const after = await readBooks(cluster, tenant);
  expect(disagreements(load, before, after)).toEqual([]);
  expect(load.uploads.surprises).toEqual([]);
  const refused = load.answers.filter(({ what }) => what !== 'ok').map(({ what }) => what);
  expect([...new Set(refused)].filter((what) => what !== TRY_AGAIN)).toEqual([]);
  expect(videos.filter(({ status, failure }) => status === 'FAILED' && failure === null)).toEqual([]);
  const verified = await cluster.command('ledger', 'verify');
  expect(verified, verified.output).toMatchObject({ code: 0 });
  const ready = videos.filter(({ status }) => status === 'READY').length;
  return {
    refusals: refused.length,
    tokens: [load.acknowledged('token'), after.tokens - before.tokens],
    postings: [load.acknowledged('posting'), after.postings.size - before.postings.size],
    videos: [ready, videos.length - ready],
    videoMs: [longest(videos.map(({ uploadMs }) => uploadMs)), longest(videos.map(({ waitedMs }) => waitedMs ?? 0))],
  };
}

function longest(times: readonly number[]): number {
  return Math.max(0, ...times);
}

/** Checks that the doctor finds nothing, once staff have seen that a disk was full. */
export async function expectNothingStuck(cluster: Cluster): Promise<void> {
  await cluster.rows(RESOLVE_FULL_DISK);
  const doctor = await cluster.command('doctor');
  expect(doctor, doctor.output).toMatchObject({ code: 0 });
}
