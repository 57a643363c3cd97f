import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';

import { PostgresDatabase } from '../../../src/db/database.js';
import { FirstTokens, type FirstTokensOptions } from '../../../src/domain/playback/activity/firstTokens.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

/** A second before a midnight. */
const EVENING = Date.UTC(2026, 10, 25, 23, 59, 59) / 1_000;
const QUOTA = { limit: 10, remaining: 9, resetEpochSeconds: 0 };

let database: TestDatabase;
let db: PostgresDatabase;
let rows: pg.Pool;
let accountId: string;
const keyId = newId();

beforeAll(async () => {
  database = await createTestDatabase();
  db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 4 });
  rows = new pg.Pool({ connectionString: database.migrationUrl, max: 2 });
});
afterAll(async () => {
  await rows.end();
  await db.close();
  await database.drop();
});
beforeEach(() => {
  accountId = newId();
});

const recorder = (more: Partial<FirstTokensOptions> = {}) => new FirstTokens({ db, ...more });
const granted = (nowEpochSeconds: number, key = keyId) => ({ accountId, keyId: key, quota: QUOTA, nowEpochSeconds });

async function recorded(): Promise<string[]> {
  const found = await rows.query<{ line: string }>(
    `select concat_ws(' ', video_id, actor_id, to_char(created_at at time zone 'UTC', 'DD HH24:MI:SS')) as line
     from video_change where account_id = $1 and kind = 'video.minted' and actor = 'api_key' order by 1`,
    [accountId],
  );
  return found.rows.map(({ line }) => line);
}

it('records the first token of each day, video and key, however many processes create tokens', async () => {
  const [video, otherVideo] = [newId(), newId()].toSorted() as [string, string];
  const [one, other] = [recorder(), recorder()];
  for (const tokens of [one, other]) {
    tokens.minted(granted(EVENING), video);
    tokens.minted(granted(EVENING), video);
    tokens.minted(granted(EVENING + 1), video);
    tokens.minted(granted(EVENING + 5), video);
    tokens.minted(granted(EVENING), otherVideo);
  }
  await Promise.all([one.flush(), other.flush()]);
  one.minted(granted(EVENING + 60), video);
  await one.flush();
  expect(await recorded()).toEqual([
    `${video} ${keyId} 25 23:59:59`,
    `${video} ${keyId} 26 00:00:00`,
    `${otherVideo} ${keyId} 25 23:59:59`,
  ]);
});

it('tries again with the next token of the day if the database was away', async () => {
  const video = newId();
  let isAway = true;
  const errors: unknown[] = [];
  const tokens = recorder({
    db: Object.assign(Object.create(db) as PostgresDatabase, {
      sql: {
        query: (...args: Parameters<typeof db.sql.query>) => {
          if (isAway) return Promise.reject(new Error('away'));
          return db.sql.query(...args);
        },
      },
    }),
    onError: (error) => errors.push(error),
  });
  tokens.minted(granted(EVENING), video);
  await tokens.flush();
  expect(errors.length).toBe(1);
  isAway = false;
  tokens.minted(granted(EVENING - 10), video);
  await tokens.stop();
  expect(await recorded()).toEqual([`${video} ${keyId} 25 23:59:49`]);
});

it('stops in time although the database does not respond', async () => {
  const silent = { sql: { query: () => new Promise<never>(() => undefined) } } as unknown as PostgresDatabase;
  const tokens = recorder({ db: silent, stopWithinMs: 20 });
  tokens.minted(granted(EVENING), newId());
  await tokens.stop();
  expect(await recorded()).toEqual([]);
});

it('remembers so many at most, and writes no line twice for it', async () => {
  const tokens = recorder({ maxKnown: 3 });
  const videos = Array.from({ length: 3 }, newId);
  for (let round = 0; round < 4; round += 1) {
    for (const video of videos) tokens.minted(granted(EVENING), video);
    await tokens.flush();
    tokens.minted(granted(EVENING, newId()), newId());
    await tokens.flush();
  }
  const lines = await recorded();
  expect(lines.filter((line) => line.includes(keyId)).length).toBe(3);
  expect(lines.length).toBe(3 + 4);
});

it('writes what waits, also when it has just forgotten which ones it knows, and no more than that at once', async () => {
  const tokens = recorder({ maxKnown: 3 });
  const [before, waiting, next] = [newId(), newId(), newId()];
  for (const video of [before, newId()]) tokens.minted(granted(EVENING - 60), video);
  await tokens.flush();
  // Knows three, so the fourth makes it forget them; one of them waits and is asked for again.
  tokens.minted(granted(EVENING - 30), waiting);
  tokens.minted(granted(EVENING - 20), next);
  tokens.minted(granted(EVENING - 10), waiting);
  await tokens.flush();
  const lines = await recorded();
  expect(lines).toContain(`${waiting} ${keyId} 25 23:59:29`);
  expect(lines).toContain(`${next} ${keyId} 25 23:59:39`);

  const many = Array.from({ length: 5 }, newId);
  for (const video of many) tokens.minted(granted(EVENING), video);
  await tokens.flush();
  expect((await recorded()).length).toBe(lines.length + 3);
  for (const video of many) tokens.minted(granted(EVENING), video);
  await tokens.flush();
  expect((await recorded()).length).toBe(lines.length + 5);
});
