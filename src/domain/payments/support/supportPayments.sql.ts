import type { Statement } from '../../../db/sql.js';
import { EVENT_COLUMNS } from '../inbox/inbox.sql.js';
import { ITEM_COLUMNS } from '../settlement/settleSuspense.js';
import { TOPUP_COLUMNS } from '../topUps/topUp.js';

export const LIST_EVENTS: Statement = {
  name: 'support-webhooks',
  text: `
    select ${EVENT_COLUMNS} from webhook_event
    where ($1::text is null or status = $1) and ($2::text is null or provider = $2) and ($3::uuid is null or id < $3)
    order by id desc limit $4`,
};

export const ONE_EVENT: Statement = {
  name: 'support-webhook',
  text: `select ${EVENT_COLUMNS}, body, facts::text as facts from webhook_event where id = $1`,
};

export const LIST_SUSPENSE: Statement = {
  name: 'support-suspense',
  text: `
    select ${ITEM_COLUMNS} from suspense_item
    where ($1 or status = 'open') and ($2::uuid is null or id < $2) order by id desc limit $3`,
};

export const LIST_MISSING: Statement = {
  name: 'support-webhook-missing',
  text: `
    select ${TOPUP_COLUMNS} from topup
    where webhook_missing_since is not null and ($1::uuid is null or id < $1) order by id desc limit $2`,
};
