import { execute, type Sql, statement } from '../../../db/sql.js';
import { AFTER_LAST_OWNER } from '../ownersAfter.js';
import { LedgerVerification, type LedgerReport } from '../verify/verify.js';
import type { ArchivedSeals } from './reconciliations.js';
import { checkBlocks, checkSealedEntries } from './sealChecks.js';

/** How far the last night's verification reached. */
export interface LastNight {
  /** As PostgreSQL formats it. */
  readonly verifiedAt: string;
  readonly lastBlock: number;
  /** Owners with faults. They are verified completely until nothing is found. */
  readonly faultyOwners: readonly string[];
}

export const SLICES = 7;
const OWNERS_PER_PAGE = 1000;

/**
 * The owners to verify: completely if they are in the slice or faulty, and only new entries if the sum of their
 * versions differs from the sealed sum. The last bits of an id are random, so they decide the slice.
 */
const NIGHT_PAGE = statement<{ lastOwner: string | null; slice: number; faultyOwners: readonly string[] }, PageRow>(
  'audit-night-page',
  `
    with page as materialized (
      select owner_id, sum(version) as total from ledger_account
      where ${AFTER_LAST_OWNER}
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

/** A transaction that was open when the last verification began may have written facts before and committed after. */
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
 * Verifies what is new since the last night, and all books of one of seven slices, so that a week covers everything.
 * The cost is the new entries plus a seventh.
 *
 * @param slice 0 to 6, a different one each night
 */
export async function verifyNight(
  sql: Sql,
  night: { slice: number; last: LastNight; archived: ArchivedSeals; signal?: AbortSignal | undefined },
): Promise<LedgerReport> {
  const { slice, last, archived, signal } = night;
  const verification = new LedgerVerification(sql);
  await verification.ofRights();
  for (let lastOwner: string | null = null; ;) {
    signal?.throwIfAborted();
    const [page]: PageRow[] = await execute(sql, NIGHT_PAGE, { lastOwner, slice, faultyOwners: last.faultyOwners });
    if (page!.last_owner === null) break;
    lastOwner = page!.last_owner;
    if (page!.moved.length > 0) await verification.ofNewEntries(page!.moved);
    if (page!.whole.length === 0) continue;
    await verification.ofOwners(page!.whole);
    for await (const faults of checkSealedEntries(sql, { owners: page!.whole, signal })) verification.add(faults);
  }
  const [time] = await execute(sql, SINCE, { verifiedAt: last.verifiedAt });
  await verification.ofFactsSince(time!.since);
  if (slice === 0) await verification.ofStrays();
  verification.add(await checkBlocks(sql, archived, { slice, after: last.lastBlock }));
  return verification.report();
}
