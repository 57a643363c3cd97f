import { type Database, type NoParams, execute, type Sql, statement } from '../../../db/sql.js';
import type { SealHead } from '../../../ports/sealArchive.js';
import { AFTER_LAST_OWNER } from '../ownersAfter.js';
import { BEGINNING, blockDigest, ownerDigest, PART_DIGEST } from './sealBytes.js';
import { headOf, type HeadRow } from './sealHeads.js';

const OWNERS_PER_PAGE = 1000;
/** Limits the input of one digest. An owner with more entries is sealed over several blocks of one run. */
const ENTRIES_PER_PART = 10_000;
/** A block's digest takes 48 bytes per owner in one go. */
const OWNERS_PER_BLOCK = 500_000;

/** A run sees, and so seals, the database as it was when the run began. */
const ONE_SNAPSHOT = statement('seal-snapshot', 'set transaction isolation level repeatable read');

const UNHURRIED = statement(
  'seal-unhurried',
  `select set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true)`,
);

const BEGIN_RUN = statement<NoParams, { last_block: string; sealed_at: string }>(
  'seal-begin-run',
  `select coalesce(max(block_no), 0) as last_block, service_now() as sealed_at from ledger_seal`,
);

/** The owners after one, or from the first on. */
const OWNERS_IN_ORDER = `
  select owner_id, sum(version) as total from ledger_account
  where ${AFTER_LAST_OWNER}
  group by owner_id order by owner_id limit ${OWNERS_PER_PAGE}`;

/** Owners of whom an earlier block of this run has left entries over. */
const OWNERS_LEFT = `
  select owner_id, sum(version) as total from ledger_account
  where owner_id = any (:owners::uuid[]) group by owner_id`;

const SEAL_PAGE = sealPage<{ blockNo: number; lastOwner: string | null }>('seal-page', OWNERS_IN_ORDER);
const SEAL_LEFT = sealPage<{ blockNo: number; owners: readonly string[] }>('seal-left', OWNERS_LEFT);

/**
 * Seals one page of owners into a block. Versions are dense and only grow, so an owner has new entries exactly if the
 * sum of the account versions differs from the sealed sum; no entry is read to find out. In every snapshot, an
 * account's entries run up to its version.
 */
function sealPage<Params extends { blockNo: number }>(name: string, owners: string) {
  return statement<Params, PageRow>(
    name,
    `
    with page as materialized (${owners}), changed as materialized (
      select p.owner_id, coalesce(s.digest, ${BEGINNING}) as previous, s.accounts, s.versions
      from page p left join lateral (
        select digest, accounts, versions, version_total from ledger_seal_owner s
        where s.owner_id = p.owner_id order by s.block_no desc limit 1) s on true
      where p.total <> coalesce(s.version_total, 0)
    ), span as materialized (
      select c.owner_id, c.previous, a.account_no, a.version, coalesce(old.version, 0) as sealed,
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
      select owner_id, :blockNo::bigint, previous,
        ${ownerDigest({ previous: 'previous', owner: 'owner_id', block: ':blockNo::bigint', entries: 'sum(entries)::bigint' })},
        array_agg(account_no order by account_no), array_agg(upto order by account_no),
        array_agg(part order by account_no), sum(upto), sum(entries)
      from part group by owner_id, previous having sum(entries) > 0
      returning owner_id
    )
    select (select owner_id from page order by owner_id desc limit 1) as last_owner,
      (select count(*) from sealed) as owners,
      (select coalesce(json_agg(distinct s.owner_id), '[]') from span s join sealed using (owner_id)
        where s.upto < s.version) as left_over`,
  );
}

const CLOSE_BLOCK = statement<{ blockNo: number; sealedAt: string }, HeadRow>(
  'seal-close-block',
  `
    insert into ledger_seal (block_no, sealed_at, previous_digest, digest, owners, entries)
    select :blockNo::bigint, :sealedAt::timestamptz, p.digest, ${blockDigest({ previous: 'p.digest', block: ':blockNo::bigint', sealedAt: ':sealedAt::timestamptz' })},
      count(*), sum(o.entries)
    from ledger_seal_owner o, (select coalesce(
      (select digest from ledger_seal where block_no = :blockNo::bigint - 1), ${BEGINNING}) as digest) p
    where o.block_no = :blockNo::bigint
    group by p.digest
    returning block_no, encode(digest, 'hex') as digest, sealed_at, owners, entries`,
);

interface PageRow {
  readonly last_owner: string | null;
  readonly owners: string;
  /** Owners with more new entries than one block takes. */
  readonly left_over: readonly string[];
}

/**
 * Seals everything posted before it began, in one block or as many as the numbers of owners and entries require. Later
 * postings belong to the next run, so every run ends. Returns no heads if nothing was new.
 *
 * Uses one transaction: a killed run has sealed nothing, and the next one seals everything. Call it under the sealing
 * lock. It takes no lock that a posting needs.
 */
export function sealUpToNow(db: Database, signal?: AbortSignal): Promise<SealHead[]> {
  return db.transaction(async ({ sql }) => {
    await execute(sql, ONE_SNAPSHOT);
    await execute(sql, UNHURRIED);
    const [begun] = await execute(sql, BEGIN_RUN);
    return new SealRun(sql, Number(begun!.last_block), begun!.sealed_at, signal).seal();
  });
}

class SealRun {
  private readonly heads: SealHead[] = [];
  private ownersInBlock = 0;

  constructor(
    private readonly sql: Sql,
    private lastBlock: number,
    private readonly sealedAt: string,
    private readonly signal: AbortSignal | undefined,
  ) {}

  async seal(): Promise<SealHead[]> {
    let left = await this.sealAllOwners();
    await this.closeBlock();
    while (left.length > 0) {
      left = await this.sealLeft(left);
      await this.closeBlock();
    }
    return this.heads;
  }

  private async sealAllOwners(): Promise<string[]> {
    const left: string[] = [];
    for (let lastOwner: string | null = null; ;) {
      const page: PageRow = await this.sealPage((blockNo) => execute(this.sql, SEAL_PAGE, { blockNo, lastOwner }));
      left.push(...page.left_over);
      if (page.last_owner === null) return left;
      lastOwner = page.last_owner;
    }
  }

  /** Seals what the previous block left over. An owner appears once per block, so each round makes another block. */
  private async sealLeft(owners: readonly string[]): Promise<string[]> {
    const left: string[] = [];
    for (let from = 0; from < owners.length; from += OWNERS_PER_PAGE) {
      const some = owners.slice(from, from + OWNERS_PER_PAGE);
      const page = await this.sealPage((blockNo) => execute(this.sql, SEAL_LEFT, { blockNo, owners: some }));
      left.push(...page.left_over);
    }
    return left;
  }

  private async sealPage(seal: (blockNo: number) => Promise<PageRow[]>): Promise<PageRow> {
    this.signal?.throwIfAborted();
    const [page] = await seal(this.lastBlock + 1);
    this.ownersInBlock += Number(page!.owners);
    if (this.ownersInBlock >= OWNERS_PER_BLOCK) await this.closeBlock();
    return page!;
  }

  private async closeBlock(): Promise<void> {
    if (this.ownersInBlock === 0) return;
    const [head] = await execute(this.sql, CLOSE_BLOCK, { blockNo: this.lastBlock + 1, sealedAt: this.sealedAt });
    this.heads.push(headOf(head!));
    this.lastBlock += 1;
    this.ownersInBlock = 0;
  }
}
