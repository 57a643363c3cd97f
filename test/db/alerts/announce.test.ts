import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { PostgresDatabase } from '../../../src/db/database.js';
import { AlertService } from '../../../src/domain/shared/alerts/alert.service.js';
import { raiseAlert } from '../../../src/domain/shared/alerts/raiseAlert.js';
import type { Email } from '../../../src/ports/mailer.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

const ALERT = { kind: 'payment.mismatch', subject: 'pay_1', message: 'It does not fit.' };

let database: TestDatabase;
let db: PostgresDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
  db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 5 });
});
afterEach(async () => {
  await db.close();
  await database.drop();
});

function announcer(send: (email: Email) => Promise<void>): AlertService {
  return new AlertService({ db, mailer: { send }, logger: pino({ level: 'silent' }), mailTo: 'staff@example.com' });
}

it('sends an alert once, and blocks no other transaction while the email is on its way', async () => {
  await raiseAlert(db.sql, ALERT);
  const sent: Email[] = [];
  const slow = announcer(async (email) => {
    sent.push(email);
    // While the email is on its way, another transaction raises the same alert, and another process announces.
    await db.transaction(async ({ sql }) => {
      await sql.query({ name: 'lock-timeout', text: `set local lock_timeout = '2s'` });
      await raiseAlert(sql, ALERT);
    });
    expect(await announcer(() => Promise.reject(new Error('told twice'))).announce()).toBe(0);
  });
  expect(await slow.announce()).toBe(1);
  expect(await slow.announce()).toBe(0);
  expect(sent).toHaveLength(1);
  const [alert] = await slow.list({ first: 1, after: null });
  expect(alert).toMatchObject({ kind: 'payment.mismatch', times: 2 });
});

it('sends an alert again after the mail server failed', async () => {
  await raiseAlert(db.sql, ALERT);
  await expect(announcer(() => Promise.reject(new Error('no mail server'))).announce()).rejects.toThrow();
  const sent: Email[] = [];
  expect(await announcer((email) => Promise.resolve(void sent.push(email))).announce()).toBe(1);
  expect(sent[0]).toMatchObject({ to: 'staff@example.com', subject: 'Dhara: payment.mismatch' });
});
