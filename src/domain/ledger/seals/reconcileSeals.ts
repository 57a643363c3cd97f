import { type Database, type NoParams, execute, statement } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import type { SealArchive, SealHead, SealReconciliation } from '../../../ports/sealArchive.js';
import { recordAudit } from '../../shared/audit.js';
import { newId, SYSTEM_OWNER } from '../../shared/ids.js';
import { withProcessLock } from '../../shared/processLock.js';
import { checkedReason } from '../../shared/reason.js';
import { atOneInstant } from '../verify/verify.js';
import { checkBlocks, checkSealedEntries } from './sealChecks.js';
import { readHeads } from './sealHeads.js';
import { digestOf, insertReconciliation, readArchive, type ArchivedSeals } from './reconciliations.js';

/** Seals that are in the archive but missing from the database, as after restoring an old backup. */
export interface LostSeals {
  /** Such as `12-15`, or `none` if archive and database agree on all blocks. */
  readonly blocks: string;
  readonly lost: readonly SealHead[];
  /** Blocks of the database with the numbers of lost ones, or later numbers. */
  readonly instead: readonly SealHead[];
  /** Earlier reconciliations that are missing from the database after a restore, or not yet in the archive. */
  readonly unfinished: readonly SealReconciliation[];
}

const NOW = statement<NoParams, { now: number }>(
  'seal-reconcile-now',
  'select extract(epoch from service_now())::float8 as now',
);

/** Lets a person acknowledge what a restore lost: once, and for exactly the named blocks. */
export class SealReconciler {
  constructor(private readonly deps: { readonly db: Database; readonly archive: SealArchive }) {}

  async find(): Promise<LostSeals> {
    const { sql } = this.deps.db;
    return lostSeals(await readHeads(sql), await readArchive(sql, this.deps.archive, { finished: true }));
  }

  /**
   * Gives up the lost blocks permanently, in the database and in the archive. New blocks continue from the remaining
   * ones.
   *
   * If it is killed halfway, run the same command again to finish.
   *
   * @param blocks as returned by `find`, so that exactly what was shown is given up
   * @throws INVALID_STATE if other blocks or no blocks are lost, or if the remaining books are faulty; INVALID_INPUT
   * for a bad reason
   */
  async reconcile(blocks: string, reason: string): Promise<LostSeals> {
    const checked = checkedReason(reason);
    const { db, archive } = this.deps;
    return withProcessLock(db, 'seals', async () => {
      const found = await this.find();
      if (found.blocks !== blocks) {
        throw new AppError('INVALID_STATE', `The lost blocks are ${found.blocks}, not ${blocks}.`);
      }
      if (found.lost.length + found.unfinished.length === 0) {
        throw new AppError('INVALID_STATE', 'The archive and the database agree: there is nothing to give up.');
      }
      await this.refuseWrongBooks();
      const [clock] = await execute(db.sql, NOW);
      const added = found.lost.length === 0 ? null : reconciliationOf(found, checked, clock!.now);
      await db.transaction(async (tx) => {
        const { sql } = tx;
        const { odd } = await readArchive(sql, archive);
        for (const { reconciliation, why } of odd) {
          if (why === 'not in the database') await insertReconciliation(sql, reconciliation);
        }
        if (added) await insertReconciliation(sql, added);
        await recordAudit(tx, {
          accountId: SYSTEM_OWNER,
          actorId: null,
          action: 'ledger.reconcile_seals',
          subject: `blocks ${blocks}`,
          reason: checked,
          details: { ...added, unfinished: found.unfinished.map(({ id }) => id) },
        });
      });
      const { odd } = await readArchive(db.sql, archive);
      for (const { reconciliation, why } of odd) {
        if (why === 'not in the archive') await archive.append({ reconciliation });
      }
      const { heads } = await readArchive(db.sql, archive);
      const kept = new Set(heads.map((head) => head.blockNo));
      for (const head of await readHeads(db.sql)) if (!kept.has(head.blockNo)) await archive.append({ head });
      return found;
    });
  }

  /** A restore loses what is new and does not change the rest. If the rest is faulty, it was not a restore. */
  private async refuseWrongBooks(): Promise<void> {
    const fault = await atOneInstant(this.deps.db, async (sql) => {
      const [wrongBlock] = await checkBlocks(sql, { heads: await readHeads(sql), odd: [] });
      if (wrongBlock) return wrongBlock;
      for await (const [wrongEntry] of checkSealedEntries(sql)) if (wrongEntry) return wrongEntry;
      return null;
    });
    if (fault === null) return;
    const { check, subject } = fault;
    throw new AppError('INVALID_STATE', `What is left in the database fails verification (${check}, ${subject}).`);
  }
}

function lostSeals(heads: readonly SealHead[], archived: ArchivedSeals): LostSeals {
  const inDatabase = new Map(heads.map((head) => [head.blockNo, head.digest]));
  const firstLost = archived.heads
    .filter(({ blockNo, digest }) => inDatabase.get(blockNo) !== digest)
    .reduce((first, { blockNo }) => Math.min(first, blockNo), Number.POSITIVE_INFINITY);
  // Everything from there on: a block contains the previous digest, so no block after a lost one is valid.
  const lost = archived.heads.filter(
    ({ blockNo, digest }) => blockNo >= firstLost && inDatabase.get(blockNo) !== digest,
  );
  const lastLost = lost.reduce((last, { blockNo }) => Math.max(last, blockNo), 0);
  const unfinished = archived.odd.filter(({ why }) => why === 'not in the archive' || why === 'not in the database');
  return {
    blocks: lost.length === 0 ? 'none' : `${firstLost}-${lastLost}`,
    lost: archived.heads.filter(({ blockNo }) => blockNo >= firstLost && blockNo <= lastLost),
    instead: heads.filter(({ blockNo }) => blockNo >= firstLost),
    unfinished: unfinished.map(({ reconciliation }) => reconciliation),
  };
}

function reconciliationOf({ blocks, lost }: LostSeals, reason: string, nowSeconds: number): SealReconciliation {
  const [firstBlock, lastBlock] = blocks.split('-').map(Number);
  return {
    id: newId(),
    firstBlock: firstBlock!,
    lastBlock: lastBlock!,
    digest: digestOf(lost),
    reason,
    reconciledAt: new Date(Math.floor(nowSeconds * 1000)).toISOString(),
  };
}
