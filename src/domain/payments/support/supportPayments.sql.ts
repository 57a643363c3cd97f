import type { WebhookRow, SuspenseRow } from './supportPayments.views.js';
import { statement } from '../../../db/sql.js';
import { EVENT_COLUMNS } from '../inbox/inbox.sql.js';
import { ITEM_COLUMNS } from '../settlement/settleSuspense.js';
import { TOPUP_COLUMNS, type TopUpRow } from '../topUps/topUp.js';

export type Row = WebhookRow & { body: Buffer; facts: string | null };

export const LIST_EVENTS = statement<
  { status: string | null; provider: string | null; id: string | null; first: number },
  WebhookRow
>(
  'support-webhooks',
  `
    select ${EVENT_COLUMNS} from webhook_event
    where (:status::text is null or status = :status) and (:provider::text is null or provider = :provider) and (:id::uuid is null or id < :id)
    order by id desc limit :first`,
);

export const ONE_EVENT = statement<{ id: string }, Row>(
  'support-webhook',
  `select ${EVENT_COLUMNS}, body, facts::text as facts from webhook_event where id = :id`,
);

export const LIST_SUSPENSE = statement<{ all: boolean; id: string | null; first: number }, SuspenseRow>(
  'support-suspense',
  `
    select ${ITEM_COLUMNS} from suspense_item
    where (:all or status = 'open') and (:id::uuid is null or id < :id) order by id desc limit :first`,
);

export const LIST_MISSING = statement<{ id: string | null; first: number }, TopUpRow>(
  'support-webhook-missing',
  `
    select ${TOPUP_COLUMNS} from topup
    where webhook_missing_since is not null and (:id::uuid is null or id < :id) order by id desc limit :first`,
);
