import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { PostgresDatabase } from '../../../src/db/database.js';
import type { Database } from '../../../src/db/sql.js';
import type { NoticeDeps } from '../../../src/domain/accounts/notices/notice.service.js';
import { queueNotices } from '../../../src/domain/accounts/notices/queueNotice.js';
import { newId } from '../../../src/domain/shared/ids.js';
import type { EventData } from '../../../src/domain/shared/events/eventTypes.js';
import { appendEvents } from '../../../src/domain/shared/events/appendEvent.js';
import { BillingDetailsService } from '../../../src/domain/payments/billing/billingDetails.service.js';
import type { Email } from '../../../src/ports/mailer.js';
import { addUser } from '../../support/accounts.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { noticesOf } from '../../support/notices.js';

const LOW = { kind: 'wallet.low', data: { balance: '42.5', threshold: '50' } } as const;
const KEY = { keyId: newId(), name: 'Production', prefix: 'dk_live_4f7a', last4: '9c1e' };

let database: TestDatabase;
let db: PostgresDatabase;
let emails: Email[];

beforeEach(async () => {
  database = await createTestDatabase();
  db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 5 });
  emails = [];
});
afterEach(async () => {
  await db.close();
  await database.drop();
});

const noticesWith = (deps: Partial<NoticeDeps> = {}) => noticesOf(db, emails, deps);

function run(name: string, text: string, values: unknown[] = []): Promise<object[]> {
  return db.sql.query<object>({ name, text }, values);
}

it('stops after a few failures when the mail server is away, and sends the rest in the next round', async () => {
  const accountIds = await Promise.all(Array.from({ length: 10 }, () => addUser(db.sql)));
  await queueNotices(
    db.sql,
    accountIds.map((accountId) => ({ accountId, key: 'k', ...LOW })),
  );
  let isAway = true;
  let tried = 0;
  const send = () => {
    tried += 1;
    return isAway ? Promise.reject(new Error('no mail server')) : Promise.resolve();
  };
  const notices = noticesWith({ mailer: { send } });
  expect(await notices.send()).toBe(0);
  expect(tried).toBe(3);
  isAway = false;
  expect(await notices.send()).toBe(7);
  expect(await notices.send()).toBe(0);
});

it('an email keeps its Message-ID in every attempt, and two emails have two', async () => {
  const accountId = await addUser(db.sql);
  await queueNotices(db.sql, [
    { accountId, key: 'a', ...LOW },
    { accountId, key: 'b', ...LOW },
  ]);
  const ids: (string | undefined)[] = [];
  const send = (email: Email) => {
    ids.push(email.messageId);
    return Promise.reject(new Error('refused'));
  };
  await noticesWith({ mailer: { send } }).send();
  await run('again', 'update notice set send_after = service_now()');
  await noticesWith().send();
  expect(new Set(ids).size).toBe(2);
  expect(new Set(emails.map(({ messageId }) => messageId))).toEqual(new Set(ids));
  expect(ids[0]).toMatch(/^<[\w-]{43}@video\.example\.com>$/);
});

it('an email that the mail server took is not sent again when recording that failed', async () => {
  const accountId = await addUser(db.sql);
  await queueNotices(db.sql, [{ accountId, key: 'k', ...LOW }]);
  let breaks = true;
  const breaking: Database = {
    sql: db.sql,
    em: db.em,
    transaction: (work) =>
      db.transaction(async (tx) => {
        const result = await work(tx);
        if (breaks) throw new Error('the connection is gone');
        return result;
      }),
  };
  const notices = noticesWith({ db: breaking });
  await expect(notices.send()).rejects.toThrow('gone');
  expect(emails).toHaveLength(1);
  breaks = false;
  expect(await notices.send()).toBe(1);
  expect(emails).toHaveLength(1);
  expect(await run('unsent', 'select from notice where sent_at is null')).toEqual([]);
});

it('two workers send each of 40 emails once', async () => {
  const accountIds = await Promise.all(Array.from({ length: 40 }, () => addUser(db.sql)));
  await queueNotices(
    db.sql,
    accountIds.map((accountId) => ({ accountId, key: 'k', ...LOW })),
  );
  const sent = await Promise.all([noticesWith().send(), noticesWith().send()]);
  expect(sent[0] + sent[1]).toBe(40);
  expect(new Set(emails.map(({ to }) => to)).size).toBe(40);
  expect(emails).toHaveLength(40);
});

it('an event is emailed once with its own words, and only to accounts that have a user', async () => {
  const accountId = await addUser(db.sql, 'אשה');
  const title = '<b>Sailing</b>\r\nBcc: all@example.com';
  const video: EventData<'video.ready'> = {
    videoId: 'vid_1',
    uuid: newId(),
    title,
    status: 'ready',
    metadata: {},
    durationSeconds: 60,
    playableRungs: ['480p'],
    failure: null,
  };
  for (const owner of [accountId, accountId, newId()]) {
    await appendEvents(db.sql, [
      { accountId: owner, type: 'key.created', fact: 'one', data: KEY },
      { accountId: owner, type: 'video.ready', fact: 'one', data: video },
      // Not every event is emailed.
      { accountId: owner, type: 'video.uploaded', fact: 'one', data: video },
    ]);
  }
  expect(await noticesWith().send()).toBe(2);
  expect(emails.map(({ subject }) => subject).toSorted()).toEqual([
    'New API key: Production',
    'Ready to play: <b>Sailing</b> Bcc: all@example.com',
  ]);
  expect(emails.map(({ html }) => html).join()).not.toMatch(/<b>Sailing/);
  expect(emails.every(({ text }) => text.startsWith('Hi אשה,\n'))).toBe(true);
});

it('a hundred videos that become ready together are one email, sent once also if it is refused at first', async () => {
  const [accountId, other] = [await addUser(db.sql), await addUser(db.sql)];
  const ready = (owner: string, n: number) => ({
    accountId: owner,
    key: `v${String(n).padStart(3, '0')}`,
    kind: 'video.ready' as const,
    data: { uuid: newId(), title: `Lesson ${n}` },
  });
  await queueNotices(
    db.sql,
    Array.from({ length: 100 }, (_, n) => ready(accountId, n)),
  );
  await queueNotices(db.sql, [ready(other, 1), { accountId, key: 'low', ...LOW }]);
  await noticesWith({ mailer: { send: () => Promise.reject(new Error('refused')) } }).send();
  await run('again', 'update notice set send_after = service_now()');
  expect(await noticesWith().send()).toBe(3);
  expect(emails.map(({ subject }) => subject).toSorted()).toEqual([
    '100 videos are ready to play',
    'Ready to play: Lesson 1',
    'Your credits are running low',
  ]);
  const together = emails.find(({ subject }) => subject.startsWith('100'));
  expect(together?.text).toContain('\nAnd 90 more.\n');
  expect(together?.headers?.['List-Unsubscribe']).toContain('.video.ready.');
  expect(await run('unsent', 'select from notice where sent_at is null')).toEqual([]);
});

it('an event that is rolled back is not emailed', async () => {
  const accountId = await addUser(db.sql);
  await expect(
    db.transaction(async ({ sql }) => {
      await appendEvents(sql, [{ accountId, type: 'key.created', fact: 'one', data: KEY }]);
      throw new Error('undone');
    }),
  ).rejects.toThrow('undone');
  expect(await noticesWith().send()).toBe(0);
});

it('sends the text that an earlier version queued', async () => {
  const accountId = await addUser(db.sql);
  await run(
    'earlier version',
    `insert into notice (account_id, key, subject, body, created_at, send_after)
     values ($1, 'old', 'Old subject', 'Old text', service_now(), service_now())`,
    [accountId],
  );
  expect(await noticesWith().send()).toBe(1);
  expect(emails).toMatchObject([{ subject: 'Old subject', text: 'Old text' }]);
});

it('an enclosed document is attached, and what it says is in the email', async () => {
  const accountId = await addUser(db.sql);
  const enclosureOf = vi.fn<NoticeDeps['enclosureOf']>().mockResolvedValue({
    facts: [['Paid', '₹1,000.00']],
    fileName: 'R-1.pdf',
    mediaType: 'application/pdf',
    content: Buffer.from('%PDF'),
  });
  await queueNotices(db.sql, [
    { accountId, key: 'k', kind: 'topup.credited', data: { topUpId: newId(), amount: '1000' } },
  ]);
  expect(await noticesWith({ enclosureOf }).send()).toBe(1);
  expect(emails[0]!.text).toContain('Paid: ₹1,000.00\n');
  expect(emails[0]!.attachments).toMatchObject([{ fileName: 'R-1.pdf' }]);
});

it('receipts go to the billing address as it is when they are sent, and all other emails to the user', async () => {
  const accountId = await addUser(db.sql);
  const [user] = (await run('user', 'select email, name from auth."user" where id = $1', [accountId])) as [
    { email: string; name: string },
  ];
  const billing = (email: string | null) =>
    new BillingDetailsService(db).set(accountId, {
      legalName: 'Owner Ltd',
      addressLines: [],
      country: 'IN',
      stateCode: null,
      gstin: null,
      email,
    });
  const topUpId = newId();
  const queue = (key: string) =>
    queueNotices(db.sql, [
      { accountId, key: `paid:${key}`, kind: 'topup.credited', data: { topUpId, amount: '1000' } },
      { accountId, key: `back:${key}`, kind: 'refund.booked', data: { topUpId, refundId: 'r1', amount: '5' } },
      { accountId, key: `low:${key}`, ...LOW },
    ]);
  const tos = () => Object.fromEntries(emails.map(({ subject, to }) => [subject.split(/[ :]/)[0], to]));

  await queue('none');
  await noticesWith().send();
  expect(tos()).toEqual({ Receipt: user.email, Refund: user.email, Your: user.email });

  // The first attempt fails, and the owner corrects the address before the next one.
  emails.length = 0;
  await billing('acounts@example.com');
  await queue('billed');
  const tried: string[] = [];
  const refuse = ({ to }: Email) => (tried.push(to), Promise.reject(new Error('refused')));
  expect(await noticesWith({ mailer: { send: refuse } }).send()).toBe(0);
  expect(tried.toSorted()).toEqual(['acounts@example.com', 'acounts@example.com', user.email].toSorted());
  await billing('accounts@example.com');
  await run('again', 'update notice set send_after = service_now() where sent_at is null');
  expect(await noticesWith().send()).toBe(3);
  expect(tos()).toEqual({ Receipt: 'accounts@example.com', Refund: 'accounts@example.com', Your: user.email });
  // They who read that address are greeted by nobody's name, and get no link that decides for the user.
  const [receipt, low] = ['Receipt', 'Your'].map((word) => emails.find(({ subject }) => subject.startsWith(word))!);
  expect(receipt!.text).toMatch(/^Hello,/);
  expect([receipt!.text, receipt!.html].join()).not.toContain('token=');
  expect(receipt!.headers).toBeUndefined();
  expect(low!.headers).toHaveProperty('List-Unsubscribe');

  // A receipt that nobody would get goes to the user at last.
  emails.length = 0;
  await queue('refused');
  const onlyUser = (email: Email) => {
    if (email.to === user.email) emails.push(email);
    return email.to === user.email ? Promise.resolve() : Promise.reject(new Error('no such mailbox'));
  };
  for (let attempt = 1; attempt <= 8; attempt += 1) {
    const receipts = emails.filter(({ subject }) => !subject.startsWith('Your'));
    expect(receipts).toEqual([]);
    await noticesWith({ mailer: { send: onlyUser } }).send();
    await run('due', 'update notice set send_after = service_now() where send_after is not null');
  }
  expect(tos()).toEqual({ Receipt: user.email, Refund: user.email, Your: user.email });
  const late = emails.find(({ subject }) => subject.startsWith('Receipt'))!;
  expect(late.text).toContain('Could not be sent to: accounts@example.com');
  expect(late.text).toContain(user.name);

  // An account without its user gets no email, wherever its invoices went.
  emails.length = 0;
  await queue('erased');
  await run('erase', 'delete from auth."user" where id = $1', [accountId]);
  await noticesWith().send();
  expect(emails).toEqual([]);
});
