import { type NoParams, execute, type Sql, statement } from '../../../db/sql.js';

/** How far ahead a correct clock's times may be: only the time a statement takes. */
const PAST = `interval '5 minutes'`;

/** A table whose rows wait for a time, or are claimed by a worker. */
interface Waiting {
  readonly table: string;
  /** Limits the rows. Matches the condition of a partial index if there is one. */
  readonly where?: string;
  /**
   * The columns, each with the furthest that it is ever written ahead of the clock. A time further ahead is set to now,
   * or to `instead`.
   */
  readonly times: Readonly<Record<string, string | { readonly longest: string; readonly instead: string }>>;
}

/**
 * Every stored time that work waits for: due times, expiries, and start times that tell a live worker from a dead one.
 * Add new ones here, unless their reader already ignores times that are too far ahead.
 */
const WAITING: readonly Waiting[] = [
  {
    table: 'upload',
    where: 'finished_at is null',
    // The maximum of UPLOAD_EXPIRY_HOURS.
    times: { expires_at: { longest: `interval '30 days'`, instead: `t.now + interval '1 day'` } },
  },
  {
    table: 'video',
    where: `status = 'uploaded' and duration_ms is null and deleted_at is null`,
    times: { updated_at: PAST, measuring_since: PAST },
  },
  {
    table: 'video',
    where: `status = 'uploaded' and auto_process and attempt = 0 and duration_ms is not null and failure_code is null
      and deleted_at is null`,
    times: { updated_at: PAST },
  },
  {
    table: 'processing',
    where: `state in ('queued', 'running')`,
    times: { queued_at: PAST, updated_at: PAST, faulted_at: PAST },
  },
  { table: 'processing_chunk', where: `state = 'claimed'`, times: { reported_at: PAST } },
  { table: 'processing_chunk', where: 'sweep_after is not null', times: { sweep_after: `interval '1 day'` } },
  { table: 'processing_output', where: 'sweep_after is not null', times: { sweep_after: `interval '2 days'` } },
  { table: 'storage_night', where: 'measuring_since is not null', times: { measuring_since: PAST } },
  { table: 'referral_outbox', where: 'deliver_after is not null', times: { deliver_after: `interval '2 hours'` } },
  { table: 'notice', where: 'send_after is not null', times: { send_after: `interval '1 day'` } },
  {
    table: 'webhook_event',
    where: 'next_attempt_at is not null',
    // A webhook that waits for its payment backs off by as long as it has waited so far.
    times: { next_attempt_at: `greatest(interval '2 hours', t.now - w.received_at)` },
  },
  { table: 'refund_request', where: 'next_attempt_at is not null', times: { next_attempt_at: `interval '8 days'` } },
  {
    table: 'topup',
    where: 'next_check_at is not null',
    times: {
      next_check_at: `interval '1 hour'`,
      // Someone may be on its pay page.
      expires_at: { longest: `interval '2 days'`, instead: `t.now + interval '35 minutes'` },
    },
  },
  { table: 'playback_signing_key', times: { signs_from: `interval '1 hour'` } },
];

/** The tables of the payment sandbox, which production does not have. */
const IN_SANDBOX: readonly Waiting[] = [
  { table: 'payment_sandbox_webhook', where: 'due_at is not null', times: { due_at: `interval '1 day'` } },
];

/** The same for times set by the clock of the database's machine: the job queue, upload leases, and identity. */
const BY_MACHINE: readonly Waiting[] = [
  { table: 'upload', where: 'leased_until is not null', times: { leased_until: PAST } },
  {
    // Ten wrong codes lock two-factor authentication for 15 minutes.
    table: 'auth."twoFactor"',
    where: '"lockedUntil" is not null',
    times: { '"lockedUntil"': `interval '20 minutes'` },
  },
  {
    table: 'pgboss.version',
    times: { cron_on: PAST, bam_on: PAST, flow_on: PAST, monitor_backoff_on: `interval '1 day'` },
  },
  { table: 'pgboss.queue', times: { maintain_on: PAST, monitor_on: PAST, monitor_claim_on: PAST } },
  { table: 'pgboss.job', where: `state in ('created', 'retry')`, times: { start_after: `interval '1 day'` } },
  { table: 'pgboss.job', where: `state = 'active'`, times: { started_on: PAST, heartbeat_on: PAST } },
];

/** A clock that is behind makes correct times look ahead, so nothing is changed until it catches up. */
const NOW = `
  select clock.now from service_clock c cross join (select service_now() as now offset 0) clock
  where clock.now >= c.seen_at - ${PAST}`;
const MACHINE_NOW = 'select clock_timestamp() as now from service_time';

const MEND = mendAll('clock-mend-times', [
  ...WAITING.map((waiting) => mend(waiting, 'service_time')),
  ...BY_MACHINE.map((waiting) => mend(waiting, 'machine_time')),
]);
const MEND_SANDBOX = mendAll(
  'clock-mend-sandbox-times',
  IN_SANDBOX.map((waiting) => mend(waiting, 'service_time')),
);
const HAS_SANDBOX = statement<NoParams, { has_sandbox: boolean }>(
  'clock-has-sandbox',
  `select to_regclass('public.payment_sandbox_webhook') is not null as has_sandbox`,
);

function mendAll(name: string, updates: readonly string[]) {
  return statement<NoParams, { mended: number }>(
    name,
    `
      with service_time as materialized (${NOW}), machine_time as materialized (${MACHINE_NOW}),
        ${updates.map((update, nth) => `m${nth} as (${update} returning 1)`).join(', ')}
      select (${updates.map((_, nth) => `(select count(*) from m${nth})`).join(' + ')})::integer as mended`,
  );
}

function mend({ table, where, times }: Waiting, clock: string): string {
  const columns = Object.entries(times).map(([column, time]) => {
    const { longest, instead } = typeof time === 'string' ? { longest: time, instead: 't.now' } : time;
    return { column, instead, isAhead: `w.${column} > t.now + ${longest}` };
  });
  const set = columns.map(
    ({ column, instead, isAhead }) => `${column} = case when ${isAhead} then ${instead} else w.${column} end`,
  );
  return `update ${table} w set ${set.join(', ')} from ${clock} t
    where ${where === undefined ? '' : `(${where}) and `}(${columns.map(({ isAhead }) => isAhead).join(' or ')})`;
}

/**
 * Pulls back times that a fast clock set too far ahead, so that nothing waits for a date the clock only showed by
 * mistake. Changes nothing otherwise. @returns the number of rows changed.
 */
export async function mendTimesAhead(sql: Sql): Promise<number> {
  const [ours] = await execute(sql, MEND);
  const [sandbox] = await execute(sql, HAS_SANDBOX);
  if (!sandbox!.has_sandbox) return ours!.mended;
  const [sandboxes] = await execute(sql, MEND_SANDBOX);
  return ours!.mended + sandboxes!.mended;
}
