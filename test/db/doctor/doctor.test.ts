import { Readable } from 'node:stream';

import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { createFfmpegTranscoder } from '../../../src/adapters/transcode/ffmpegTranscoder.js';
import { PostgresDatabase } from '../../../src/db/database.js';
import { raiseAlert } from '../../../src/domain/shared/alerts/raiseAlert.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { verifyLedger } from '../../../src/domain/ledger/verify/verify.js';
import { MEDIA_FAULTS } from './faults.js';
import { OFFICE_FAULTS } from './officeFaults.js';
import { DoctorScene, stuck } from './scene.js';

const FULL_DISK = Number.MAX_SAFE_INTEGER;

let scene: DoctorScene;

beforeEach(async () => {
  scene = await DoctorScene.open();
});

afterEach(() => scene?.close());

it('finds nothing in a new service', async () => {
  const findSandbox = async () => (await createFfmpegTranscoder({ searchPath: process.env['PATH'] })).describeSandbox();
  const report = await scene.examine({ machine: { findSandbox } });
  expect(stuck(report)).toEqual([]);
  expect(report.healthy).toBe(true);
  expect(new Set(report.checks.map(({ name }) => name)).size).toBe(report.checks.length);
});

describe.each([...MEDIA_FAULTS, ...OFFICE_FAULTS])('$check: $how', ({ check, make, mend }) => {
  it(mend ? 'is found, left to a person, and not found again' : 'is found, repaired, and not found again', async () => {
    const subject = await make(scene);
    const seen = await scene.examine();
    expect(stuck(seen)).toEqual([check]);
    expect(seen.healthy).toBe(false);
    const { findings, remedy, title } = seen.checks.find(({ name }) => name === check)!;
    expect(findings.rows.map((row) => row.subject).join()).toContain(subject);
    for (const text of [remedy, title, ...findings.rows.map(({ why }) => why)]) expect(text.length).toBeGreaterThan(10);

    const repaired = await scene.examine({ repair: true });
    if (mend) {
      expect(stuck(repaired)).toEqual([check]);
      await mend(scene);
    } else {
      expect(stuck(repaired)).toEqual([]);
      expect(repaired.checks.find(({ name }) => name === check)!.repair).toMatchObject({ before: findings.count });
    }
    expect(stuck(await scene.examine())).toEqual([]);

    // After any repair, the books hold and no balance has changed.
    expect((await verifyLedger(scene.app.db)).faults).toEqual([]);
    expect(await scene.app.wallet.balances(scene.account)).toMatchObject({ CREATIVE: 100_000_000n, ESCROW: 0n });
  });
});

it('finds a wrong clock, a full disk, a replica that is not read, and an ffmpeg that is missing or has no sandbox', async () => {
  const ahead = await scene.examine({ machine: { nowMs: () => Date.now() + 60_000 } });
  expect(stuck(ahead)).toEqual(['clock']);
  expect(ahead.checks.find(({ name }) => name === 'clock')!.findings.rows[0]!.why).toMatch(/ahead/);
  expect(stuck(await scene.examine({ lowSpaceBytes: FULL_DISK }))).toEqual(['free-space']);
  const replicaFault = () => Promise.resolve('it is not in recovery');
  expect(stuck(await scene.examine({ machine: { replicaFault } }))).toEqual(['read-replica']);
  for (const kind of ['none', 'unshare', 'unshare-as-ourselves', 'bwrap-without-filter'] as const) {
    expect(stuck(await scene.examine({ machine: { findSandbox: () => Promise.resolve(kind) } }))).toEqual(['ffmpeg']);
  }
  const nowhere = async () => (await createFfmpegTranscoder({ ffmpegPath: '/nowhere/ffmpeg' })).describeSandbox();
  const missing = await scene.examine({ machine: { findSandbox: nowhere } });
  expect(missing.checks.find(({ name }) => name === 'ffmpeg')!.findings.rows[0]!.why).toContain('/nowhere/ffmpeg');
});

it('finds a service that runs as the owner of its tables', async () => {
  const db = await PostgresDatabase.connect({ url: scene.database.migrationUrl, maxConnections: 2 });
  try {
    const report = await scene.examine({ db });
    expect(stuck(report)).toEqual(['database-role']);
    const { findings } = report.checks.find(({ name }) => name === 'database-role')!;
    expect(findings.rows).toHaveLength(20);
    expect(findings.count).toBeGreaterThan(20);
  } finally {
    await db.close();
  }
});

it('still runs the checks of the database when the services cannot be built', async () => {
  await raiseAlert(scene.app.db.sql, { kind: 'test.odd', subject: 'beside', message: 'Somebody has to look.' });
  const services = () => {
    throw new Error('the bucket refuses');
  };
  const report = await scene.examine({ services });
  expect(stuck(report)).toEqual(expect.arrayContaining(['store', 'orphan-objects', 'alerts', 'seals']));
  expect(report.checks.find(({ name }) => name === 'store')!.error).toBe('the bucket refuses');
  expect(report.checks.find(({ name }) => name === 'alerts')!.findings.count).toBe(1);
  expect(stuck(report)).not.toContain('suspense');
  await scene.sql('update alert set resolved_at = service_now()');
});

it('reports a check that timed out on a locked table, and runs all others', async () => {
  const holder = new pg.Client({ connectionString: scene.database.migrationUrl });
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query('lock table suspense_item in access exclusive mode');
    const report = await scene.examine({ statementSeconds: 1 });
    expect(stuck(report)).toEqual(['suspense']);
    expect(report.checks.find(({ name }) => name === 'suspense')!.error).toMatch(/timeout/);
    expect(report.healthy).toBe(false);
  } finally {
    await holder.end();
  }
});

it('leaves objects alone that are new, that a run is writing, or that seem to be of another database', async () => {
  const job = await scene.bought();
  const claim = (await scene.app.attempts.claim(job))!;
  await scene.object(`${claim.outputPrefix}480p/init.mp4`);
  const young = `videos/${scene.account}/${newId()}/1-1/480p/init.mp4`;
  await scene.app.store.put(young, Readable.from(['x']));
  expect(stuck(await scene.examine())).toEqual([]);

  const keys = Array.from({ length: 30 }, () => `sources/${newId()}/${newId()}/${'cd'.repeat(20)}`);
  for (const key of keys) await scene.object(key);
  const own = `sources/${scene.account}/${job.videoId}/${'ef'.repeat(20)}`;
  await scene.object(own);
  const seen = await scene.examine({ repair: true });
  expect(stuck(seen)).toEqual(['orphan-objects']);
  const { findings, error } = seen.checks.find(({ name }) => name === 'orphan-objects')!;
  expect(error).toContain('30 are of videos that this database never had');
  expect(findings).toMatchObject({ count: 31 });
  expect(findings.rows).toHaveLength(20);
  expect(await scene.app.store.head(own)).toBeNull();
  for (const key of [...keys, young, `${claim.outputPrefix}480p/init.mp4`]) {
    expect(await scene.app.store.head(key)).not.toBeNull();
  }
});
