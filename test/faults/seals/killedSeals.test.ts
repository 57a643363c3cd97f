import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { Books } from '../../support/seals/books.js';
import { statementsWaiting } from '../../support/database/statementsWaiting.js';
import { OWN_PROCESS } from '../../support/ownProcess.js';

const SCRIPT = fileURLToPath(new URL('./sealChild.ts', import.meta.url));
const BLOCKS_PER_NIGHT = 3;

let books: Books;
let child: ChildProcess | undefined;
let night = 0;

beforeEach(async () => {
  books = await Books.open();
  await mkdir(dirname(books.archiveFile), { recursive: true });
  night = 0;
});
afterEach(async () => {
  child?.kill('SIGKILL');
  await books?.close();
});

describe('a nightly run whose process is killed', () => {
  it('between sealing its blocks and archiving them, at each of these points in turn, is completed by the next run', async () => {
    const points: [point: string, nth: number][] = [
      ['before', 1],
      ['within', 1],
      ['after', 1],
      ['before', 2],
      ['within', 2],
      ['within', BLOCKS_PER_NIGHT],
      ['after', BLOCKS_PER_NIGHT],
    ];
    for (const [nth, [point, head]] of points.entries()) {
      await bookForManyBlocks();
      await nextNight();
      const says = start({ POINT: point, NTH: String(head) });
      await says('here');
      await killed();
      expect(await blocksInDatabase()).toBe((nth + 1) * BLOCKS_PER_NIGHT);
      expect(await nightsSealed()).toBe(nth);
      const kept = nth * BLOCKS_PER_NIGHT + head - (point === 'after' ? 0 : 1);
      expect(await books.heads()).toHaveLength(kept);

      expect(await nextRun()).toBe(1);
      expect(await nightsSealed()).toBe(nth + 1);
      expect(await books.heads()).toHaveLength((nth + 1) * BLOCKS_PER_NIGHT);
      expect(await books.sealFaults()).toEqual([]);
    }
  });

  it('while it seals has sealed nothing, and the next run seals everything', async () => {
    await bookForManyBlocks();
    await nextNight();
    const blocker = await books.admin.connect();
    try {
      await blocker.query('begin; lock table ledger_seal in share mode');
      const says = start({});
      await says('started');
      await expect.poll(() => statementsWaiting(books.admin)).toBeGreaterThan(0);
      await killed();
      await blocker.query('rollback');
    } finally {
      blocker.release();
    }
    expect(await nextRun()).toBe(1);
    expect(await blocksInDatabase()).toBe(BLOCKS_PER_NIGHT);
    expect(await books.heads()).toHaveLength(BLOCKS_PER_NIGHT);
    expect(await books.sealFaults()).toEqual([]);
  });
});

/** Three blocks: a block contains an owner once, with up to ten thousand entries of an account. */
async function bookForManyBlocks(): Promise<void> {
  const ownerId = await books.owner(1);
  await books.tamper(
    `insert into ledger_tx select '${ownerId}', 'bulk', '${ownerId}', 'ADJUSTMENT', '\\x00', null, '{}', service_now()`,
    `insert into ledger_entry select '${ownerId}', 3, v, '${ownerId}', 1, v, service_now() from generate_series(1, 20001) v`,
    `update ledger_account set version = 20001, balance = 20001 where owner_id = '${ownerId}' and account_no = 3`,
  );
}

async function nextNight(): Promise<void> {
  await books.clockAt(`2031-03-${String((night += 1)).padStart(2, '0')}T01:00:00Z`);
}

/** Returns a function that waits for a line of its output. */
function start(env: Record<string, string>): (line: string) => Promise<void> {
  const started = spawn(process.execPath, [...OWN_PROCESS, SCRIPT], {
    env: { ...process.env, DATABASE_URL: books.database.runtimeUrl, ARCHIVE: dirname(books.archiveFile), ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child = started;
  const lines = new Set<string>();
  createInterface({ input: started.stdout }).on('line', (line) => lines.add(line));
  return async (line) => {
    while (!lines.has(line)) {
      if (started.exitCode !== null) throw new Error(`it ended with ${started.exitCode} before it said ${line}`);
      await delay(5);
    }
  };
}

async function killed(): Promise<void> {
  const gone = once(child!, 'exit');
  child!.kill('SIGKILL');
  expect(await gone).toEqual([null, 'SIGKILL']);
}

/** Retries as the worker does: the database may not have noticed yet that the other connection is gone. */
async function nextRun(): Promise<number> {
  for (;;) {
    const done = await books.audit.nightly();
    if (done > 0) return done;
    await delay(5);
  }
}

async function blocksInDatabase(): Promise<number> {
  return (await books.admin.query('select from ledger_seal')).rowCount!;
}

async function nightsSealed(): Promise<number> {
  return (await books.admin.query('select from ledger_seal_night')).rowCount!;
}
