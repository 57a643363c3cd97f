import type { Sql, Statement } from '../../../db/sql.js';
import type { SealHead } from '../../../ports/sealArchive.js';

export interface HeadRow {
  readonly block_no: string;
  readonly digest: string;
  readonly sealed_at: string;
  readonly owners: string;
  readonly entries: string;
}

const COLUMNS = `block_no, encode(digest, 'hex') as digest, sealed_at, owners, entries`;

const ALL_HEADS: Statement = {
  name: 'seal-heads',
  text: `select ${COLUMNS} from ledger_seal order by block_no`,
};

const LAST_HEAD: Statement = {
  name: 'seal-last-head',
  text: `select ${COLUMNS} from ledger_seal order by block_no desc limit 1`,
};

/** The heads of all sealed blocks, as the database has them: a few hundred a year. */
export async function readHeads(sql: Sql): Promise<SealHead[]> {
  return (await sql.query<HeadRow>(ALL_HEADS)).map(headOf);
}

export async function readLastHead(sql: Sql): Promise<SealHead | null> {
  const [row] = await sql.query<HeadRow>(LAST_HEAD);
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
