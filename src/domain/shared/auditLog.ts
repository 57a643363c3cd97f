import { type Database, execute, statement } from '../../db/sql.js';
import { AppError } from '../../errors.js';
import { isUuid } from './ids.js';
import { microsOf, timeOf } from './micros.js';

/** One line of the audit trail. */
export interface AuditLine {
  readonly id: string;
  readonly accountId: string;
  /** `null` for the command line. */
  readonly actorId: string | null;
  readonly actorEmail: string | null;
  readonly action: string;
  readonly subject: string;
  readonly reason: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
  /** Its position in the trail, for the next page. */
  readonly cursor: string;
}

/** `null` does not filter. */
export interface AuditFilter {
  readonly accountId: string | null;
  /** An action, such as "wallet.adjust", or the first word of several: "wallet". */
  readonly action: string | null;
}

interface AuditRow {
  id: string;
  account_id: string;
  actor_id: string | null;
  actor_email: string | null;
  action: string;
  subject: string;
  reason: string;
  details: Record<string, unknown>;
  created_at: string;
}

const COLUMNS = `e.id, e.account_id, e.actor_id, u.email as actor_email, e.action, e.subject, e.reason, e.details,
  e.created_at from audit_entry e left join auth."user" u on u.id = e.actor_id`;

const OF_ACTION = `(:action::text is null or e.action = :action or starts_with(e.action, :action || '.'))`;

/** Where a page begins. */
interface AfterLine {
  readonly afterTime: string;
  readonly afterAccount: string;
  readonly afterId: string;
}

interface AuditPage extends Omit<AfterLine, 'afterAccount'> {
  readonly first: number;
  readonly action: string | null;
}

const OF_ONE = statement<AuditPage & { accountId: string }, AuditRow>(
  'audit-of-one-account',
  `
    select ${COLUMNS}
    where e.account_id = :accountId and (e.created_at, e.id) < (:afterTime::timestamptz, :afterId::uuid)
      and ${OF_ACTION}
    order by e.created_at desc, e.id desc limit :first`,
);

const OF_ALL = statement<AuditPage & AfterLine, AuditRow>(
  'audit-of-all-accounts',
  `
    select ${COLUMNS}
    where (e.created_at, e.account_id, e.id) < (:afterTime::timestamptz, :afterAccount::uuid, :afterId::uuid) and ${OF_ACTION}
    order by e.created_at desc, e.account_id desc, e.id desc limit :first`,
);

/** What was done to a video before a moment, newest first. */
export const AUDIT_OF_VIDEO = statement<
  { accountId: string; videoId: string; beforeMicros: string; first: number },
  { id: string; action: string; at_micros: string }
>(
  'audit-of-video',
  `
    select id, action, ${microsOf('created_at')} as at_micros from audit_entry
    where account_id = :accountId and subject = :videoId and action like 'video.%'
      and created_at < ${timeOf(':beforeMicros')}
    order by created_at desc, id desc limit :first`,
);

const LAST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const NEWEST: AfterLine = { afterTime: 'infinity', afterAccount: LAST_UUID, afterId: LAST_UUID };
const TIME = /^[0-9: .+-]{19,40}$/;

/** Reads staff actions, newest first, at most `first`. */
export async function readAuditLog(
  db: Database,
  { accountId, action }: AuditFilter,
  page: { first: number; after: string | null },
): Promise<AuditLine[]> {
  if (accountId !== null && !isUuid(accountId)) return [];
  const asked = { ...(page.after === null ? NEWEST : parseCursor(page.after)), first: page.first, action };
  const rows =
    accountId === null ? await execute(db.sql, OF_ALL, asked) : await execute(db.sql, OF_ONE, { ...asked, accountId });
  return rows.map(lineOf);
}

function lineOf(row: AuditRow): AuditLine {
  return {
    id: row.id,
    accountId: row.account_id,
    actorId: row.actor_id,
    actorEmail: row.actor_email,
    action: row.action,
    subject: row.subject,
    reason: row.reason,
    details: row.details,
    createdAt: new Date(row.created_at),
    // PostgreSQL's text keeps the microseconds that a Date would lose.
    cursor: Buffer.from(`${row.created_at}_${row.account_id}_${row.id}`).toString('base64url'),
  };
}

function parseCursor(cursor: string): AfterLine {
  const parts = Buffer.from(cursor, 'base64url').toString().split('_');
  const [time = '', accountId = '', id = ''] = parts;
  const isOurs = parts.length === 3 && TIME.test(time) && !Number.isNaN(Date.parse(time)) && isUuid(accountId);
  if (!isOurs || !isUuid(id)) throw new AppError('INVALID_PARAMETER', 'after: invalid cursor.');
  return { afterTime: time, afterAccount: accountId, afterId: id };
}
