import { statement } from '../../../db/sql.js';

export interface StaffViewRow {
  readonly account_id: string;
  readonly id: string;
  readonly ends_at: string;
  readonly seconds_left: number;
}

const COLUMNS = `account_id, id, ends_at,
  greatest(0, ceil(extract(epoch from ends_at - service_now())))::integer as seconds_left`;

/** The view that a session is in, also when its time is over: the session is in it until somebody goes back. */
export const VIEW_OF_SESSION = statement<{ sessionId: string }, StaffViewRow>(
  'staff-view-of-session',
  `select ${COLUMNS} from staff_view where session_id = :sessionId and ended_at is null`,
);

/** Returns no row if the session is in a view already. */
export const BEGIN_VIEW = statement<
  { accountId: string; id: string; staffId: string; sessionId: string; seconds: number },
  StaffViewRow
>(
  'staff-view-begin',
  `
    insert into staff_view (account_id, id, staff_id, session_id, started_at, ends_at)
    select :accountId, :id, :staffId, :sessionId, clock.now, clock.now + make_interval(secs => :seconds)
    from (select service_now() as now) clock
    on conflict (session_id) where ended_at is null do nothing
    returning ${COLUMNS}`,
);

export const END_VIEW = statement<{ accountId: string; id: string }>(
  'staff-view-end',
  `
    update staff_view set ended_at = service_now()
    where account_id = :accountId and id = :id and ended_at is null
    returning id`,
);
