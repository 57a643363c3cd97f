import pg from 'pg';

/** A moment before now. */
const ago = (interval: string): string => `now() - interval '${interval}'`;

/**
 * What a service keeps and no chore has to do with yet, or any more: `rows` of each kind. Written without triggers, because
 * it is about how much is there, not about how it came about.
 */
export async function writeHistory(url: string, rows: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('set session_replication_role = replica');
    await client.query(
      `create temporary table n as
       select n, gen_random_uuid() as account, gen_random_uuid() as test, gen_random_uuid() as id, md5(n::text) || md5(n::text) as hash
       from generate_series(1, ${rows}) n`,
    );
    for (const text of [...ACCOUNTS, ...VIDEOS, ...MONEY, ...MESSAGES]) await client.query(text);
    await client.query('set session_replication_role = origin');
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
}

const ACCOUNTS = [
  `insert into account (id, created_at) select unnest(array[account, test]), ${ago('400 days')} from n`,
  `insert into test_account (account_id, live_account_id, created_at) select test, account, ${ago('300 days')} from n`,
  // Clocks that were moved long ago.
  `insert into test_fault (account_id, subject_id, fault, seconds, created_at)
   select test, gen_random_uuid(), 'CLOCK_MOVED', 86400, ${ago('30 days')} from n`,
  `insert into auth.session (id, "expiresAt", token, "createdAt", "updatedAt", "userId")
   select gen_random_uuid(), now() + interval '1 day', hash, now(), now(), account from n`,
  `insert into account_closing (account_id, id, closed_at, erase_after, settled_at, erased_at)
   select account, id, ${ago('90 days')}, ${ago('60 days')}, ${ago('89 days')}, ${ago('60 days')} from n`,
];

/** Bought and ready; in the bin; deleted for good long ago; of test accounts: of today, and deleted a week ago. */
const VIDEOS = [
  `insert into video (account_id, id, title, status, attempt, duration_ms, source_key, is_test, created_at, deleted_at, purge_after)
   select case when is_test then test else account end, gen_random_uuid(), 'Video ' || n, 'ready', 1, 1000, 'sources/x', is_test,
     now() - age, now() - deleted, now() + purge
   from n cross join (values
     (false, interval '100 days', null::interval, null::interval),
     (false, interval '100 days', interval '1 day', interval '6 days'),
     (false, interval '200 days', interval '100 days', null),
     (true, interval '1 day', null, null),
     (true, interval '20 days', interval '10 days', null)) kind (is_test, age, deleted, purge)`,
  // Never bought, and deleted: forgotten after a month.
  `insert into video (account_id, id, title, status, created_at, deleted_at)
   select account, gen_random_uuid(), 'Video', 'uploaded', ${ago('20 days')}, ${ago('10 days')} from n`,
  `insert into upload (account_id, video_id, id, size_bytes, created_at, expires_at, finished_at)
   select account_id, id, id::text, 5, created_at, created_at, created_at from video`,
  `insert into quote (account_id, id, video_id, quality, branding, encryption, duration_ms, lines, total_micros, created_at, expires_at)
   select account_id, gen_random_uuid(), id, '480p', true, false, 1000, '[]', 5, now(), now() + interval '1 day' from video`,
  `insert into processing (account_id, video_id, attempt, quote_id, quality, price_micros, state, queued_at, updated_at,
     finished_at, brand_version)
   select account_id, id, 1, gen_random_uuid(), '480p', 5, 'succeeded', created_at, created_at, created_at, 1
   from video where attempt = 1`,
  `insert into processing_output (account_id, video_id, attempt, run, prefix, created_at)
   select account_id, id, 1, 1, 'videos/' || id || '/', created_at from video where attempt = 1`,
  `insert into stored_object (account_id, key, video_id, size_bytes, stored_at, removed_at, swept_at)
   select account_id, 'sources/' || id, id, 5, created_at, deleted_at, deleted_at from video`,
  `insert into video_change (account_id, video_id, fact, kind, actor, created_at)
   select account_id, id, 'video.details:1', 'video.details', 'owner', ${ago('5 days')} from video`,
  `insert into brand_logo (account_id, sha256, png, width, height, created_at)
   select account, hash, 'x', 10, 10, ${ago('200 days')} from n`,
  `insert into brand_version (account_id, version, logo_sha256, position, width_percent, margin_percent, opacity_percent, created_at)
   select account, version, hash, 'center', 10, 5, 50, ${ago('200 days')} from n cross join generate_series(1, 2) version`,
  `insert into brand (account_id, current_version, last_version) select account, 2, 2 from n`,
];

const MONEY = [
  `insert into topup (account_id, id, idempotency_key, provider, sandbox, currency, amount_minor, micros_per_minor, credit_micros,
     return_path, status, created_at, expires_at)
   select account, id, id::text, 'sandbox', true, 'INR', 100, 10000, 1000000, '/', 'paid', ${ago('50 days')}, ${ago('49 days')} from n`,
  `insert into refund_request (account_id, id, idempotency_key, topup_id, provider, payment_id, amount_minor, amount_micros,
     held_micros, status, created_at, resolved_at)
   select account, id, id::text, id, 'sandbox', id::text, 1, 1, 0, 'settled', ${ago('40 days')}, ${ago('39 days')} from n`,
  `insert into webhook_event (provider, event_id, body_hash, id, type, provider_created_at, received_at, body, status)
   select 'sandbox', id::text, 'x', id, 'paid', ${ago('1 day')}, ${ago('1 day')}, 'x', 'done' from n`,
  `insert into referral_outbox (account_id, seq, kind, created_at, outcome, delivered_at)
   select account, 1, 'joined', ${ago('50 days')}, 'noted', ${ago('50 days')} from n`,
];

const MESSAGES = [
  `insert into notice (account_id, key, subject, body, created_at, sent_at)
   select account, 'n', 's', 'b', ${ago('1 day')}, ${ago('1 day')} from n`,
  `insert into event_fact (account_id, fact, created_at) select account, 'video.ready:1', ${ago('1 day')} from n`,
  `insert into alert (id, kind, subject, message, raised_at, last_raised_at, announced_at, resolved_at)
   select id, 'test', id::text, 'x', now(), now(), now(), now() from n`,
];
