import { execute, type Sql, statement } from '../../db/sql.js';
import { LEDGER_ACCOUNTS } from './ledgerAccounts.js';

const { REVENUE_PROCESSING } = LEDGER_ACCOUNTS;

/** Walks the index of references once per video; a tx and its entries have the same time. */
const COSTS = statement<{ ownerId: string; videoIds: readonly string[] }, { video_id: string; cost: string }>(
  'ledger-video-costs',
  `
    select t.reference as video_id, sum(e.delta) as cost
    from unnest(:videoIds::text[]) wanted(reference)
      join ledger_tx t on t.owner_id = :ownerId and t.reference = wanted.reference and t.type = 'ESCROW_SETTLE'
      join ledger_entry e on e.owner_id = :ownerId and e.created_at = t.created_at and e.tx_id = t.tx_id
        and e.account_no = ${REVENUE_PROCESSING}
    group by t.reference`,
);

/** What all processing of each video was charged so far, in the order of the ids. */
export async function readVideoCosts(sql: Sql, ownerId: string, videoIds: readonly string[]): Promise<bigint[]> {
  const rows = await execute(sql, COSTS, { ownerId, videoIds });
  const costs = new Map(rows.map((row) => [row.video_id, BigInt(row.cost)]));
  return videoIds.map((id) => costs.get(id) ?? 0n);
}
