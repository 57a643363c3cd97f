import { createHash } from 'node:crypto';

import { type NoParams, execute, type Sql, statement } from '../../../db/sql.js';
import type { SealArchive, SealHead, SealReconciliation } from '../../../ports/sealArchive.js';

/** The archive after applying the reconciliations that the database confirms. */
export interface ArchivedSeals {
  /** The heads that were appended and not given up, in order. */
  readonly heads: readonly SealHead[];
  /** Reconciliations that only one of the two has, that differ, or that name other blocks than they claim. */
  readonly odd: readonly OddReconciliation[];
}

export interface OddReconciliation {
  readonly reconciliation: SealReconciliation;
  readonly why: 'not in the database' | 'not in the archive' | 'another in the database' | 'of other blocks';
}

const LIST = statement<NoParams, Row>(
  'seal-reconciliations',
  `
    select id, first_block, last_block, digest, reason, extract(epoch from reconciled_at)::float8 as reconciled_at
    from ledger_seal_reconciliation order by reconciled_at, id`,
);

const INSERT = statement<{
  id: string;
  firstBlock: number;
  lastBlock: number;
  digest: string;
  reason: string;
  reconciledAt: string;
}>(
  'seal-reconcile',
  `
    insert into ledger_seal_reconciliation (id, first_block, last_block, digest, reason, reconciled_at)
    values (:id, :firstBlock, :lastBlock, :digest, :reason, :reconciledAt)`,
);

interface Row {
  readonly id: string;
  readonly first_block: string;
  readonly last_block: string;
  readonly digest: string;
  readonly reason: string;
  readonly reconciled_at: number;
}

/**
 * Reads the archive. A reconciliation applies if the database has it too, and only if its digest matches the blocks it
 * names.
 *
 * @param finished assumes that both sides have the reconciliations that only one side has
 */
export async function readArchive(
  sql: Sql,
  archive: SealArchive,
  { finished = false }: { finished?: boolean } = {},
): Promise<ArchivedSeals> {
  const known = new Map((await execute(sql, LIST)).map((row) => [row.id, reconciliationOf(row)]));
  const odd: OddReconciliation[] = [];
  let heads: SealHead[] = [];
  const honour = (reconciliation: SealReconciliation): void => {
    const left = heads.filter((head) => !isIn(reconciliation)(head));
    if (digestOf(heads.filter(isIn(reconciliation))) === reconciliation.digest) heads = left;
    else odd.push({ reconciliation, why: 'of other blocks' });
  };
  for (const record of await archive.records()) {
    if ('head' in record) {
      heads.push(record.head);
      continue;
    }
    const { reconciliation } = record;
    const ours = known.get(reconciliation.id);
    known.delete(reconciliation.id);
    if (ours === undefined) odd.push({ reconciliation, why: 'not in the database' });
    else if (textOf(ours) !== textOf(reconciliation)) odd.push({ reconciliation, why: 'another in the database' });
    if (ours || finished) honour(reconciliation);
  }
  for (const reconciliation of known.values()) {
    odd.push({ reconciliation, why: 'not in the archive' });
    if (finished) honour(reconciliation);
  }
  return { heads, odd };
}

export async function insertReconciliation(sql: Sql, reconciliation: SealReconciliation): Promise<void> {
  const { id, firstBlock, lastBlock, digest, reason, reconciledAt } = reconciliation;
  await execute(sql, INSERT, { id, firstBlock, lastBlock, digest, reason, reconciledAt });
}

/** Identifies exactly these heads. */
export function digestOf(heads: readonly SealHead[]): string {
  const lines = heads.map(({ blockNo, digest, sealedAt, owners, entries }) =>
    JSON.stringify([blockNo, digest, sealedAt, owners, entries]),
  );
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}

function isIn({ firstBlock, lastBlock }: SealReconciliation): (head: SealHead) => boolean {
  return ({ blockNo }) => blockNo >= firstBlock && blockNo <= lastBlock;
}

function textOf({ id, firstBlock, lastBlock, digest, reason, reconciledAt }: SealReconciliation): string {
  return JSON.stringify([id, firstBlock, lastBlock, digest, reason, reconciledAt]);
}

function reconciliationOf(row: Row): SealReconciliation {
  return {
    id: row.id,
    firstBlock: Number(row.first_block),
    lastBlock: Number(row.last_block),
    digest: row.digest,
    reason: row.reason,
    reconciledAt: new Date(Math.round(row.reconciled_at * 1000)).toISOString(),
  };
}
