import { createReadStream } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { FileSealArchive } from '../../../src/adapters/seals/fileSealArchive.js';
import { installVirtualClock, setClockOffset } from '../../../src/db/virtualClock.js';
import type { Viewer } from '../../../src/domain/accounts/viewer.js';
import { LedgerAudit } from '../../../src/domain/ledger/seals/ledgerAudit.js';
import { appendEvents } from '../../../src/domain/shared/events/appendEvent.js';
import { recordAudit } from '../../../src/domain/shared/audit.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { adjustByStaff, tablesOfAccounts } from '../../support/accounts.js';
import { ClosingRig, CREDIT } from '../../support/closing/rig.js';

const DAY_MS = 86_400_000;
const EMAIL = 'zebulon.quagga@unique-mailbox.example';
/** Each stands for what an owner, a payer or staff entered somewhere. */
const NAME = 'Zebulon Quagga';
const WORD = 'xylophonequagga';
const NEEDLES = [EMAIL, 'Zebulon', WORD];

/** What the law, or the proof of the books, keeps. Nothing else may be found. */
const KEPT_BY_LAW = ['public.invoice.facts'];

let rig: ClosingRig;

beforeAll(async () => {
  rig = await ClosingRig.start();
  await installVirtualClock(rig.payments.database.migrationUrl);
});
afterAll(async () => {
  await setClockOffset(rig.payments.database.migrationUrl, 0);
  expect(await rig.payments.faults()).toEqual([]);
  await rig.stop();
});

const query = (text: string, values: unknown[] = []) => rig.payments.admin.query(text, values);
const pass = (days: number) => setClockOffset(rig.payments.database.migrationUrl, days * DAY_MS);

/** Every place in the database and in the files that has one of the words. */
async function found(): Promise<string[]> {
  const { rows: columns } = await query(`
    select n.nspname as schema, c.relname as table, a.attname as column, t.typname as type from pg_attribute a
      join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace join pg_type t on t.oid = a.atttypid
    where n.nspname in ('public', 'auth', 'pgboss') and c.relkind in ('r', 'p') and not c.relispartition
      and a.attnum > 0 and not a.attisdropped
      and (t.typcategory in ('S', 'A') or t.typname in ('json', 'jsonb', 'bytea', 'tsvector', 'xml', 'hstore'))`);
  expect(columns.length).toBeGreaterThan(200);
  const places: string[] = [];
  for (const { schema, table, column, type } of columns as Record<'schema' | 'table' | 'column' | 'type', string>[]) {
    const text = type === 'bytea' ? `encode("${column}", 'escape')` : `"${column}"::text`;
    const { rows } = await query(
      `select 1 from "${schema}"."${table}" where ${NEEDLES.map((_, n) => `strpos(lower(${text}), lower($${n + 1})) > 0`).join(' or ')} limit 1`,
      NEEDLES,
    );
    if (rows.length > 0) places.push(`${schema}.${table}.${column}`);
  }
  for (const entry of await readdir(rig.dir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const content = entry.isFile() ? (await readFile(path)).toString('latin1').toLowerCase() : '';
    if (NEEDLES.some((needle) => path.includes(needle) || content.includes(needle.toLowerCase()))) places.push(path);
  }
  return places.toSorted();
}

/** An account with something in every table that takes words, in live and test mode. */
async function fill(): Promise<Viewer> {
  const viewer = await rig.owner(EMAIL, { name: NAME });
  const { accountId } = viewer;
  const { db } = rig.payments;
  await query('update auth."user" set name = $2 where id = $1', [accountId, NAME]);
  const testId = (await rig.testMode.viewerIn(viewer)).accountId;
  await query(
    `insert into auth.session (id, token, "userId", "expiresAt", "createdAt", "updatedAt", "ipAddress", "userAgent")
     values (gen_random_uuid(), 't', $1, now() + interval '90 days', now(), now(), '203.0.113.9', $2)`,
    [accountId, WORD],
  );
  await query(
    `insert into auth.verification (id, identifier, value, "expiresAt", "createdAt", "updatedAt")
     values (gen_random_uuid(), $1, $2, now() + interval '90 days', now(), now())`,
    [`verify ${EMAIL}`, accountId],
  );
  await rig.paid(accountId, '100');
  await query(`update webhook_event set last_error = $1`, [WORD]);
  await adjustByStaff(db, accountId, 3n * CREDIT);
  await query(
    `insert into billing_details (account_id, legal_name, address_lines, country, email, updated_at)
     values ($1, $2, array[$3], 'IN', $4, now())`,
    [accountId, NAME, WORD, EMAIL],
  );
  await query(
    `insert into invoice (account_id, top_up_id, refund_id, kind, series, financial_year, number, issued_at, facts)
     select account_id, id, '', 'receipt', 'DHR', '2627', 900, now(), jsonb_build_object('buyer', $2::text) from topup
     where account_id = $1 limit 1`,
    [accountId, NAME],
  );
  await query('update topup set return_path = $2, checkout_url = $2 where account_id = $1', [accountId, `/${WORD}`]);
  for (const owner of [accountId, testId]) {
    await query(
      `insert into video_change (account_id, video_id, fact, kind, actor, actor_id, created_at)
       values ($1, $1, $2, 'video.tags', 'owner', $1, now())`,
      [owner, WORD],
    );
    await rig.keys.create(owner, { name: WORD });
    await appendEvents(db.sql, [
      { accountId: owner, type: 'wallet.low', fact: WORD, data: { balance: WORD, threshold: '2' } },
    ]);
    await query(
      `insert into webhook_endpoint (account_id, id, url, description, paused_until, lease_until, created_at)
       values ($1, $2, $3, $4, now(), now(), now())`,
      [owner, owner, `https://${WORD}.example`, WORD],
    );
    await query(
      `insert into webhook_secret (account_id, endpoint_id, id, master_key_id, sealed) values ($1, $1, $1, '', $2)`,
      [owner, Buffer.from(WORD)],
    );
    await query(
      `insert into webhook_attempt (account_id, created_at, endpoint_id, event_id, id, url, duration_ms, answer)
       values ($1, now(), $1, $1, $1, $2, 1, $2)`,
      [owner, WORD],
    );
    await query(
      `insert into playback_view (account_id, minted_at, id, video_id, audience, duration_ms, country, browser, device, errors)
       select $1, service_now() - n * interval '1 day', gen_random_uuid(), $1, 'viewer', 1, 'IN', $2, '', '[]'
       from generate_series(0, 12000) n`,
      [owner, WORD],
    );
    await query(
      `insert into playback_day (account_id, dimension, video_id, starts_at, value)
       values ($1, 'browser', $1, date_trunc('day', service_now()), $2)`,
      [owner, WORD],
    );
    await db.transaction(async (tx) =>
      recordAudit(tx, {
        accountId: owner,
        actorId: owner,
        action: 'webhook_endpoint.update',
        subject: EMAIL,
        reason: WORD,
        details: { url: WORD },
      }),
    );
  }
  await query(
    `insert into access_token (account_id, id, name, scopes, hash, prefix, last4, created_at)
     values ($1, $1, $2, '{read}', '\\x01', 'dpat_', '1234', now())`,
    [accountId, WORD],
  );
  await query(
    `insert into account_note (account_id, id, author_id, body, created_at) values ($1, $1, gen_random_uuid(), $2, now())`,
    [accountId, `${NAME} called about ${WORD}`],
  );
  await query(
    `insert into staff_view (account_id, id, staff_id, session_id, started_at, ends_at)
     values ($1, $1, gen_random_uuid(), gen_random_uuid(), now(), now() + interval '1 minute')`,
    [accountId],
  );
  await query(
    `insert into alert (id, kind, subject, message, account_id, raised_at, last_raised_at)
     values ($1, 'payment.mismatch', 's', $2, $1, now(), now())`,
    [accountId, `${EMAIL} paid`],
  );
  const path = join(rig.dir, `source of ${newId()}`);
  await writeFile(path, `moov ${WORD}`);
  for (const inBin of [false, true]) {
    const { video, upload } = await rig.pipeline.videos.create(accountId, {
      title: `${WORD} holiday`,
      filename: `${WORD}.mp4`,
      sizeBytes: 20,
      description: NAME,
      tags: [WORD],
      metadata: { email: EMAIL },
    });
    await rig.pipeline.store.put(`sources/${accountId}/${video.id}/${upload.uploadId}`, createReadStream(path));
    await rig.pipeline.uploads.finish({ accountId, uploadId: upload.uploadId });
    await query(
      `insert into caption (account_id, video_id, id, language, label, origin, vtt, size_bytes, created_at)
       values ($1, $2, $2, 'en', $3, 'upload', $3, 1, now())`,
      [accountId, video.id, WORD],
    );
    await query(
      `update video set chapters = jsonb_build_array(jsonb_build_object('title', $3::text)), failure_message = $3,
         source_probe = jsonb_build_object('tags', $3::text) where account_id = $1 and id = $2`,
      [accountId, video.id, WORD],
    );
    if (inBin) await rig.pipeline.bin.put(accountId, video.id);
  }
  await writeFile(path, '');
  // One that was never sent.
  await rig.pipeline.videos.create(accountId, { filename: `${WORD}.mov`, sizeBytes: 20 });
  const job = await rig.job(accountId, 2n);
  await query('update video set title = $3 where account_id = $1 and id = $2', [accountId, job.videoId, WORD]);
  const prefix = `encoded/${accountId}/${job.videoId}/1-1/`;
  await writeFile(path, `moof ${WORD}`);
  await rig.pipeline.store.put(`${prefix}720p/init.mp4`, createReadStream(path));
  await writeFile(path, '');
  await query(
    `insert into processing_output (account_id, video_id, attempt, run, prefix, created_at) values ($1, $2, 1, 1, $3, now())`,
    [accountId, job.videoId, prefix],
  );
  return viewer;
}

it('nothing that names a person is left 30 days after the closing, and the books verify', async () => {
  const seals = new FileSealArchive({ dir: join(rig.dir, 'seals') });
  const audit = new LedgerAudit({ db: rig.payments.db, archive: seals });
  const viewer = await fill();
  const other = await rig.owner('neighbor@example.com');
  await rig.keys.create(other.accountId, { name: 'stays' });
  await audit.seal();
  const before = await found();
  expect(before.length).toBeGreaterThan(30);

  await rig.close(viewer);
  await pass(29.99);
  expect(await rig.erasures.eraseDue()).toBe(0);
  expect(await found()).toEqual(expect.arrayContaining(['auth.user.email', 'public.video.title']));

  await pass(30.01);
  // The files are removed by the workers' sweep, which comes later.
  expect(await rig.erasures.eraseDue()).toBe(0);
  await expect(rig.closings.reopen(viewer)).rejects.toMatchObject({ code: 'INVALID_STATE' });
  for (const days of [30.02, 30.5, 31.1, 31.6, 32.2]) {
    await pass(days);
    await rig.pipeline.uploads.expireUploads();
    await rig.pipeline.leftovers.sweepStore();
  }
  expect(await rig.erasures.eraseDue()).toBe(1);

  expect(await found()).toEqual(KEPT_BY_LAW);
  expect(await rig.rows('select 1 from staff_view where account_id = $1', [viewer.accountId])).toEqual([]);
  expect(await rig.erasures.eraseDue()).toBe(0);
  expect(await rig.payments.balances(viewer.accountId)).toEqual({ REFUND_HOLD: 100n * CREDIT, CASH: -100n * CREDIT });
  expect(await rig.rows('select lapsed_micros from account_closing where account_id = $1', [viewer.accountId])).toEqual(
    [{ lapsed_micros: '3000000' }],
  );
  expect(await rig.payments.faults()).toEqual([]);
  await audit.seal();
  expect((await audit.verify()).faults).toEqual([]);
  // A webhook that comes later is booked under the id that leads to nobody, and brings no person back.
  const made = [...rig.payments.razorpay.refunds.values()].find(({ accountId }) => accountId === viewer.accountId)!;
  await rig.payments.deliver([
    {
      kind: 'refund',
      refundId: made.refundId,
      paymentId: made.paymentId,
      amountMinor: made.amountMinor,
      currency: 'INR',
      state: 'processed',
      createdAt: new Date(),
      requestKey: made.idempotencyKey,
    },
  ]);
  expect(await rig.payments.balances(viewer.accountId)).toEqual({});
  expect(await rig.rows('select 1 from notice where account_id = $1', [viewer.accountId])).toEqual([]);
  expect(await found()).toEqual(KEPT_BY_LAW);
  expect(await rig.payments.faults()).toEqual([]);
  // Nobody else is touched.
  expect(await rig.keys.list(other.accountId)).toHaveLength(1);
  expect(await rig.rows('select email from auth."user" where id = $1', [other.accountId])).toHaveLength(1);
  // The trail still says who did what, and nobody can change the rest of it.
  const trail = await rig.rows(
    `select action, reason from audit_entry where account_id = $1 and action like 'account.%' order by action`,
    [viewer.accountId],
  );
  expect(trail).toEqual([{ action: 'account.close', reason: 'erased' }]);
  await expect(
    query(`update audit_entry set reason = 'other' where account_id = $1`, [viewer.accountId]),
  ).rejects.toThrow('append-only');
  await expect(query(`delete from audit_entry where account_id = $1`, [viewer.accountId])).rejects.toThrow(
    'append-only',
  );
});

it('an open, reopened or staff account cannot be erased, no matter which role calls the functions of the database', async () => {
  const [open, reopened, waiting, staff] = [await rig.owner(), await rig.owner(), await rig.owner(), await rig.owner()];
  for (const viewer of [reopened, waiting, staff]) await rig.close(viewer);
  await rig.closings.reopen(reopened);
  await query(`update account set role = 'support' where id = $1`, [staff.accountId]);
  await query(
    `update account_closing set closed_at = closed_at - interval '40 days', erase_after = erase_after - interval '40 days'
     where account_id = $1`,
    [staff.accountId],
  );
  for (const { accountId } of [open, reopened, waiting, staff]) {
    for (const call of ['erase_account_rows($1, 10)', 'finish_erasure($1)']) {
      await expect(rig.payments.db.sql.query({ name: '', text: `select ${call}` }, [accountId])).rejects.toThrow(
        /can still be reopened/,
      );
    }
  }
  await expect(rig.erasures.eraseNow(staff.accountId, 'asked')).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await expect(rig.erasures.eraseNow('nobody@example.com', 'asked')).rejects.toMatchObject({
    code: 'ACCOUNT_NOT_FOUND',
  });
});

it('an operator erases at once by address, and again without effect', async () => {
  await pass(0);
  const viewer = await rig.owner('gdpr@example.com');
  expect(await rig.erasures.preview('GDPR@example.com')).toMatchObject({
    accountId: viewer.accountId,
    isErased: false,
  });
  expect(await rig.erasures.eraseNow('gdpr@example.com', 'request 17')).toEqual({
    accountId: viewer.accountId,
    waitsFor: null,
  });
  expect(await rig.rows('select 1 from auth."user" where id = $1', [viewer.accountId])).toEqual([]);
  expect(await rig.erasures.eraseNow(viewer.accountId, 'request 17')).toEqual({
    accountId: viewer.accountId,
    waitsFor: null,
  });
  // Also one that its owner has closed and could still reopen.
  const closed = await rig.owner('closed@example.com');
  await rig.close(closed);
  expect(await rig.erasures.eraseNow('closed@example.com', 'request 18')).toMatchObject({ waitsFor: null });
  expect(
    await rig.rows(`select actor_id, reason from audit_entry where account_id = $1 and action = 'account.erase'`, [
      closed.accountId,
    ]),
  ).toEqual([{ actor_id: null, reason: 'request 18' }]);
  // The address is free again.
  expect((await rig.owner('gdpr@example.com')).accountId).not.toBe(viewer.accountId);
});

it('waits until every day before the closing is charged and the balance is settled', async () => {
  await pass(40);
  const { accountId } = await rig.owner();
  await adjustByStaff(rig.payments.db, accountId, 3n * CREDIT);
  const state = () =>
    rig.rows(
      `select settled_at is not null as settled, lapsed_micros, erased_at is not null as erased from account_closing
       where account_id = $1`,
      [accountId],
    );
  // Nights end with the day of the installation here.
  expect(await rig.erasures.eraseNow(accountId, 'request 19')).toMatchObject({ waitsFor: 'charges' });
  expect(await state()).toEqual([{ settled: false, lapsed_micros: null, erased: false }]);
  await query(`insert into storage_night (day, started_at, finished_at)
    select (service_now() at time zone 'UTC')::date - 1, service_now(), service_now()`);
  try {
    expect(await rig.erasures.eraseNow(accountId, 'request 19')).toMatchObject({ waitsFor: null });
  } finally {
    await query(`delete from storage_night where day = (service_now() at time zone 'UTC')::date - 1`);
  }
  expect(await state()).toEqual([{ settled: true, lapsed_micros: '3000000', erased: true }]);
});

it('every table of accounts is erased, emptied, or kept for a reason', async () => {
  const KEPT = {
    account: 'the id that the books refer to',
    account_closing: 'when it was closed and erased',
    account_import: 'the books: where credits came from',
    adjustment: 'the books: corrections, with the reasons that staff wrote',
    audit_entry: 'who did what and when, without words',
    escrow: 'the books',
    invoice: 'the law',
    payment: 'the books',
    payment_directory: 'where late webhooks belong',
    payment_dispute: 'the books',
    payment_refund: 'the books',
    payment_sandbox_order: 'emptied by finish_erasure',
    processing_output: 'places of files that are gone',
    quote: 'the books: prices',
    referral: 'the books, with a masked address that is emptied',
    referral_code: 'a random code',
    referral_invitee: 'the books of the referrer',
    referral_outbox: 'the books',
    staff_request: 'who asked for what, and who approved it',
    storage_day: 'the books',
    storage_reversed_day: 'the books',
    stored_object: 'the books: what storage was charged for',
    test_account: 'two ids',
    upload: 'sizes and times',
    video_count: 'numbers',
    webhook_secret: 'goes with its endpoint',
  };
  const { rows: source } = await query(
    `select prosrc from pg_proc where proname in ('erase_account_rows', 'erase_staff_records')`,
  );
  const named = new Set(source.flatMap(({ prosrc }) => (prosrc as string).match(/(?<=')[a-z_]+(?=')/g) ?? []));
  const names = await tablesOfAccounts(rig.payments.db.sql);
  expect(names.filter((name) => !named.has(name) && !(name in KEPT))).toEqual([]);
});
