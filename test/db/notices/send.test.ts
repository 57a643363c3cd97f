import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { PostgresDatabase } from '../../../src/db/database.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { NoticeService } from '../../../src/domain/accounts/notices/notice.service.js';
import { queueNotices } from '../../../src/domain/accounts/notices/queueNotice.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

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

it('stops after a few failures when the mail server is away, and sends the rest in the next round', async () => {
  const accountIds = Array.from({ length: 10 }, () => newId());
  for (const id of accountIds) {
    await db.sql.query(
      {
        name: 'add-user',
        text: `insert into auth."user" (id, name, email, "emailVerified", "createdAt", "updatedAt")
        values ($1::uuid, 'Asha', $1::uuid || '@example.com', true, now(), now())`,
      },
      [id],
    );
  }
  await queueNotices(
    db.sql,
    accountIds.map((accountId) => ({ accountId, key: 'k', subject: 's', body: 'b' })),
  );
  let isAway = true;
  let tried = 0;
  const send = () => {
    tried += 1;
    return isAway ? Promise.reject(new Error('no mail server')) : Promise.resolve();
  };
  const notices = new NoticeService({ db, mailer: { send }, logger: pino({ level: 'silent' }) });
  expect(await notices.send()).toBe(0);
  expect(tried).toBe(3);
  isAway = false;
  expect(await notices.send()).toBe(7);
  expect(await notices.send()).toBe(0);
});
