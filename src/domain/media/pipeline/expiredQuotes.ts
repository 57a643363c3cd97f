import { type Database, execute, statement } from '../../../db/sql.js';
import { NOW_ONCE } from '../../shared/clock/now.js';
import { LOWEST_ID } from '../../shared/ids.js';

const BATCH = 1_000;

interface Position {
  readonly expiresAt: string;
  readonly accountId: string;
  readonly id: string;
}

const BEFORE_ALL: Position = { expiresAt: '-infinity', accountId: LOWEST_ID, id: LOWEST_ID };

interface PageRow {
  expires_at: string;
  account_id: string;
  id: string;
  deleted: boolean;
}

/** A video that waits for credits is bought by its last quote, however old. A renewed quote has another time. */
const FORGET_PAGE = statement<Position & { keepDays: number }, PageRow>(
  'quote-forget-expired',
  `
    with page as (
      select account_id, id, expires_at from quote
      where expires_at < ${NOW_ONCE} - make_interval(days => :keepDays)
        and (expires_at, account_id, id) > (:expiresAt::timestamptz, :accountId::uuid, :id::uuid)
      order by expires_at, account_id, id limit ${BATCH}
    ), gone as (
      delete from quote q using page p
      where q.account_id = p.account_id and q.id = p.id
        and q.expires_at < service_now() - make_interval(days => :keepDays)
        and not exists (select from processing b where b.account_id = q.account_id and b.quote_id = q.id)
        and not exists (
          select from video v where v.account_id = q.account_id and v.id = q.video_id and v.auto_process and v.attempt = 0
            and (v.deleted_at is null or v.purge_after is not null))
      returning q.account_id, q.id
    )
    select p.expires_at, p.account_id, p.id, g.id is not null as deleted
    from page p left join gone g on g.account_id = p.account_id and g.id = p.id
    order by p.expires_at, p.account_id, p.id`,
);

/** Deletes quotes that expired without a purchase. What was bought keeps its quote: the books need it. */
export class ExpiredQuotes {
  /** What was bought stays, so each run continues where the last one ended. A new process begins with the oldest. */
  private after = BEFORE_ALL;

  constructor(
    private readonly deps: {
      readonly db: Database;
      /** How many days after its end a quote is kept. */
      readonly keepDays: number;
    },
  ) {}

  /** Runs nightly. @returns how many */
  async forget(signal?: AbortSignal): Promise<number> {
    for (let count = 0; ;) {
      const page = await execute(this.deps.db.sql, FORGET_PAGE, { ...this.after, keepDays: this.deps.keepDays });
      const last = page.at(-1);
      if (last === undefined) return count;
      count += page.filter((row) => row.deleted).length;
      this.after = { expiresAt: last.expires_at, accountId: last.account_id, id: last.id };
      signal?.throwIfAborted();
    }
  }
}
