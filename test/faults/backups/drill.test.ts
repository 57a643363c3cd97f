import { randomBytes } from 'node:crypto';
import { access, copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { findFreePort } from '../../support/freePort.js';
import { Load, readyVideos } from '../../support/backups/load.js';
import { expectPlaysToItsEnd } from '../../support/backups/playing.js';
import { makeDataDir } from '../../support/dataDir.js';
import { LONG_WAIT_MS } from '../../support/deadlines.js';
import { makeDemoDataDir } from '../../support/demoDataDir.js';
import { ffmpeg } from '../../support/media.js';
import { ServiceProcess, type Demo } from '../../support/service.js';
import { embeddedSuperuserUrl } from '../../support/browser/ledgerSeed.js';
import { query } from '../../support/database/query.js';

type Folder = Awaited<ReturnType<typeof makeDataDir>>;

/** What a company keeps when a machine burns: the repository, the seals and the master key. */
let outside: Folder;
let lost: Folder;
let found: Folder;
let service: ServiceProcess;
let settings: { DATA_DIR: string; PORT: string } & Record<string, string>;

beforeAll(async () => {
  [outside, lost, found] = [await makeDataDir('dhara-kept-'), await makeDemoDataDir(), await makeDataDir()];
  settings = {
    DATA_DIR: lost.path,
    PORT: String(await findFreePort()),
    LEDGER_SEALS_DIR: join(outside.path, 'seals'),
    RESTIC_REPOSITORY: join(outside.path, 'repository'),
    RESTIC_PASSWORD: randomBytes(16).toString('hex'),
    RESTIC_CACHE_DIR: join(outside.path, 'cache'),
  };
});
afterAll(async () => {
  await service?.stop('SIGKILL');
  for (const folder of [outside, lost, found]) await folder?.remove();
});

async function start(): Promise<Demo> {
  service = ServiceProcess.start(['all'], settings);
  return service.demo();
}

async function dhara(...args: string[]): Promise<{ code: number | null; output: string }> {
  const run = ServiceProcess.start(args, settings);
  return { code: await run.exit(), output: run.output };
}

async function clip(name: string, seconds: number, size: string): Promise<Buffer> {
  const path = join(outside.path, name);
  const picture = `testsrc2=size=${size}:rate=25:duration=${seconds}`;
  const sound = `sine=frequency=440:duration=${seconds}`;
  await ffmpeg('-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', sound, '-pix_fmt', 'yuv420p', '-shortest', path);
  return readFile(path);
}

async function asSuperuser<Row extends object>(sql: string): Promise<Row[]> {
  return query(await embeddedSuperuserUrl(settings.DATA_DIR), sql);
}

describe('a service that loses its machine', () => {
  it('has everything of its last backup on a new one: books, seals, and videos that play to their ends', async () => {
    const [short, long] = [await clip('short.mp4', 4, '640x360'), await clip('long.mp4', 20, '854x480')];
    const demo = await start();
    const load = await Load.start(demo);
    const first = await load.upload('First', short, 'P480');
    await expect.poll(() => readyVideos(demo), { timeout: LONG_WAIT_MS }).toContain(first);
    expect((await dhara('ledger', 'seal')).code).toBe(0);
    // This one is encoded while the backup runs.
    const second = await load.upload('Second', long, 'P480');

    const half = await load.beginUpload('Half', short);

    const ready = await readyVideos(demo);
    expect(ready).not.toContain(second);
    const beganMs = Date.now();
    const before = { postings: load.postings.length, tokens: load.tokens.length };
    const taken = await dhara('backup', '--init', '--repository', settings['RESTIC_REPOSITORY']!);
    const backupMs = Date.now() - beganMs;
    expect(taken, taken.output).toMatchObject({ code: 0 });
    expect(taken.output).toContain('The master key and the password of the repository are not in it.');
    const after = load.postings.length;
    await expect.poll(() => load.postings.length).toBeGreaterThan(after + 10);
    await load.stop();

    // Everything is lost but what was kept elsewhere.
    await service.stop('SIGKILL');
    await copyFile(join(lost.path, 'master.key'), join(outside.path, 'master.key'));
    await lost.remove();
    settings = { ...settings, DATA_DIR: found.path };
    const lostAtMs = Date.now();

    const withoutKey = await dhara('restore');
    expect(withoutKey).toMatchObject({ code: 1 });
    expect(withoutKey.output).toMatch(/The master key is missing: a backup does not have it/);
    await copyFile(join(outside.path, 'master.key'), join(found.path, 'master.key'));

    // A restore that is killed leaves nothing that starts, and the next one begins again.
    const killed = ServiceProcess.start(['restore'], settings);
    await killed.until(() => access(join(found.path, 'restoring.json')).then(() => true), 'it writes');
    await killed.stop('SIGKILL');
    const refused = await dhara('all');
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.output).toMatch(/A restore into .* did not finish/);

    const restoringMs = Date.now();
    const restored = await dhara('restore');
    expect(restored, restored.output).toMatchObject({ code: 0 });
    expect(restored.output).toMatch(/The store is complete: \d+ uploads and runs\.\nThe ledger is correct: \d+ trans/);
    const again = await start();
    for (const id of ready) await expectPlaysToItsEnd(again, id, id === first ? 4 : 20);
    const playsMs = Date.now();
    // Its client sends the unfinished upload from the beginning.
    expect(await load.offsetOf(half)).toBe(0);
    await expect.poll(() => readyVideos(again), { timeout: LONG_WAIT_MS }).toContain(second);
    await expectPlaysToItsEnd(again, second, 20);

    const kept = await asSuperuser<{ key: string }>(
      `select idempotency_key as key from ledger_tx where idempotency_key like '%load:%'`,
    );
    const has = new Set(kept.map(({ key }) => key.slice(key.indexOf('load:'))));
    for (const { name } of load.postings.slice(0, before.postings)) expect(has).toContain(name);
    const lostPostings = load.postings.filter(({ name }) => !has.has(name));
    // What is lost is the end, and nothing in between.
    expect(load.postings.slice(0, load.postings.length - lostPostings.length).every(({ name }) => has.has(name))).toBe(
      true,
    );
    const [row] = await asSuperuser<{ tokens: number }>(
      `select ((select sum(used) from api_key) + (select coalesce(sum(used), 0) from api_key_day))::int as tokens`,
    );
    expect(row!.tokens).toBeGreaterThanOrEqual(before.tokens);

    // The seals kept outside prove the past, even against somebody who owns the database.
    expect(await dhara('ledger', 'verify')).toMatchObject({ code: 0 });
    await asSuperuser(
      `set session_replication_role = replica;
       update ledger_entry set created_at = created_at - interval '1 hour' where version = 1;
       delete from ledger_seal_owner; delete from ledger_seal`,
    );
    const changed = await dhara('ledger', 'verify');
    expect(changed.code).toBe(1);
    expect(changed.output).toMatch(/block 1/);

    const seconds = (ms: number): string => (ms / 1000).toFixed(1);
    process.stdout.write(
      `backup under load ${seconds(backupMs)} s; lost ${lostPostings.length} postings, ` +
        `acknowledged ${seconds(lostAtMs - (lostPostings[0]?.atMs ?? lostAtMs))} s before the loss and later; ` +
        `restored, verified and started in ${seconds(playsMs - restoringMs)} s\n`,
    );
  });
});
