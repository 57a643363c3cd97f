import { copyFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { ResticRepository } from '../../../src/adapters/backup/resticRepository.js';
import { PostgresDatabase } from '../../../src/db/database.js';
import { findFreePort } from '../../support/freePort.js';
import { ifProcessLockIsFree } from '../../../src/domain/shared/processLock.js';
import { startOwnPostgres, type OwnPostgres } from '../../support/backups/ownPostgres.js';
import { expectPlaysToItsEnd } from '../../support/backups/playing.js';
import { makeDataDir } from '../../support/dataDir.js';
import { ServiceProcess } from '../../support/service.js';
import { makeBucket, s3Settings, startSwift, type Swift } from '../../support/swift.js';
import { query } from '../../support/database/query.js';

const MASTER_KEY = Buffer.alloc(32, 5).toString('base64');

let folder: Awaited<ReturnType<typeof makeDataDir>>;
let postgres: OwnPostgres;
let swift: Swift;
let base: Record<string, string>;

beforeAll(async () => {
  folder = await makeDataDir('dhara-own-');
  [postgres, swift] = await Promise.all([startOwnPostgres(), startSwift()]);
  base = {
    MASTER_KEY,
    PORT: String(await findFreePort()),
    LEDGER_SEALS_DIR: join(folder.path, 'seals'),
    ...s3Settings(swift),
    RESTIC_REPOSITORY: join(folder.path, 'repository'),
    RESTIC_PASSWORD: 'right',
    RESTIC_CACHE_DIR: join(folder.path, 'cache'),
  };
});
afterAll(async () => {
  await swift?.stop();
  await postgres?.stop();
  await folder?.remove();
});

/** A machine of its own, with a database and a bucket. */
async function machine(name: string) {
  await makeBucket(swift, name);
  const urls = await postgres.create(name);
  return { ...base, ...urls, S3_BUCKET: name, DATA_DIR: join(folder.path, name), PORT: base['PORT']! };
}
type Machine = Awaited<ReturnType<typeof machine>>;

async function dhara(
  settings: Omit<Machine, 'DATABASE_URL' | 'DATABASE_MIGRATION_URL'>,
  ...args: string[]
): Promise<{ code: number | null; output: string }> {
  const run = ServiceProcess.start(args, settings);
  return { code: await run.exit(), output: run.output };
}

/** Every right on every object, which a restored database must have like any other. */
async function rights(url: string): Promise<unknown[]> {
  const rows = await query<{ rights: string[] | null }>(
    url,
    `
    with ours as (select oid, nspname from pg_namespace where nspname in ('public', 'auth', 'pgboss'))
    select nspname || '.' || relname as name, relowner::regrole::text as owner, relacl::text[] as rights
      from pg_class join ours on ours.oid = relnamespace
    union all select oid::regprocedure::text, proowner::regrole::text, proacl::text[]
      from pg_proc where pronamespace in (select oid from ours)
    union all select 'schema ' || n.nspname, nspowner::regrole::text, nspacl::text[]
      from pg_namespace n join ours using (oid)
    order by 1, 2`,
  );
  return rows.map((row) => ({ ...row, rights: row.rights?.toSorted() ?? null }));
}

/** Ends the session that holds the store for a backup. @returns how many there were */
async function endHold(db: PostgresDatabase): Promise<number> {
  const rows = await db.sql.query({
    name: 'test-end-hold',
    text: `select pg_terminate_backend(pid) from pg_locks
      where locktype = 'advisory' and mode = 'ExclusiveLock' and granted and objid = 7140918`,
  });
  return rows.length;
}

function snapshots() {
  const { PATH } = process.env;
  return new ResticRepository({ repository: base['RESTIC_REPOSITORY']!, env: { PATH, ...base } }).snapshots();
}

describe('a service with its own database and a bucket', () => {
  it('is restored into an empty database and an empty bucket, with every right and every video', async () => {
    const lost = await machine('lost');
    const service = ServiceProcess.start(['all'], { ...lost, SEED_DEMO: 'true' });
    try {
      const demo = await service.demo();
      expect((await dhara(lost, 'ledger', 'seal')).code).toBe(0);
      const taken = await dhara({ ...lost, ...bySeveralServers(lost) }, 'backup', '--init');
      expect(taken, taken.output).toMatchObject({ code: 0 });
      // What the bucket had is copied once: the second backup has next to nothing new.
      const second = await dhara(lost, 'backup', '--keep-days', '7');
      expect(second, second.output).toMatchObject({ code: 0 });
      expect(Number(/of which (\d+\.\d) MB are new/.exec(second.output)![1])).toBeLessThan(1);

      const db = await PostgresDatabase.connect({ url: lost.DATABASE_URL, maxConnections: 2 });
      const third = await ifProcessLockIsFree(db, 'backup', () => dhara(lost, 'backup'));
      expect(third).toMatchObject({ code: 1, output: expect.stringContaining('Another backup is running') });
      // A backup whose hold ends too early does not count.
      const before = await snapshots();
      const unheld = dhara(lost, 'backup');
      await expect.poll(() => endHold(db)).toBe(1);
      expect(await unheld).toMatchObject({ code: 1, output: expect.stringContaining('ended the session that held') });
      expect(await snapshots()).toEqual(before);
      await db.close();
      await service.stop('SIGKILL');

      const found = await machine('found');
      const otherDatabase = await dhara({ ...found, ...pick(lost) }, 'restore');
      expect(otherDatabase.output).toMatch(/The database of DATABASE_URL is not empty/);
      expect((await dhara({ ...found, S3_BUCKET: 'lost' }, 'restore')).output).toMatch(/The bucket is not empty/);
      const { DATABASE_URL: _url, DATABASE_MIGRATION_URL: _owner, ...embedded } = found;
      expect((await dhara(embedded, 'restore')).output).toMatch(/a database of your own: set DATABASE_URL to an empty/);

      const restored = await dhara({ ...found, ...bySeveralServers(found) }, 'restore');
      expect(restored, restored.output).toMatchObject({ code: 0 });
      expect(restored.output).toMatch(/The store is complete: \d+ uploads and runs\.\nThe ledger is correct/);
      expect(await rights(found.DATABASE_MIGRATION_URL)).toEqual(await rights(lost.DATABASE_MIGRATION_URL));
      expect(await readdir(found.DATA_DIR)).not.toEqual(expect.arrayContaining(['backup', 'mirror', 'restoring.json']));

      // A restore that was killed after the database was written, at its very end, is finished by the same one.
      const [first, last] = await snapshots();
      const begun = (id: string) => writeFile(join(found.DATA_DIR, 'restoring.json'), JSON.stringify({ snapshot: id }));
      await begun(last!.id);
      expect((await dhara(found, 'ledger', 'verify')).output).toMatch(/did not finish/);
      const other = await dhara(found, 'restore', '--snapshot', first!.id);
      expect(other.output).toMatch(/The database of DATABASE_URL is not empty/);
      expect(await dhara(found, 'restore')).toMatchObject({ code: 0 });

      const again = ServiceProcess.start(['all'], found);
      try {
        await copyFile(join(lost.DATA_DIR, 'demo.json'), join(found.DATA_DIR, 'demo.json'));
        await expectPlaysToItsEnd(await again.demo(), demo.videoId, 20);
        expect(await dhara(found, 'ledger', 'verify')).toMatchObject({ code: 0 });
      } finally {
        await again.stop();
      }
    } finally {
      await service.stop('SIGKILL');
    }
  });
});

function pick({ DATABASE_URL, DATABASE_MIGRATION_URL }: Machine) {
  return { DATABASE_URL, DATABASE_MIGRATION_URL };
}

/** The same database, by an address of two servers of which the first is down. */
function bySeveralServers({ DATABASE_URL, DATABASE_MIGRATION_URL }: Machine) {
  const several = (url: string) => `${url.replace('@', '@127.0.0.1:1,')}?target_session_attrs=read-write`;
  return { DATABASE_URL: several(DATABASE_URL), DATABASE_MIGRATION_URL: several(DATABASE_MIGRATION_URL) };
}
