import { LEDGER_ACCOUNTS } from './ledgerAccounts.js';
import type { LedgerCheck } from './verify.js';

/** Corrections by staff: each posting has its row with who asked and who approved, and the other way round. */
export const ADJUSTMENT_CHECKS: readonly LedgerCheck[] = [
  {
    name: 'adjustment',
    text: `
      select coalesce(p.owner_id, a.account_id) as owner_id, coalesce(p.idempotency_key, a.id::text) as subject,
        coalesce('a correction of ' || a.amount_micros, 'no posting') as expected,
        coalesce('a posting of ' || p.amount, 'none') as found
      from (
        select t.owner_id, t.tx_id, t.idempotency_key, -e.delta as amount
        from ledger_tx t left join ledger_entry e on e.owner_id = t.owner_id and e.tx_id = t.tx_id
          and e.account_no = ${LEDGER_ACCOUNTS.ADJUSTMENT}
        where t.type = 'ADJUSTMENT' and starts_with(t.idempotency_key, 'adjustment:support:')
      ) p full join (select * from adjustment where status in ('posted', 'approved')) a
        on a.account_id = p.owner_id and a.tx_id = p.tx_id
      where a.amount_micros is distinct from p.amount`,
  },
];
