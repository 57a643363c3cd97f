import { statement } from '../../../db/sql.js';
import { NOW_ONCE } from '../clock/now.js';
import { microsOf, timeOf } from '../micros.js';
import type { EventType } from './eventTypes.js';

/** How many days events are kept, unless a setting says otherwise. */
export const EVENT_DAYS = 90;
/** Facts are kept longer than events, which expire by whole months, so a fact never disappears before its event. */
const FACT_DAYS_MORE = 31;
export const FORGET_BATCH = 5_000;

export interface EventRow {
  id: string;
  seq: string;
  type: EventType;
  version: number;
  created_at: string;
  livemode: boolean;
  data: Record<string, unknown>;
}

interface Kept {
  /** How many days events are kept. */
  keepDays: number;
}

interface Page extends Kept {
  accountId: string;
  /** The sequence number to continue after; `null` starts at the beginning. */
  after: string | null;
  types: readonly EventType[] | null;
  first: number;
}

export const NUMBER_BATCH = 5_000;

/** Assigns sequence numbers to up to NUMBER_BATCH of the account's committed events, the oldest first. */
export const NUMBER = statement<{ accountId: string }, { numbered: number }>(
  'event-number-batch',
  'select number_event_batch(:accountId) as numbered',
);

/** All events of an account have its mode, so a statement looks once. */
const LIVEMODE = 'not exists (select from test_account t where t.account_id = :accountId) as livemode';

const PAGE_COLUMNS = `
  select id, seq, type, version, created_at, ${LIVEMODE}, data from event
  where account_id = :accountId and seq is not null and created_at > service_now() - make_interval(days => :keepDays)
    and (:types::text[] is null or type = any (:types))`;

export const OLDEST_FIRST = statement<Page, EventRow>(
  'event-oldest-first',
  `${PAGE_COLUMNS} and seq > coalesce(:after::bigint, 0) order by seq limit :first`,
);

export const NEWEST_FIRST = statement<Page, EventRow>(
  'event-newest-first',
  `${PAGE_COLUMNS} and seq < coalesce(:after::bigint, 9223372036854775807) order by seq desc limit :first`,
);

export const NEWEST_SEQ = statement<{ accountId: string }, { last_seq: string }>(
  'event-newest-seq',
  'select last_seq from event_count where account_id = :accountId',
);

export const FIND = statement<Kept & { accountId: string; id: string }, EventRow>(
  'event-find',
  `select id, coalesce(seq, 0) as seq, type, version, created_at, ${LIVEMODE}, data from event
   where account_id = :accountId and id = :id and created_at > service_now() - make_interval(days => :keepDays)`,
);

/** What happened to a video by itself before a moment, newest first. `video_change` has what was done to it. */
export const OF_VIDEO = statement<
  Kept & { accountId: string; videoId: string; beforeMicros: string; first: number },
  { id: string; type: EventType; at_micros: string }
>(
  'event-of-video',
  `
    select id, type, ${microsOf('created_at')} as at_micros from event
    where account_id = :accountId and data ->> 'uuid' = :videoId and type like 'video.%'
      and type not in ('video.uploaded', 'video.deleted', 'video.restored')
      and created_at < ${timeOf(':beforeMicros')} and created_at > service_now() - make_interval(days => :keepDays)
    order by created_at desc, id desc limit :first`,
);

/** Creates the partitions of the coming months, and drops expired ones. */
export const KEEP_MONTHS = statement<Kept, { changes: number }>(
  'event-keep-months',
  'select keep_event_months(:keepDays) as changes',
);

/** Lets events of these types be written again for facts that already have one. */
export const FORGET_TOLD = statement<{ accountId: string; types: readonly EventType[] }>(
  'event-forget-told',
  `delete from event_fact where account_id = :accountId and split_part(fact, ':', 1) = any (:types::text[])`,
);

export const FORGET_FACTS = statement<Kept, { forgotten: number }>(
  'event-forget-facts',
  `delete from event_fact where (account_id, fact) in (
     select account_id, fact from event_fact where created_at < ${NOW_ONCE} - make_interval(days => :keepDays::integer + ${FACT_DAYS_MORE})
     order by created_at limit ${FORGET_BATCH})
   returning 1 as forgotten`,
);

/** Writes events in the given order. */
export const APPEND = statement<{
  accountIds: readonly string[];
  types: readonly EventType[];
  versions: readonly number[];
  facts: readonly string[];
  data: readonly string[];
}>(
  'event-append',
  `select append_event(e.account_id, e.type, e.version, e.fact, e.data)
   from unnest(:accountIds::uuid[], :types::text[], :versions::smallint[], :facts::text[], :data::jsonb[])
     with ordinality e (account_id, type, version, fact, data, n)
   order by e.n`,
);
