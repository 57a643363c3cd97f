import { type NoParams, execute, type Sql, statement } from '../../../db/sql.js';
import type { SealHead } from '../../../ports/sealArchive.js';

export interface HeadRow {
  readonly block_no: string;
  readonly digest: string;
  readonly sealed_at: string;
  readonly owners: string;
  readonly entries: string;
}

const COLUMNS = `block_no, encode(digest, 'hex') as digest, sealed_at, owners, entries`;

const ALL_HEADS = statement<NoParams, HeadRow>('seal-heads', `select ${COLUMNS} from ledger_seal order by block_no`);

const LAST_HEAD = statement<NoParams, HeadRow>(
  'seal-last-head',
  `select ${COLUMNS} from ledger_seal order by block_no desc limit 1`,
);

/** The heads of all sealed blocks in the database: a few hundred a year. */
export async function readHeads(sql: Sql): Promise<SealHead[]> {
  return (await execute(sql, ALL_HEADS)).map(headOf);
}

export async function readLastHead(sql: Sql): Promise<SealHead | null> {
  const [row] = await execute(sql, LAST_HEAD);
  return row ? headOf(row) : null;
}

export function headOf(row: HeadRow): SealHead {
  return {
    blockNo: Number(row.block_no),
    digest: row.digest,
    sealedAt: row.sealed_at,
    owners: Number(row.owners),
    entries: Number(row.entries),
  };
}
