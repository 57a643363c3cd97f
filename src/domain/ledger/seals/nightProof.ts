import { execute, type Sql, statement } from '../../../db/sql.js';
import { LedgerProof, type LedgerReport } from '../verify/verify.js';
import type { ArchivedSeals } from './reconciliations.js';
import { checkBlocks, checkSealedEntries } from './sealChecks.js';

/** How far the last night's proof came. */
export interface LastNight {
  /** PostgreSQL's text. */
  readonly verifiedAt: string;
  readonly lastBlock: number;
  /** Owners in whose books it found something: they are proved whole until nothing is found. */
  readonly faultyOwners: readonly string[];
}

export const SLICES = 7;
const OWNERS_PER_PAGE = 1000;

/**
 * The owners whose books are to be looked at: whole where they are of the slice or among the faulty ones, and what is new
 * where their versions add up to something else than the sealed ones. The last bits of an id are random.
 */
const NIGHT_PAGE = statement<{ lastOwner: string | null; slice: number; faultyOwners: readonly string[] }, PageRow>(
  'audit-night-page',
  `
    with page as materialized (
      select owner_id, sum(version) as total from ledger_account
      where :lastOwner::uuid is null or owner_id > :lastOwner
      group by owner_id order by owner_id limit ${OWNERS_PER_PAGE}
    ), due as (
      select p.owner_id, p.owner_id = any (:faultyOwners::uuid[])
          or ('x' || right(p.owner_id::text, 8))::bit(32)::bigint % ${SLICES} = :slice::integer as whole,
        p.total <> coalesce((
          select version_total from ledger_seal_owner s where s.owner_id = p.owner_id order by s.block_no desc limit 1
        ), 0) as moved
      from page p
    )
    select (select owner_id from page order by owner_id desc limit 1) as last_owner,
      (select coalesce(json_agg(owner_id), '[]') from due where whole) as whole,
      (select coalesce(json_agg(owner_id), '[]') from due where moved and not whole) as moved`,
);

/** A transaction that was open when the last proof began may have written its facts before, and committed after. */
const SINCE = statement<{ verifiedAt: string }, { since: string }>(
  'audit-since',
  `select (:verifiedAt::timestamptz - interval '1 hour')::text as since`,
);

interface PageRow {
  readonly last_owner: string | null;
  readonly whole: readonly string[];
  readonly moved: readonly string[];
}

/**
 * Proves what is new since the last night, and all books of one slice of seven: with each week, everything is proved.
 * Costs what is new and a seventh, whatever the rest has grown to.
 *
 * @param slice from 0 to 6, a new one each night.
 */
export async function proveNight(
  sql: Sql,
  night: { slice: number; last: LastNight; archived: ArchivedSeals; signal?: AbortSignal | undefined },
): Promise<LedgerReport> {
  const { slice, last, archived, signal } = night;
  const proof = new LedgerProof(sql);
  await proof.ofRights();
  for (let lastOwner: string | null = null; ;) {
    signal?.throwIfAborted();
    const [page]: PageRow[] = await execute(sql, NIGHT_PAGE, { lastOwner, slice, faultyOwners: last.faultyOwners });
    if (page!.last_owner === null) break;
    lastOwner = page!.last_owner;
    if (page!.moved.length > 0) await proof.ofNewEntries(page!.moved);
    if (page!.whole.length === 0) continue;
    await proof.ofOwners(page!.whole);
    for await (const faults of checkSealedEntries(sql, { owners: page!.whole, signal })) proof.add(faults);
  }
  const [time] = await execute(sql, SINCE, { verifiedAt: last.verifiedAt });
  await proof.ofFactsSince(time!.since);
  if (slice === 0) await proof.ofStrays();
  proof.add(await checkBlocks(sql, archived, { slice, after: last.lastBlock }));
  return proof.report();
}
