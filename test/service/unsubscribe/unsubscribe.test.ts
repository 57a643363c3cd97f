import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import express from 'express';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';

import { createUnsubscribeRouter } from '../../../src/api/unsubscribe/router.js';
import { PostgresDatabase } from '../../../src/db/database.js';
import { NotificationService } from '../../../src/domain/accounts/notices/notifications.service.js';
import { queueNotices } from '../../../src/domain/accounts/notices/queueNotice.js';
import { UnsubscribeLinks } from '../../../src/domain/accounts/notices/unsubscribeLinks.js';
import { newId } from '../../../src/domain/shared/ids.js';
import type { Email } from '../../../src/ports/mailer.js';
import { addUser } from '../../support/accounts.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { noticesOf } from '../../support/notices.js';

const SECRET = Buffer.alloc(32, 7);
const LOW = { kind: 'wallet.low', data: { balance: '42.5', threshold: '50' } } as const;
const READY = { kind: 'video.ready', data: { uuid: newId(), title: 'Sailing' } } as const;
const RECEIPT = { kind: 'topup.credited', data: { topUpId: newId(), amount: '100' } } as const;

let database: TestDatabase;
let db: PostgresDatabase;
let server: Server;
let links: UnsubscribeLinks;
let notifications: NotificationService;
let accountId: string;
let emails: Email[];
let url: string;

beforeAll(async () => {
  database = await createTestDatabase();
  db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 5 });
  notifications = new NotificationService(db);
  const app = express();
  server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  links = new UnsubscribeLinks({ secret: SECRET, publicUrl: url });
  app.use(
    '/unsubscribe',
    createUnsubscribeRouter({ notifications, unsubscribeLinks: links, logger: pino({ level: 'silent' }) }),
  );
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await db.close();
  await database.drop();
});
beforeEach(async () => {
  emails = [];
  accountId = await addUser(db.sql);
});

/** Sends these emails now. */
async function send(...notices: readonly (typeof LOW | typeof READY | typeof RECEIPT)[]): Promise<readonly Email[]> {
  await queueNotices(
    db.sql,
    notices.map((notice) => ({ accountId, key: newId(), ...notice })),
  );
  emails = [];
  await noticesOf(db, emails, { unsubscribeLinks: links }).send();
  return emails;
}

const addressIn = (email: Email | undefined): string =>
  /^<(.*)>$/.exec(email?.headers?.['List-Unsubscribe'] ?? '')?.[1] ?? '';
/** What a mail program posts (RFC 8058). */
const press = (address: string) =>
  fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'List-Unsubscribe=One-Click',
  });

it('one post to the address in the header stops this kind of email, also those that wait, and nothing else', async () => {
  const [email] = await send(LOW);
  expect(email?.headers?.['List-Unsubscribe-Post']).toBe('List-Unsubscribe=One-Click');
  expect(email?.text).toContain(addressIn(email));
  const other = accountId;
  const stranger = await addUser(db.sql);
  for (let time = 0; time < 2; time += 1) {
    const answer = await press(addressIn(email));
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('You are unsubscribed');
  }
  await send(LOW, READY, RECEIPT);
  expect(emails.map(({ subject }) => subject).toSorted()).toEqual([
    'Ready to play: Sailing',
    'Receipt: 100.00 credits added',
  ]);
  const changed = (await notifications.list(other)).filter(({ email }) => !email);
  expect(changed).toEqual([{ kind: 'wallet.low', email: false, dashboard: null }]);
  expect((await notifications.list(stranger)).every(({ email }) => email)).toBe(true);
});

it('opening the address changes nothing, since programs that check emails open every link', async () => {
  const [email] = await send(READY);
  const page = await fetch(addressIn(email));
  expect(page.status).toBe(200);
  expect(page.headers.get('cache-control')).toBe('no-store');
  expect(page.headers.get('referrer-policy')).toBe('no-referrer');
  expect(await page.text()).toContain('<form method="post">');
  expect((await fetch(addressIn(email), { method: 'HEAD' })).status).toBe(200);
  expect((await fetch(addressIn(email), { method: 'DELETE' })).status).toBe(405);
  expect(await send(READY)).toHaveLength(1);
});

it('security and receipts have no such address, and cannot be switched off by one that is made up', async () => {
  const [receipt] = await send(RECEIPT);
  expect(receipt?.headers).toBeUndefined();
  expect(receipt?.text).not.toContain('unsubscribe');
  expect(links.urlFor(accountId, 'password.changed')).toBeNull();
});

it('refuses tokens of others, altered ones, and anything else', async () => {
  const token = new URL(links.urlFor(accountId, 'video.ready')!).searchParams.get('token')!;
  const foreign = new UnsubscribeLinks({ secret: Buffer.alloc(32, 8), publicUrl: url });
  const bad = [
    '',
    'x',
    token.replace('video.ready', 'video.failed'),
    token.replace(accountId, newId()),
    token.slice(0, -1),
    `${token}x`,
    'a'.repeat(100_000).slice(0, 8_000),
    new URL(foreign.urlFor(accountId, 'video.ready')!).searchParams.get('token')!,
    `${accountId}.password.changed.${token.split('.').at(-1)}`,
    `${accountId}.__proto__.${token.split('.').at(-1)}`,
  ];
  for (const wrong of bad) {
    const address = `${url}/unsubscribe?token=${encodeURIComponent(wrong)}`;
    expect((await press(address)).status).toBe(404);
    expect((await fetch(address)).status).toBe(404);
  }
  expect((await press(`${url}/unsubscribe?token=${token}&token=${token}`)).status).toBe(404);
  expect((await notifications.list(accountId)).every(({ email }) => email)).toBe(true);
});
