import { execute, type NoParams, type Sql, statement } from '../../../db/sql.js';

/** What the database holds. */
export interface BackupFacts {
  readonly accounts: number;
  readonly videos: number;
  readonly postings: number;
  readonly entries: number;
  readonly sealedBlocks: number;
  /** Names, in order. */
  readonly migrations: readonly string[];
}

type Counts = Record<Exclude<keyof BackupFacts, 'migrations' | 'sealedBlocks'> | 'sealed_blocks', string>;

const COUNTS = statement<NoParams, Counts>(
  'backup-counts',
  `
    select (select count(*) from account) as accounts, (select count(*) from video) as videos,
      (select count(*) from ledger_tx) as postings, (select count(*) from ledger_entry) as entries,
      (select coalesce(max(block_no), 0) from ledger_seal) as sealed_blocks`,
);

const MIGRATIONS = statement<NoParams, { name: string }>(
  'backup-migrations',
  'select name from mikro_orm_migrations order by id',
);

export async function readBackupFacts(sql: Sql): Promise<BackupFacts> {
  const [counts] = await execute(sql, COUNTS);
  const migrations = (await execute(sql, MIGRATIONS)).map(({ name }) => name);
  const { accounts, videos, postings, entries, sealed_blocks: sealedBlocks } = counts!;
  return {
    accounts: Number(accounts),
    videos: Number(videos),
    postings: Number(postings),
    entries: Number(entries),
    sealedBlocks: Number(sealedBlocks),
    migrations,
  };
}

/** What the books of a restored database have less of than the backup counted: one line each. Books only grow. */
export function lostSince(backup: BackupFacts, restored: BackupFacts): string[] {
  return (['postings', 'entries', 'sealedBlocks'] as const)
    .filter((what) => restored[what] < backup[what])
    .map((what) => `${what}: ${restored[what]}, and the backup counted ${backup[what]}`);
}
