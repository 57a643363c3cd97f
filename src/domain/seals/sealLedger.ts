import type { Database, Sql, Statement } from '../../db/sql.js';
import type { SealHead } from '../../ports/sealArchive.js';
import { BEGINNING, blockDigest, ownerDigest, PART_DIGEST } from './sealBytes.js';
import { headOf, type HeadRow } from './sealHeads.js';

const OWNERS_PER_PAGE = 1000;
/** Bounds what one digest is made of at once; whoever has more is sealed over several blocks. */
const ENTRIES_PER_PART = 10_000;
/** A block's digest is made of 48 bytes per owner at once. */
const OWNERS_PER_BLOCK = 500_000;

const NEXT_BLOCK: Statement = {
  name: 'seal-next-block',
  text: `select coalesce(max(block_no), 0) + 1 as block_no, service_now() as sealed_at from ledger_seal`,
};

/**
 * Seals one page of owners after $1 into block $2. An owner has something new exactly where the versions of the
 * accounts add up to something else than the sealed ones: versions are dense and only grow, so no entry is read to
 * find out. One statement is one snapshot, and in every snapshot the entries of an account run up to its version.
 */
const SEAL_PAGE: Statement = {
  name: 'seal-page',
  text: `
    with page as materialized (
      select owner_id, sum(version) as total from ledger_account
      where $1::uuid is null or owner_id > $1
      group by owner_id order by owner_id limit ${OWNERS_PER_PAGE}
    ), changed as materialized (
      select p.owner_id, coalesce(s.digest, ${BEGINNING}) as previous, s.accounts, s.versions
      from page p left join lateral (
        select digest, accounts, versions, version_total from ledger_seal_owner s
        where s.owner_id = p.owner_id order by s.block_no desc limit 1) s on true
      where p.total <> coalesce(s.version_total, 0)
    ), span as materialized (
      select c.owner_id, c.previous, a.account_no, coalesce(old.version, 0) as sealed,
        greatest(coalesce(old.version, 0), least(a.version, coalesce(old.version, 0) + ${ENTRIES_PER_PART})) as upto
      from changed c join ledger_account a using (owner_id) left join lateral (
        select x.version from unnest(c.accounts, c.versions) x(account_no, version)
        where x.account_no = a.account_no) old on true
      where a.version > 0 or old.version > 0
    ), part as (
      select s.owner_id, s.previous, s.account_no, s.sealed, s.upto, d.part, d.entries
      from span s cross join lateral (
        select ${PART_DIGEST} as part, count(*) as entries
        from ledger_entry e left join ledger_tx t on t.owner_id = e.owner_id and t.tx_id = e.tx_id
        where e.owner_id = s.owner_id and e.account_no = s.account_no and e.version > s.sealed and e.version <= s.upto
      ) d
    ), sealed as (
      insert into ledger_seal_owner
        (owner_id, block_no, previous, digest, accounts, versions, parts, version_total, entries)
      select owner_id, $2::bigint, previous,
        ${ownerDigest({ previous: 'previous', owner: 'owner_id', block: '$2::bigint', entries: 'sum(entries)::bigint' })},
        array_agg(account_no order by account_no), array_agg(upto order by account_no),
        array_agg(part order by account_no), sum(upto), sum(entries)
      from part group by owner_id, previous having sum(entries) > 0
      returning entries
    )
    select (select owner_id from page order by owner_id desc limit 1) as last_owner,
      (select count(*) from sealed) as owners, (select coalesce(sum(entries), 0) from sealed) as entries`,
};

const CLOSE_BLOCK: Statement = {
  name: 'seal-close-block',
  text: `
    insert into ledger_seal (block_no, sealed_at, previous_digest, digest, owners, entries)
    select $1::bigint, $2::timestamptz, p.digest, ${blockDigest({ previous: 'p.digest', block: '$1::bigint', sealedAt: '$2::timestamptz' })},
      count(*), sum(o.entries)
    from ledger_seal_owner o, (select coalesce(
      (select digest from ledger_seal where block_no = $1::bigint - 1), ${BEGINNING}) as digest) p
    where o.block_no = $1::bigint
    group by p.digest
    returning block_no, encode(digest, 'hex') as digest, sealed_at, owners, entries`,
};

const UNHURRIED: Statement = { name: 'seal-unhurried', text: 'set local statement_timeout = 0' };

/**
 * Seals what was booked since the last block, in one transaction; `null` where there is nothing new. Run it under the
 * sealing lock. It locks nothing that a posting needs. What it leaves, the next block takes: call it until `null`.
 */
export function sealBlock(db: Database, signal?: AbortSignal): Promise<SealHead | null> {
  return db.transaction(async ({ sql }) => {
    await sql.query(UNHURRIED);
    const [next] = await sql.query<{ block_no: string; sealed_at: string }>(NEXT_BLOCK);
    const owners = await sealOwners(sql, next!.block_no, signal);
    if (owners === 0) return null;
    const [head] = await sql.query<HeadRow>(CLOSE_BLOCK, [next!.block_no, next!.sealed_at]);
    return headOf(head!);
  });
}

async function sealOwners(sql: Sql, blockNo: string, signal?: AbortSignal): Promise<number> {
  let lastOwner: string | null = null;
  let owners = 0;
  while (owners < OWNERS_PER_BLOCK) {
    signal?.throwIfAborted();
    const [page]: PageRow[] = await sql.query<PageRow>(SEAL_PAGE, [lastOwner, blockNo]);
    owners += Number(page!.owners);
    if (page!.last_owner === null) break;
    lastOwner = page!.last_owner;
  }
  return owners;
}

interface PageRow {
  readonly last_owner: string | null;
  readonly owners: string;
}
