import { existsSync } from 'node:fs';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { findFreePort } from '../../support/freePort.js';
import type { DoctorReport } from '../../../src/domain/operations/doctor/doctor.js';
import { parseVideoId } from '../../../src/domain/shared/ids.js';
import {
  type ArchivedPostgres,
  recoverPostgres,
  startArchivedPostgres,
} from '../../support/backups/archivedPostgres.js';
import { Load, readyVideos } from '../../support/backups/load.js';
import type { OwnPostgres } from '../../support/backups/ownPostgres.js';
import { expectPlaysToItsEnd } from '../../support/backups/playing.js';
import { makeDataDir } from '../../support/dataDir.js';
import { query } from '../../support/database/query.js';
import { LONG_WAIT_MS } from '../../support/deadlines.js';
import { Client } from '../../support/graphql/client.js';
import { makeClip, mediaFolder } from '../../support/media.js';
import { type Demo, ServiceProcess, signIn } from '../../support/service.js';

const SHORT_SECONDS = 2;
const LONG_SECONDS = 20;

type Folder = Awaited<ReturnType<typeof makeDataDir>>;

/** The archived log, the base backup, the seals, and a copy of the store: what is not on the lost machine. */
let kept: Folder;
let data: Folder;
let first: ArchivedPostgres | null;
let recovered: OwnPostgres | null = null;
let service: ServiceProcess | null = null;
let settings: { DATA_DIR: string; PORT: string } & Record<string, string>;

beforeAll(async () => {
  [kept, data] = [await makeDataDir('dhara-kept-'), await makeDataDir()];
  first = await startArchivedPostgres(kept.path);
  settings = {
    DATA_DIR: data.path,
    PORT: String(await findFreePort()),
    MASTER_KEY: Buffer.alloc(32, 5).toString('base64'),
    LEDGER_SEALS_DIR: join(kept.path, 'seals'),
    SEED_DEMO: 'true',
    ...first.dhara,
  };
});
afterAll(async () => {
  await service?.stop('SIGKILL');
  await first?.stop();
  await recovered?.stop();
  for (const folder of [kept, data]) await folder?.remove();
});

async function start(): Promise<Demo> {
  service = ServiceProcess.start(['all'], settings);
  return service.demo();
}

async function dhara(...args: string[]): Promise<{ code: number | null; output: string }> {
  const run = ServiceProcess.start(args, settings);
  return { code: await run.exit(), output: run.output };
}

async function rowsOf<Row extends object>(postgres: OwnPostgres, sql: string, ...values: unknown[]): Promise<Row[]> {
  return query<Row>(postgres.superuserUrl('dhara'), sql, values);
}

/** The keys of everything that a video has in the store. */
async function objectsOf(postgres: OwnPostgres, videoId: string): Promise<string[]> {
  const rows = await rowsOf<{ key: string }>(
    postgres,
    'select key from stored_object where video_id = $1 and removed_at is null order by key',
    parseVideoId(videoId),
  );
  return rows.map(({ key }) => key);
}

const isStored = (key: string): boolean => existsSync(join(data.path, 'store/objects', key));

async function missingObjects(): Promise<string[]> {
  const { output } = await dhara('doctor', '--json');
  const { checks } = JSON.parse(output) as DoctorReport;
  const { error, findings } = checks.find(({ name }) => name === 'missing-objects')!;
  expect(error).toBeNull();
  return findings.rows.map(({ subject }) => subject).toSorted();
}

describe('a service with an archived log', () => {
  it('goes back to a moment: books and seals verify, and every video that was ready plays', async () => {
    await using folder = await mediaFolder();
    const clip = async (seconds: number, height: number): Promise<Buffer> =>
      readFile(await makeClip(folder.path, { durationSeconds: seconds, width: (height * 16) / 9, height }));
    const [short, long] = [await clip(SHORT_SECONDS, 180), await clip(LONG_SECONDS, 360)];
    const demo = await start();
    const load = await Load.start(demo);
    await first!.takeBaseBackup();

    const [binned, purged] = [await load.upload('Binned', short, 'P480'), await load.upload('Purged', short, 'P480')];
    for (const id of [binned, purged]) {
      await expect.poll(() => readyVideos(demo), { timeout: LONG_WAIT_MS }).toContain(id);
    }
    expect((await dhara('ledger', 'seal')).code).toBe(0);
    const running = await load.upload('Running', long, 'P480');
    const state = `select state from processing where video_id = $1 and state = 'running'`;
    await expect.poll(() => rowsOf(first!, state, parseVideoId(running)), { timeout: LONG_WAIT_MS }).toHaveLength(1);

    const before = { postings: load.postings.length, tokens: load.tokens.length };
    const [{ moment }] = (await rowsOf<{ moment: string }>(first!, 'select clock_timestamp()::text as moment')) as [
      { moment: string },
    ];
    // One of them may be under way.
    const later = load.postings.length + 1;

    // What comes after the moment: work, a seal, and damage.
    await expect.poll(() => load.postings.length, { timeout: LONG_WAIT_MS }).toBeGreaterThan(later + 10);
    await expect.poll(() => readyVideos(demo), { timeout: LONG_WAIT_MS }).toContain(running);
    const after = await load.upload('After', short, 'P480');
    await load.stop();
    expect((await dhara('ledger', 'seal')).code).toBe(0);
    await cp(join(data.path, 'store'), join(kept.path, 'store'), { recursive: true, preserveTimestamps: true });
    const owner = new Client(demo.url, await signIn(demo));
    const remove = 'mutation ($id: ID!) { deleteVideo(id: $id) }';
    for (const id of [binned, purged]) await owner.data(remove, { id });
    const objects = await objectsOf(first!, purged);
    await owner.data('mutation ($id: ID!) { deleteVideoForever(id: $id) }', { id: purged });
    await expect.poll(() => objects.filter(isStored), { timeout: LONG_WAIT_MS }).toEqual([]);
    await rowsOf(first!, 'delete from api_key');

    await service!.stop();
    await first!.archived();
    await first!.stop();
    first = null;
    const recoveringMs = Date.now();
    recovered = await recoverPostgres(kept.path, moment);
    const recoveredMs = Date.now();
    settings = { ...settings, ...recovered.dhara };
    expect(await rowsOf(recovered, state, parseVideoId(running))).toHaveLength(1);

    const postings = await rowsOf<{ key: string }>(
      recovered,
      `select substring(idempotency_key from 'load:.*') as key from ledger_tx where idempotency_key like '%load:%'`,
    );
    const has = new Set(postings.map(({ key }) => key));
    const names = load.postings.map(({ name }) => name);
    expect(names.slice(0, before.postings).filter((name) => !has.has(name))).toEqual([]);
    expect(names.slice(later).filter((name) => has.has(name))).toEqual([]);
    const [used] = await rowsOf<{ tokens: number }>(recovered, 'select sum(used)::int as tokens from api_key');
    expect(used!.tokens).toBeGreaterThanOrEqual(before.tokens);

    // The seals that were kept show what is given up, and prove the rest.
    const unproven = await dhara('ledger', 'verify');
    expect(unproven).toMatchObject({ code: 1 });
    const shown = await dhara('ledger', 'reconcile-seals');
    const [, blocks] = /--blocks (\d+-\d+)/.exec(shown.output)!;
    const given = await dhara('ledger', 'reconcile-seals', '--blocks', blocks!, '--reason', 'a wrong deletion');
    expect(given, given.output).toMatchObject({ code: 0 });
    expect(await dhara('ledger', 'verify')).toMatchObject({ code: 0 });

    // What was deleted for good since is missing, and nothing else. A copy of the store has it.
    const removed = await objectsOf(recovered, purged);
    expect(removed.length).toBeGreaterThan(2);
    expect(await missingObjects()).toEqual(removed);
    await cp(join(kept.path, 'store'), join(data.path, 'store'), { recursive: true, force: false });
    expect(await missingObjects()).toEqual([]);

    const again = await start();
    for (const id of [binned, purged]) await expectPlaysToItsEnd(again, id, SHORT_SECONDS);
    await expectPlaysToItsEnd(again, demo.videoId, LONG_SECONDS);
    // It is processed again, where its lost run had written.
    await expect.poll(() => readyVideos(again), { timeout: LONG_WAIT_MS }).toContain(running);
    await expectPlaysToItsEnd(again, running, LONG_SECONDS);
    expect(await readyVideos(again)).not.toContain(after);
    const charges = await rowsOf(
      recovered,
      `select from ledger_tx where type = 'ESCROW_SETTLE' and reference = $1`,
      parseVideoId(running),
    );
    expect(charges).toHaveLength(1);
    expect(await missingObjects()).toEqual([]);
    expect(await dhara('ledger', 'verify')).toMatchObject({ code: 0 });

    process.stdout.write(
      `recovered in ${((recoveredMs - recoveringMs) / 1000).toFixed(1)} s; ` +
        `${names.length - has.size} of ${names.length} postings were later than the moment\n`,
    );
  });
});
