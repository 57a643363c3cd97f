import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';

import { newId } from '../../../src/domain/shared/ids.js';
import { kept, recomputed } from '../../support/analytics/model.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { OWN_PROCESS } from '../../support/ownProcess.js';

const KILLS = 10;

let database: TestDatabase;
let rows: pg.Pool;
let child: ChildProcess | null = null;
const videoId = newId();

beforeAll(async () => {
  database = await createTestDatabase();
  rows = new pg.Pool({ connectionString: database.migrationUrl, max: 1 });
});
afterEach(() => child?.kill('SIGKILL'));
afterAll(async () => {
  await rows.end();
  await database.drop();
});

/** Runs a recorder until it has written `batches` batches, then ends it by the signal. */
async function run(accountId: string, batches: number, signal: NodeJS.Signals) {
  child = spawn(process.execPath, [...OWN_PROCESS, join(import.meta.dirname, 'viewsChild.ts')], {
    env: { ...process.env, DATABASE_URL: database.runtimeUrl, ACCOUNT_ID: accountId, VIDEO_ID: videoId },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const taken: string[] = [];
  const written = new Set<string>();
  /** How many were taken when a batch was said to be written. */
  const marks: number[] = [];
  const closed = once(child, 'close');
  for await (const line of createInterface({ input: child.stdout! })) {
    const [what, ...ids] = line.split(' ');
    if (what === 'taken') taken.push(ids[0]!);
    if (what !== 'written') continue;
    marks.push(taken.length);
    for (const id of ids) written.add(id);
    if (marks.length === batches) child.kill(signal);
  }
  await closed;
  // What was taken before the last batch but one was written is in the last batch.
  return { taken, written, safe: taken.slice(0, marks.at(-2) ?? 0) };
}

async function stored(accountId: string): Promise<Set<string>> {
  const found = await rows.query<{ id: string }>('select id from playback_view where account_id = $1', [accountId]);
  return new Set(found.rows.map(({ id }) => id));
}

async function expectRollupsToAddUp(): Promise<void> {
  expect(await kept(rows, 'playback_hour')).toEqual(await recomputed(rows, 3_600));
  expect(await kept(rows, 'playback_day')).toEqual(await recomputed(rows, 86_400));
}

it(`a process that is killed loses at most the batch that waits, ${KILLS} times`, { timeout: 240_000 }, async () => {
  for (let kill = 0; kill < KILLS; kill += 1) {
    const accountId = newId();
    const { written, safe } = await run(accountId, 2 + (kill % 4), 'SIGKILL');
    expect(safe.length).toBeGreaterThan(0);
    const found = await stored(accountId);
    expect([...written, ...safe].filter((id) => !found.has(id))).toEqual([]);
  }
  await expectRollupsToAddUp();
});

it('a process that is stopped loses nothing', { timeout: 60_000 }, async () => {
  const accountId = newId();
  const { taken } = await run(accountId, 3, 'SIGTERM');
  expect(await stored(accountId)).toEqual(new Set(taken));
  await expectRollupsToAddUp();
});
