import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { postgresBinaries } from '../../../src/db/embedded/binaries.js';
import { openHome } from '../../../src/db/embedded/home.js';
import { acquireDataDirLock, DataDirLockedError } from '../../../src/db/embedded/index.js';
import { liveCommandLine } from '../../../src/db/embedded/proc.js';
import { spawnServer } from '../../../src/db/embedded/run.js';
import {
  firstLine,
  KEPT,
  killHard,
  MAKE_NOTE,
  READ_NOTES,
  retry,
  Scene,
} from '../../support/database/embeddedScene.js';
import { query } from '../../support/database/query.js';

let scene: Scene;

beforeEach(async () => {
  scene = await Scene.open();
});

afterEach(() => scene.close());

describe('the first start', () => {
  it('creates a durable database in UTC', async () => {
    const { migrationUrl } = await scene.start();

    const [row] = await query(
      migrationUrl,
      `select current_database() as database, current_setting('fsync') as fsync,
              current_setting('synchronous_commit') as commit, current_setting('full_page_writes') as pages,
              current_setting('timezone') as zone, current_setting('server_encoding') as encoding`,
    );
    expect(row).toEqual({ database: 'dhara', fsync: 'on', commit: 'on', pages: 'on', zone: 'UTC', encoding: 'UTF8' });
  });

  it('gives the service a role that owns nothing', async () => {
    const { migrationUrl, runtimeUrl } = await scene.start();
    await query(migrationUrl, MAKE_NOTE);

    const [role] = await query(
      runtimeUrl,
      'select rolname, rolsuper, rolcreatedb, rolcreaterole, rolbypassrls from pg_roles where rolname = current_user',
    );
    expect(role).toEqual({
      rolname: 'dhara_app',
      rolsuper: false,
      rolcreatedb: false,
      rolcreaterole: false,
      rolbypassrls: false,
    });
    await expect(query(runtimeUrl, 'create table mine ()')).rejects.toMatchObject({ code: '42501' });
    await expect(query(runtimeUrl, READ_NOTES)).rejects.toMatchObject({ code: '42501' });
  });

  it('requires a password, which only we can read', async () => {
    const { migrationUrl } = await scene.start();

    const url = new URL(migrationUrl);
    url.password = 'guess';
    await expect(query(url.href, 'select 1')).rejects.toMatchObject({ code: '28P01' });
    const { mode, uid } = await stat(join(scene.dataDir, 'postgres/passwords.json'));
    expect([mode & 0o777, uid]).toEqual([0o600, process.getuid?.()]);
  });

  it('is repeated if it was killed midway', async () => {
    const { dir } = await openHome(scene.dataDir);
    await mkdir(join(dir, 'cluster.partial'));
    await writeFile(join(dir, 'cluster.partial/PG_VERSION'), '18\n');

    const { migrationUrl } = await scene.start();

    await expect(query(migrationUrl, 'select 1 as one')).resolves.toEqual([{ one: 1 }]);
  });
});

describe('a later start', () => {
  it('finds everything as it was left', async () => {
    const first = await scene.start();
    await query(first.migrationUrl, MAKE_NOTE);
    await first.stop();

    const second = await scene.start();

    await expect(query(second.migrationUrl, READ_NOTES)).resolves.toEqual(KEPT);
    await expect(query(second.runtimeUrl, 'select 1 as one')).resolves.toEqual([{ one: 1 }]);
  });

  it('is refused while another process holds the data directory, and works once that is killed', async () => {
    const { child } = await scene.startHolder();

    const refused = acquireDataDirLock(scene.dataDir, 50);
    await expect(refused).rejects.toBeInstanceOf(DataDirLockedError);
    await expect(refused).rejects.toThrow(`process ${child.pid}`);
    await killHard(child);

    const lock = await acquireDataDirLock(scene.dataDir, 50);
    await lock.release();
  });

  it('waits for a process that is shutting down', async () => {
    const { child } = await scene.startHolder();

    const waiting = acquireDataDirLock(scene.dataDir, 20_000);
    await killHard(child);

    await (await waiting).release();
  });
});

describe('if the process that holds it is killed', () => {
  it('shuts down cleanly by itself and loses nothing', async () => {
    const { child, facts } = await scene.startHolder();
    await query(facts.migrationUrl, MAKE_NOTE);

    await killHard(child);

    await retry(async () => {
      if (liveCommandLine(facts.postgresPid)) throw new Error('PostgreSQL is still there');
    });
    // A clean shutdown removes the file; a crash leaves it.
    await expect(stat(join(scene.dataDir, 'postgres/cluster/postmaster.pid'))).rejects.toMatchObject({
      code: 'ENOENT',
    });
    const { migrationUrl } = await scene.start();
    await expect(query(migrationUrl, READ_NOTES)).resolves.toEqual(KEPT);
  });

  it('can be started again at once', async () => {
    const { child, facts } = await scene.startHolder();
    await query(facts.migrationUrl, MAKE_NOTE);

    child.kill('SIGKILL');
    const { migrationUrl } = await scene.start();

    await expect(query(migrationUrl, READ_NOTES)).resolves.toEqual(KEPT);
  });
});

describe('leftovers of an earlier run', () => {
  it('a server without a parent is stopped', async () => {
    const first = await scene.start();
    await query(first.migrationUrl, MAKE_NOTE);
    await first.stop();
    const { clusterDir, user } = await openHome(scene.dataDir);
    const { postgres } = await postgresBinaries(user);
    const args = ['-D', clusterDir, '-c', 'unix_socket_directories=', '-c', `port=${first.port}`];
    const living = spawnServer(user, postgres, args);
    scene.onEnd(() => living.kill('SIGKILL'));
    const pidFile = join(clusterDir, 'postmaster.pid');
    await retry(async () => expect(await readFile(pidFile, 'utf8')).toContain(`${living.pid}\n`));

    const second = await scene.start();

    expect(liveCommandLine(living.pid!)).toBeUndefined();
    await expect(query(second.migrationUrl, READ_NOTES)).resolves.toEqual(KEPT);
  });

  it('another process that now has the process id is left alone', async () => {
    await (await scene.start()).stop();
    const stranger = scene.spawn('sleep', ['300']);
    await writeFile(join(scene.dataDir, 'postgres/cluster/postmaster.pid'), `${stranger.pid}\n`);

    const { migrationUrl } = await scene.start();

    await expect(query(migrationUrl, 'select 1 as one')).resolves.toEqual([{ one: 1 }]);
    expect(liveCommandLine(stranger.pid!)).toBeDefined();
  });

  it('a zombie counts as dead', async () => {
    await (await scene.start()).stop();
    // The shell becomes a program that never reaps its child.
    const parent = scene.spawn('sh', ['-c', 'sleep 300 & echo $!; exec sleep 300']);
    const zombiePid = await firstLine(parent);
    await retry(async () => expect(await readFile(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n'));
    process.kill(Number(zombiePid), 'SIGKILL');
    await retry(async () => expect(await readFile(`/proc/${zombiePid}/stat`, 'utf8')).toContain(' Z '));
    await writeFile(join(scene.dataDir, 'postgres/cluster/postmaster.pid'), `${zombiePid}\n`);

    const { migrationUrl } = await scene.start();

    await expect(query(migrationUrl, 'select 1 as one')).resolves.toEqual([{ one: 1 }]);
  });
});

describe('if PostgreSQL itself is killed', () => {
  it('comes back on the same address, repeatedly, with everything that was committed', async () => {
    const postgres = await scene.start();
    await query(postgres.migrationUrl, 'create table note (text text)');

    for (let round = 1; round <= 3; round++) {
      await retry(() => query(postgres.migrationUrl, `insert into note values ('round ${round}')`));
      const killedPid = postgres.pid();
      process.kill(killedPid, 'SIGKILL');

      await retry(() => query(postgres.migrationUrl, READ_NOTES));
      expect(postgres.pid()).not.toBe(killedPid);
    }
    await expect(query(postgres.migrationUrl, READ_NOTES)).resolves.toHaveLength(3);
  });

  it('stays down once it was stopped', async () => {
    const postgres = await scene.start();
    await postgres.stop();

    expect(postgres.pid()).toBe(0);
    await expect(query(postgres.migrationUrl, 'select 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});
