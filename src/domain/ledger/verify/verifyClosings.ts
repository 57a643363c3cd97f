import { uuidIn, type TxForm } from './verifyForms.js';

const PREFIX = 'closing:lapsed:';

/** Credits that no payment stood for, which ended with their account. */
export const CLOSING_FORMS: readonly TxForm[] = [
  {
    name: 'closing-lapsed',
    applies: `t.type = 'ADJUSTMENT' and starts_with(t.key, '${PREFIX}')`,
    fact: `
      select c.lapsed_micros from account_closing c
      where c.account_id = t.owner_id and c.id = ${uuidIn(`substr(t.key, length('${PREFIX}') + 1)`)}
        and c.reopened_at is null and c.erase_after <= t.created_at`,
    moves: { MASTER: '-f.lapsed_micros', ADJUSTMENT: 'f.lapsed_micros' },
  },
];

export const CLOSING_CLAIMS = `
  select account_id as owner_id, '${PREFIX}' || id as key from fact_account_closing where lapsed_micros > 0`;
