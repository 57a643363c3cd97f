import { isDeepStrictEqual } from 'node:util';

import { execute, type Sql } from '../../../db/sql.js';
import { networkOf } from '../../../networkAddress.js';
import {
  ADD_TO_DAYS,
  ADD_TO_HOURS,
  ADD_VIEWS,
  ADD_VISITORS,
  LOCK_VIEWS,
  type OpenViewRow,
  type RollupParams,
  STORE_REPORTS,
} from './analytics.sql.js';
import type { VisitorHashes } from './dailySalts.js';
import { type Measured, merged, possible } from './report.js';
import { ALL_VIDEOS, COUNTERS, type RollupChange, RollupChanges, type ViewFacts } from './rollups.js';
import { countryOf, userAgentOf } from './visitor.js';

/** An exchanged token, as the request had it. The address and the headers are forgotten when it is written. */
export interface Exchange {
  readonly accountId: string;
  readonly viewId: string;
  readonly videoId: string;
  /** `null` for the account's own preview. */
  readonly keyId: string | null;
  readonly mintedAtEpochSeconds: number;
  readonly exchangedAtEpochSeconds: number;
  /** By how much the clock of the test account was moved when the token was minted. `null` in live mode. */
  readonly testClockSeconds: number | null;
  readonly durationMs: number;
  readonly visitor: Visitor;
}

/** Who exchanged a token, from the request. */
export interface Visitor {
  readonly address: string | undefined;
  readonly userAgent: string | undefined;
  /** What a proxy says, if one is set up. */
  readonly country: string | undefined;
}

/** A view as it was just written. */
export interface WrittenView extends ViewFacts {
  readonly viewId: string;
  readonly measured: Measured;
}

/** A report that is not written yet. */
export interface Waiting {
  readonly accountId: string;
  readonly report: Measured;
  /** Since when its view has been looked for and not found, by `performance.now()`. */
  readonly unknownSinceMs: number | null;
}

/** The column's limit: 24 days. */
const MAX_DURATION_MS = 2_147_483_647;

const NOTHING: Measured = {
  seq: 0,
  startupMs: null,
  watchedMs: 0,
  stalledMs: 0,
  stalls: 0,
  switches: 0,
  ranges: [],
  errors: [],
  ended: false,
};

/** The UTC day of a view, `YYYY-MM-DD`. */
export function dayOf(view: Pick<Exchange, 'mintedAtEpochSeconds'>): string {
  return new Date(view.mintedAtEpochSeconds * 1_000).toISOString().slice(0, 10);
}

/**
 * Writes a batch in the caller's transaction: the views and reports, and what they change in the rollups. Takes all
 * locks in one order, and a batch that is written twice counts once.
 *
 * @param hashes of the days of all views
 * @returns the views that are new or changed, and the reports whose views do not exist
 */
export async function writeViews(
  sql: Sql,
  hashes: VisitorHashes,
  { views, reports }: { views: ReadonlyMap<string, Exchange>; reports: ReadonlyMap<string, Waiting> },
): Promise<{ written: WrittenView[]; unknown: Map<string, Waiting> }> {
  const changes = new RollupChanges();
  const added = await addViews(sql, hashes, views, changes);
  const { stored, unknown } = await storeReports(sql, reports, changes);
  await addTo(sql, ADD_TO_HOURS, changes.hours());
  await addTo(sql, ADD_TO_DAYS, changes.days());
  const written = new Map([...added, ...stored].map((view) => [view.viewId, view]));
  return { written: [...written.values()], unknown };
}

async function addViews(
  sql: Sql,
  hashes: VisitorHashes,
  views: ReadonlyMap<string, Exchange>,
  changes: RollupChanges,
): Promise<WrittenView[]> {
  if (views.size === 0) return [];
  const exchanges = [...views.values()].sort(inOrder);
  const facts = exchanges.map(factsOf);
  const added = await execute(sql, ADD_VIEWS, {
    accountIds: facts.map((view) => view.accountId),
    ids: facts.map((view) => view.viewId),
    mintedAt: facts.map((view) => view.mintedAtEpochSeconds),
    exchangedAt: exchanges.map((view) => view.exchangedAtEpochSeconds),
    testClocks: exchanges.map((view) => view.testClockSeconds),
    videoIds: facts.map((view) => view.videoId),
    keyIds: facts.map((view) => view.keyId),
    audiences: facts.map((view) => view.audience),
    durations: facts.map((view) => view.durationMs),
    countries: facts.map((view) => view.country),
    browsers: facts.map((view) => view.browser),
    devices: facts.map((view) => view.device),
  });
  const isNew = new Set(added.map(({ id }) => id));
  const fresh = facts.filter(({ viewId }) => isNew.has(viewId));
  for (const view of fresh) changes.addView(view);
  await addVisitors(sql, hashes, { fresh, exchanges: views }, changes);
  return fresh;
}

async function addVisitors(
  sql: Sql,
  hashes: VisitorHashes,
  { fresh, exchanges }: { fresh: readonly WrittenView[]; exchanges: ReadonlyMap<string, Exchange> },
  changes: RollupChanges,
): Promise<void> {
  const firsts = new Map<string, { view: WrittenView; videoId: string; visitor: Buffer; day: string }>();
  for (const view of fresh) {
    if (view.audience !== 'viewer') continue;
    const day = dayOf(view);
    const { address, userAgent } = exchanges.get(view.viewId)!.visitor;
    const visitor = hashes.get(day)!(`${networkOf(address)}\n${userAgent ?? ''}`);
    for (const videoId of [view.videoId, ALL_VIDEOS]) {
      const name = visitorName(view.accountId, videoId, visitor, day);
      if (!firsts.has(name)) firsts.set(name, { view, videoId, visitor, day });
    }
  }
  if (firsts.size === 0) return;
  const sorted = [...firsts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, first]) => first);
  const added = await execute(sql, ADD_VISITORS, {
    accountIds: sorted.map(({ view }) => view.accountId),
    videoIds: sorted.map(({ videoId }) => videoId),
    visitors: sorted.map(({ visitor }) => visitor),
    days: sorted.map(({ day }) => day),
  });
  for (const row of added) {
    const { view, videoId } = firsts.get(visitorName(row.account_id, row.video_id, row.visitor, row.day))!;
    changes.addUnique(view, videoId);
  }
}

/** Adds what the reports change. The locks keep other processes from adding up the same change. */
async function storeReports(
  sql: Sql,
  reports: ReadonlyMap<string, Waiting>,
  changes: RollupChanges,
): Promise<{ stored: WrittenView[]; unknown: Map<string, Waiting> }> {
  const unknown = new Map(reports);
  if (reports.size === 0) return { stored: [], unknown };
  const asked = [...reports].map(([viewId, { accountId }]) => ({ viewId, accountId })).sort(inOrder);
  const rows = await execute(sql, LOCK_VIEWS, {
    accountIds: asked.map(({ accountId }) => accountId),
    ids: asked.map(({ viewId }) => viewId),
  });
  const stored: WrittenView[] = [];
  for (const row of rows) {
    unknown.delete(row.id);
    const before = measuredOf(row);
    const { report } = reports.get(row.id)!;
    const now = merged(before, possible(report, { ageMs: row.age_ms, durationMs: row.duration_ms }));
    // A report that repeats what is known writes nothing: anyone can send it many times.
    if (before.seq > 0 && isDeepStrictEqual({ ...now, seq: before.seq }, before)) continue;
    const view = { ...factsOfRow(row), measured: now };
    changes.addReport(view, before, now);
    stored.push(view);
  }
  if (stored.length === 0) return { stored, unknown };
  await execute(sql, STORE_REPORTS, {
    accountIds: stored.map((view) => view.accountId),
    ids: stored.map((view) => view.viewId),
    mintedAt: stored.map((view) => view.mintedAtEpochSeconds),
    seqs: stored.map(({ measured }) => measured.seq),
    startups: stored.map(({ measured }) => measured.startupMs),
    watched: stored.map(({ measured }) => measured.watchedMs),
    stalled: stored.map(({ measured }) => measured.stalledMs),
    stalls: stored.map(({ measured }) => measured.stalls),
    switches: stored.map(({ measured }) => measured.switches),
    ranges: stored.map(({ measured }) => `{${measured.ranges.join(',')}}`),
    errors: stored.map(({ measured }) => JSON.stringify(measured.errors)),
    ended: stored.map(({ measured }) => measured.ended),
  });
  return { stored, unknown };
}

async function addTo(sql: Sql, wanted: typeof ADD_TO_HOURS, changes: readonly RollupChange[]): Promise<void> {
  if (changes.length === 0) return;
  const params: RollupParams = {
    accountIds: changes.map((change) => change.accountId),
    dimensions: changes.map((change) => change.dimension),
    videoIds: changes.map((change) => change.videoId),
    startsAt: changes.map((change) => change.startsAtEpochSeconds),
    values: changes.map((change) => change.value),
    counts: changes.map((change) => `{${COUNTERS.map((counter) => change[counter]).join(',')}}`),
    startups: changes.map((change) => arrayOf(change.startups)),
    fineStartups: changes.map((change) => arrayOf(change.fineStartups)),
    retentions: changes.map((change) => arrayOf(change.retention)),
  };
  await execute(sql, wanted, params);
}

/** A PostgreSQL array whose other elements are null. `null` if nothing is counted. */
function arrayOf(counts: ReadonlyMap<number, number>): string | null {
  const changed = [...counts].filter(([, count]) => count !== 0);
  if (changed.length === 0) return null;
  const length = Math.max(...changed.map(([index]) => index)) + 1;
  const elements = Array<string>(length).fill('null');
  for (const [index, count] of changed) elements[index] = String(count);
  return `{${elements.join(',')}}`;
}

function factsOf(exchange: Exchange): WrittenView {
  const { accountId, viewId, videoId, keyId, mintedAtEpochSeconds, durationMs, visitor } = exchange;
  const { browser, device, isBot } = userAgentOf(visitor.userAgent);
  return {
    accountId,
    viewId,
    videoId,
    keyId,
    mintedAtEpochSeconds,
    durationMs: Math.min(durationMs, MAX_DURATION_MS),
    audience: keyId === null ? 'preview' : isBot ? 'bot' : 'viewer',
    country: countryOf(visitor.country),
    browser,
    device,
    measured: NOTHING,
  };
}

function factsOfRow(row: OpenViewRow): ViewFacts & { viewId: string } {
  return {
    accountId: row.account_id,
    viewId: row.id,
    videoId: row.video_id,
    keyId: row.key_id,
    mintedAtEpochSeconds: row.minted_at,
    durationMs: row.duration_ms,
    audience: row.audience,
    country: row.country,
    browser: row.browser,
    device: row.device,
  };
}

function measuredOf(row: OpenViewRow): Measured {
  return {
    seq: row.seq,
    startupMs: row.startup_ms,
    watchedMs: row.watched_ms,
    stalledMs: row.stalled_ms,
    stalls: row.stalls,
    switches: row.switches,
    ranges: row.ranges,
    errors: row.errors,
    ended: row.ended,
  };
}

/** The order of the primary key. */
function inOrder(a: { accountId: string; viewId: string }, b: { accountId: string; viewId: string }): number {
  const [x, y] = [`${a.accountId} ${a.viewId}`, `${b.accountId} ${b.viewId}`];
  return x < y ? -1 : Number(x > y);
}

function visitorName(accountId: string, videoId: string, visitor: Buffer, day: string): string {
  return `${accountId} ${videoId} ${visitor.toString('hex')} ${day}`;
}
