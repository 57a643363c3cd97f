import { type NoParams, statement } from '../../../db/sql.js';
import type { AccountRole } from '../../accounts/account.entity.js';
import { balanceOf, SPENDABLE_NUMBERS } from '../../ledger/ledgerAccounts.js';
import { NOW_ONCE } from '../../shared/clock/now.js';

/** How long an owner can reopen a closed account. */
export const REOPEN_DAYS = 30;

export interface ClosingRow {
  account_id: string;
  id: string;
  closed_at: string;
  erase_after: string;
}

const COLUMNS = 'account_id, id, closed_at, erase_after';
const OPEN = 'reopened_at is null and erased_at is null';

export interface AccountToClose {
  id: string;
  role: AccountRole;
  suspended: boolean;
  email: string | null;
  test_account_id: string | null;
}

/** Suspending, creating keys and closing wait for this lock. */
export const LOCK_ACCOUNT = statement<{ accountId: string }, AccountToClose>(
  'closing-lock-account',
  `
    select a.id, a.role, a.suspended_at is not null as suspended, u.email,
      (select t.account_id from test_account t where t.live_account_id = a.id) as test_account_id
    from account a left join auth."user" u on u.id = a.id
    where a.id = :accountId for no key update of a`,
);

/** Returns no row if the account is closed already. */
export const INSERT = statement<{ accountId: string; id: string; reopenDays: number }, ClosingRow>(
  'closing-insert',
  `
    insert into account_closing (account_id, id, closed_at, erase_after)
    select :accountId, :id, t.now, t.now + make_interval(days => :reopenDays)
    from (select service_now() as now offset 0) t
    on conflict (account_id) where reopened_at is null do nothing
    returning ${COLUMNS}`,
);

/** Also by the id of the test account. */
export const FIND_OPEN = statement<{ accountId: string }, ClosingRow>(
  'closing-find',
  `
    select ${COLUMNS} from account_closing
    where account_id in (:accountId, (select live_account_id from test_account where account_id = :accountId)) and ${OPEN}`,
);

/** Returns no row if it is too late. */
export const REOPEN = statement<{ accountId: string }, ClosingRow>(
  'closing-reopen',
  `
    update account_closing set reopened_at = service_now()
    where account_id = :accountId and ${OPEN} and erase_after > service_now()
    returning ${COLUMNS}`,
);

/** Closings of one pass of the chore. */
export const BATCH = 100;

/**
 * SQL that takes a batch of the closings for which `due` holds, the longest untried first. So closings that have to wait,
 * however many, do not hold up the others.
 */
function take(triedAt: 'settle_tried_at' | 'erase_tried_at', due: string): string {
  return `
    update account_closing c set ${triedAt} = service_now()
    from (
      select account_id, id from account_closing where ${due}
      order by ${triedAt} nulls first, closed_at limit ${BATCH} for no key update skip locked
    ) taken
    where c.account_id = taken.account_id and c.id = taken.id
    returning c.account_id, c.id, c.closed_at, c.erase_after`;
}

/**
 * Closings that were never settled, and once an hour the others: a payment or the end of a dispute may still bring
 * credits.
 */
export const TAKE_UNSETTLED = statement<NoParams, ClosingRow>(
  'closing-take-unsettled',
  take('settle_tried_at', `${OPEN} and coalesce(settled_at < service_now() - interval '1 hour', true)`),
);

/** Whether there are credits in the wallet of a closing's account. */
const HAS_CREDITS = `exists (
        select from ledger_account l
        where l.owner_id = account_closing.account_id and l.account_no in (${SPENDABLE_NUMBERS}) and l.balance > 0)`;

/**
 * Closings of erased accounts to which something may be owed, once an hour: a refund failed, a checkout was paid or a
 * dispute was won after the erasure, or a payment is in suspense. Reads no others, however many accounts were erased.
 */
export const TAKE_OWED_AFTER_ERASURE = statement<NoParams, ClosingRow>(
  'closing-take-owed-after-erasure',
  take(
    'settle_tried_at',
    `
      (account_id, id) in (
        select account_id, id from account_closing where owed_at is not null and ${HAS_CREDITS}
        union all
        select c.account_id, c.id from suspense_item s join account_closing c on c.account_id = s.account_id
        where s.status = 'open' and c.erased_at is not null)
      and coalesce(settle_tried_at < service_now() - interval '1 hour', true)`,
  ),
);

/**
 * Forgets the marks of accounts without credits. A posting renews a mark that is older than an hour, so a mark of a day
 * ago hides no posting in progress.
 */
export const FORGET_UNOWED = statement(
  'closing-forget-unowed',
  `
    update account_closing set owed_at = null
    where owed_at < service_now() - interval '1 day' and not ${HAS_CREDITS}`,
);

/** Payments that could neither be credited nor refunded yet. */
export const IN_SUSPENSE = statement<{ accountId: string }, { provider: string; payment_id: string }>(
  'closing-in-suspense',
  `select provider, payment_id from suspense_item where account_id = :accountId and status = 'open'`,
);

export const SETTLED = statement<{ accountId: string; id: string }>(
  'closing-settled',
  `
    update account_closing set settled_at = service_now()
    where account_id = :accountId and id = :id and reopened_at is null`,
);

/**
 * Whether every day before the closing is charged. A refund before that would leave the charge unpaid. Nights that were
 * never begun, in a service that has none, are no reason to wait.
 */
export const IS_CHARGED = statement<{ accountId: string; id: string }, { charged: boolean }>(
  'closing-is-charged',
  `
    select not exists (select from storage_night) or exists (
      select from storage_night n join account_closing c on c.account_id = :accountId and c.id = :id
      where n.finished_at is not null and n.reversed_by is null and n.day >= (c.closed_at at time zone 'UTC')::date - 1
    ) as charged`,
);

/** What closing ends. */
export const EXTENT = statement<
  { accountIds: readonly string[] },
  { videos: string; bytes: string; keys: string; endpoints: string; jobs: string }
>(
  'closing-extent',
  `
    select
      (select count(*) from video where account_id = any (:accountIds::uuid[]) and deleted_at is null) as videos,
      (select coalesce(sum(size_bytes), 0) from stored_object
        where account_id = any (:accountIds::uuid[]) and removed_at is null) as bytes,
      (select count(*) from api_key where account_id = any (:accountIds::uuid[]) and revoked_at is null) as keys,
      (select count(*) from webhook_endpoint where account_id = any (:accountIds::uuid[])) as endpoints,
      (select count(*) from processing where account_id = any (:accountIds::uuid[]) and state in ('queued', 'running'))
        as jobs`,
);

export const HELD = statement<{ accountId: string }, { escrow: string }>(
  'closing-escrow',
  `select coalesce(${balanceOf(':accountId', 'ESCROW')}, 0)::text as escrow`,
);

/** Paid top-ups, newest first. */
export const PAID_TOPUPS = statement<{ accountId: string; after: string | null }, { id: string }>(
  'closing-topups',
  `
    select id from topup where account_id = :accountId and payment_id is not null and credited_at is not null
      and (:after::uuid is null or id < :after::uuid)
    order by id desc limit ${BATCH}`,
);

/** An operator need not wait. Returns no row if the account is not closed, or can no longer be reopened anyway. */
export const END_WAIT = statement<{ accountId: string }, ClosingRow>(
  'closing-end-wait',
  `
    update account_closing set erase_after = greatest(closed_at, service_now())
    where account_id = :accountId and ${OPEN} and erase_after > service_now()
    returning ${COLUMNS}`,
);

/** Closed accounts that can no longer be reopened. */
export const TAKE_DUE = statement<NoParams, ClosingRow>(
  'closing-take-due',
  take('erase_tried_at', `${OPEN} and erase_after <= ${NOW_ONCE}`),
);

export const LOCK_LAPSE = statement<{ accountId: string; id: string }, { lapsed_micros: string | null }>(
  'closing-lock-lapse',
  'select lapsed_micros from account_closing where account_id = :accountId and id = :id and erased_at is null for update',
);

export const LAPSED = statement<{ accountId: string; id: string; micros: string }>(
  'closing-lapsed',
  'update account_closing set lapsed_micros = :micros where account_id = :accountId and id = :id',
);

/** Videos that are not deleted for good. */
export const VIDEOS_LEFT = statement<
  { accountIds: readonly string[] },
  { account_id: string; id: string; in_bin: boolean }
>(
  'closing-videos-left',
  `
    select account_id, id, purge_after is not null as in_bin from video
    where account_id = any (:accountIds::uuid[]) and (deleted_at is null or purge_after is not null) limit ${BATCH}`,
);

/** Rows that one call changes of each table. */
const ROWS = 5_000;

export const ERASE_ROWS = statement<{ accountId: string }, { changed: number }>(
  'closing-erase-rows',
  `select erase_account_rows(:accountId, ${ROWS}) as changed`,
);

/** @returns what is still to be removed, such as `files`; null if it is done */
export const FINISH_ERASURE = statement<{ accountId: string }, { left_over: string | null }>(
  'closing-finish-erasure',
  'select finish_erasure(:accountId) as left_over',
);

/** By id or address. */
export const FIND_ACCOUNT = statement<
  { id: string | null; email: string },
  { id: string; email: string | null; role: AccountRole; erased: boolean }
>(
  'closing-find-account',
  `
    select a.id, u.email, a.role,
      exists (select from account_closing c where c.account_id = a.id and c.erased_at is not null) as erased
    from account a left join auth."user" u on u.id = a.id
    where case when :id::uuid is null then u.email = :email else a.id = :id::uuid end
      and not exists (select from test_account t where t.account_id = a.id)`,
);
