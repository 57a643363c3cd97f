import { execute, type Sql, statement } from '../../../db/sql.js';
import type { SealHead } from '../../../ports/sealArchive.js';
import { LOWEST_ID } from '../../shared/ids.js';
import { ledgerAccountName } from '../ledgerAccounts.js';
import type { LedgerFault } from '../verify/verify.js';
import { NOBODY } from '../verify/verifyForms.js';
import { BEGINNING, blockDigest, ownerDigest, PART_DIGEST } from './sealBytes.js';
import type { ArchivedSeals } from './reconciliations.js';
import { readHeads } from './sealHeads.js';

const OWNER_BLOCKS_PER_PAGE = 1000;

/**
 * Looks up the transaction of the entry `e` by its unique index. With a plain join, the planner underestimates the
 * owner's transactions and reads all of them again for each block, so the cost grows with the square of the nights. The
 * limit keeps it a separate lookup.
 */
const TX_OF_ENTRY = 'select * from ledger_tx x where x.owner_id = e.owner_id and x.tx_id = e.tx_id limit 1';

interface After {
  readonly afterOwner: string;
  readonly afterBlock: string;
}

/** Before all of them: blocks are numbered from 1. */
const BEGINNING_OF_CHAINS: After = { afterOwner: LOWEST_ID, afterBlock: '0' };

const CHECK_PAGE = checkPage<After>('seal-check-page', 'true');
const CHECK_PAGE_OF = checkPage<After & { owners: readonly string[] }>(
  'seal-check-page-of',
  'owner_id = any (:owners::uuid[])',
);

/** One page of the owners' chains: compares each part with the entries and each digest with its parts. */
function checkPage<Params extends After>(name: string, owners: string) {
  return statement<Params, PageRow>(
    name,
    `
    with page as materialized (
      select * from ledger_seal_owner
      where ${owners} and (owner_id, block_no) > (:afterOwner::uuid, :afterBlock::bigint)
      order by owner_id, block_no limit ${OWNER_BLOCKS_PER_PAGE}
    ), link as materialized (
      select p.*, coalesce(b.digest, ${BEGINNING}) as digest_before, b.accounts as accounts_before,
        b.versions as versions_before
      from page p left join lateral (
        select digest, accounts, versions from ledger_seal_owner s
        where s.owner_id = p.owner_id and s.block_no < p.block_no order by s.block_no desc limit 1) b on true
    ), span as materialized (
      select l.owner_id, l.block_no, u.account_no, coalesce(old.version, 0) as sealed, u.upto, u.part
      from link l cross join lateral unnest(l.accounts, l.versions, l.parts) u(account_no, upto, part)
      left join lateral (
        select x.version from unnest(l.accounts_before, l.versions_before) x(account_no, version)
        where x.account_no = u.account_no) old on true
    ), wrong_part as (
      select s.* from span s cross join lateral (
        select ${PART_DIGEST} as part
        from ledger_entry e left join lateral (${TX_OF_ENTRY}) t on true
        where e.owner_id = s.owner_id and e.account_no = s.account_no and e.version > s.sealed and e.version <= s.upto
      ) d where d.part is distinct from s.part
    ), wrong_link as (
      select l.owner_id, l.block_no from link l join span s using (owner_id, block_no)
      group by l.owner_id, l.block_no, l.previous, l.digest, l.digest_before, l.entries
      having l.previous <> l.digest_before
        or l.digest <> ${ownerDigest({ previous: 'l.previous', owner: 'l.owner_id', block: 'l.block_no', entries: 'l.entries' })}
    ), fault as (
      select owner_id, block_no, account_no, sealed + 1 as first_version, upto as last_version from wrong_part
      union all
      select owner_id, block_no, null, null, null from wrong_link
    )
    select (select owner_id from page order by owner_id desc, block_no desc limit 1) as last_owner,
      (select block_no::text from page order by owner_id desc, block_no desc limit 1) as last_block,
      (select json_agg(f) from (
        select owner_id, block_no::text, account_no, first_version::text, last_version::text
        from fault order by owner_id, block_no, account_no) f) as faults`,
  );
}

/** The blocks of one of seven slices, and all blocks after a given one; every block if there is no slice. */
const BLOCKS = '(block_no % 7 = :slice::integer or :slice::integer is null or block_no > :after::bigint)';

/** Blocks whose digest, counts or position in the chain contradict their owners or the previous block. */
const WRONG_BLOCKS = statement<
  { slice: number | null; after: number },
  { block_no: string; expected: string; found: string }
>(
  'seal-wrong-blocks',
  `
    select coalesce(s.block_no, o.block_no) as block_no,
      coalesce(encode(o.digest, 'hex'), 'no owners') as expected, coalesce(encode(s.digest, 'hex'), 'no block') as found
    from (select * from ledger_seal where ${BLOCKS}) s full join (
      select o.block_no, count(*) as owners, sum(o.entries) as entries, p.digest as previous,
        ${blockDigest({ previous: 'coalesce(p.digest, ' + BEGINNING + ')', block: 'o.block_no', sealedAt: 'p.sealed_at' })} as digest
      from (select * from ledger_seal_owner where ${BLOCKS}) o left join (
        select b.block_no, b.sealed_at, (select a.digest from ledger_seal a where a.block_no = b.block_no - 1) as digest
        from ledger_seal b) p using (block_no)
      group by o.block_no, p.digest, p.sealed_at
    ) o using (block_no)
    where s.digest is distinct from o.digest or s.previous_digest is distinct from coalesce(o.previous, ${BEGINNING})
      or s.owners is distinct from o.owners or s.entries is distinct from o.entries
    order by 1`,
);

interface PageRow {
  readonly last_owner: string | null;
  readonly last_block: string | null;
  readonly faults: readonly PartFault[] | null;
}

interface PartFault {
  readonly owner_id: string;
  readonly block_no: string;
  /** Null if the chain itself is wrong. */
  readonly account_no: number | null;
  readonly first_version: string | null;
  readonly last_version: string | null;
}

/** Recomputes the sealed digests of these owners, or of all, from the current entries. Yields page by page. */
export async function* checkSealedEntries(
  sql: Sql,
  { owners, signal }: { owners?: readonly string[]; signal?: AbortSignal | undefined } = {},
): AsyncGenerator<LedgerFault[]> {
  for (let after = BEGINNING_OF_CHAINS; ;) {
    signal?.throwIfAborted();
    const [page]: PageRow[] = owners
      ? await execute(sql, CHECK_PAGE_OF, { ...after, owners })
      : await execute(sql, CHECK_PAGE, after);
    yield (page!.faults ?? []).map(faultOf);
    if (page!.last_owner === null) return;
    after = { afterOwner: page!.last_owner, afterBlock: page!.last_block! };
  }
}

/**
 * Checks the chain of blocks against the digests of their owners, for all blocks or for one of seven slices plus
 * everything after a block. Checks every head against the archive outside the database.
 */
export async function checkBlocks(
  sql: Sql,
  archived: ArchivedSeals,
  { slice, after }: { slice: number; after: number } | { slice: null; after: 0 } = { slice: null, after: 0 },
): Promise<LedgerFault[]> {
  const wrong = await execute(sql, WRONG_BLOCKS, { slice, after });
  const heads = await readHeads(sql);
  return [
    ...wrong.map(({ block_no, expected, found }) => blockFault('seal-block', block_no, expected, found)),
    ...gaps(heads),
    ...differences(heads, archived.heads),
    ...archived.odd.map(({ reconciliation: { id, firstBlock, lastBlock }, why }) =>
      blockFault(
        'seal-reconciliation',
        `${firstBlock} to ${lastBlock}, ${id}`,
        'the same in archive and database',
        why,
      ),
    ),
  ];
}

function gaps(heads: readonly SealHead[]): LedgerFault[] {
  const index = heads.findIndex((head, position) => head.blockNo !== position + 1);
  return index === -1 ? [] : [blockFault('seal-block', index + 1, 'a block', 'none')];
}

function differences(heads: readonly SealHead[], archived: readonly SealHead[]): LedgerFault[] {
  const inDatabase = new Map(heads.map((head) => [head.blockNo, textOf(head)]));
  const faults = archived
    .filter((head) => inDatabase.get(head.blockNo) !== textOf(head))
    .map((head) =>
      blockFault('seal-archive', head.blockNo, textOf(head), inDatabase.get(head.blockNo) ?? 'no such block'),
    );
  const kept = new Set(archived.map((head) => head.blockNo));
  const missing = heads
    .filter((head) => !kept.has(head.blockNo))
    .map((head) => blockFault('seal-archive', head.blockNo, textOf(head), 'not in the archive'));
  return [...faults, ...missing];
}

function textOf({ digest, sealedAt, owners, entries }: SealHead): string {
  return `${digest} of ${sealedAt}, ${owners} owners, ${entries} entries`;
}

function blockFault(check: string, blockNo: string | number, expected: string, found: string): LedgerFault {
  return { check, ownerId: NOBODY, subject: `block ${blockNo}`, expected, found };
}

function faultOf(row: PartFault): LedgerFault {
  const { owner_id: ownerId, block_no: blockNo, account_no: accountNo } = row;
  if (accountNo === null) {
    const expected = 'the digest of its parts, after the block before';
    return { check: 'seal-owner', ownerId, subject: `block ${blockNo}`, expected, found: 'another' };
  }
  const versions = `${ledgerAccountName(accountNo)} versions ${row.first_version} to ${row.last_version}`;
  const subject = `${versions}, block ${blockNo}`;
  return { check: 'seal-entries', ownerId, subject, expected: 'the entries that were sealed', found: 'others' };
}
