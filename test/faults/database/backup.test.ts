import { mkdir, readdir, readFile, rename, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';

import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { openDatabase } from '../../../src/cli/databaseAccess.js';
import { loadConfig } from '../../../src/config/config.js';
import { backupEmbedded, restoreBackup } from '../../../src/db/embedded/backup/index.js';
import type { EmbeddedPostgres } from '../../../src/db/embedded/index.js';
import { makeDataDir } from '../../support/dataDir.js';
import { Scene } from '../../support/database/embeddedScene.js';
import { dhara } from '../../support/terminal.js';
import { query } from '../../support/database/query.js';

const log = pino({ level: 'silent' });

let scene: Scene;
let other: Scene;
let folder: Awaited<ReturnType<typeof makeDataDir>>;
let file: string;

beforeEach(async () => {
  [scene, other] = [await Scene.open(), await Scene.open()];
  folder = await makeDataDir('dhara-backup-');
  file = join(folder.path, 'a.backup');
});
afterEach(async () => {
  await scene.close();
  await other.close();
  await folder.remove();
});

function backup(postgres: EmbeddedPostgres, to = file) {
  return backupEmbedded(scene.dataDir, postgres.migrationUrl, { file: to });
}

function restore(into: Scene, replace = false) {
  return restoreBackup({ dataDir: into.dataDir, file, replace, log });
}

async function note(postgres: EmbeddedPostgres, text: string): Promise<void> {
  await query(postgres.migrationUrl, `create table if not exists note (text text)`);
  await query(postgres.migrationUrl, `insert into note values ('${text}')`);
}

function notes(postgres: EmbeddedPostgres): Promise<unknown[]> {
  return query(postgres.migrationUrl, 'select text from note order by text');
}

describe('a backup of the embedded database', () => {
  it('holds everything committed before it, and nothing partially, even if rows are written meanwhile', async () => {
    const postgres = await scene.start();
    await query(
      postgres.migrationUrl,
      `create table pair (side text, n int);
       create function refuse() returns trigger language plpgsql as 'begin raise exception ''append only''; end';
       create trigger keep before delete on pair for each statement execute function refuse();
       grant select, insert on pair to dhara_app`,
    );
    let written = 0;
    const enough = new AbortController();
    const writing = (async () => {
      for (; !enough.signal.aborted; written += 1) {
        await query(postgres.migrationUrl, `insert into pair values ('left', ${written}), ('right', ${written})`);
      }
    })();
    await expect.poll(() => written).toBeGreaterThan(5);
    const before = written;
    const { sizeBytes, hasMasterKey } = await backup(postgres);
    enough.abort();
    await writing;
    expect(hasMasterKey).toBe(false);
    const facts = await stat(file);
    expect([facts.size, facts.mode & 0o777]).toEqual([sizeBytes, 0o600]);
    expect(await readdir(folder.path)).toEqual(['a.backup']);

    await restore(other);
    const restored = await other.start();
    const [row] = (await query(
      restored.migrationUrl,
      `select count(distinct n)::int as pairs, max(n) + 1 as last, count(*)::int as rows from pair`,
    )) as [{ pairs: number; last: number; rows: number }];
    expect(row.pairs).toBeGreaterThanOrEqual(before);
    expect(row).toEqual({ pairs: row.last, last: row.last, rows: 2 * row.last });
    // Owners, rights, triggers and passwords are restored too.
    await query(restored.runtimeUrl, `insert into pair values ('left', -1)`);
    await expect(query(restored.runtimeUrl, 'delete from pair')).rejects.toMatchObject({ code: '42501' });
    await expect(query(restored.migrationUrl, 'delete from pair')).rejects.toThrow('append only');
    // The slot and the backup ended with the session.
    expect(await query(postgres.superuserUrl, 'select slot_name from pg_replication_slots')).toEqual([]);
  });

  it('never replaces a file, nor leaves a partial one', async () => {
    const postgres = await scene.start();
    await writeFile(file, 'mine');
    await expect(backup(postgres)).rejects.toThrow('already exists');
    expect(await readFile(file, 'utf8')).toBe('mine');
    await expect(backup(postgres, join(folder.path, 'no', 'folder'))).rejects.toThrow('ENOENT');
    expect(await readdir(folder.path)).toEqual(['a.backup']);
  });
});

describe('dhara backup and dhara restore', () => {
  it('write a database that nothing runs to a file, and restore it over another only if told to', async () => {
    const command = (of: Scene, ...args: string[]) => dhara(args, { DATA_DIR: of.dataDir });
    const postgres = await scene.start();
    await note(postgres, 'backed up');
    await postgres.stop();
    const taken = await command(scene, 'backup', '--to', file);
    expect(taken).toMatchObject({ code: 0, err: '' });
    expect(taken.out).toContain(`The database is in ${file} (`);
    expect(taken.out).toContain('It does not include the master key');
    expect(await command(scene, 'backup', '--to', file)).toMatchObject({ code: 1, out: '' });

    const restored = await command(other, 'restore', '--from', file);
    expect(restored).toMatchObject({ code: 0, err: '' });
    // A slow machine says first how far it is.
    expect(restored.out).toMatch(/^The database is as it was at \d{4}-\S+Z\. Start the service/m);
    expect((await command(other, 'restore', '--from', file)).err).toContain('Add --replace');
    expect(await command(other, 'restore', '--from', file, '--replace')).toMatchObject({ code: 0 });
    expect(await notes(await other.start())).toEqual([{ text: 'backed up' }]);
  });

  it('use the database of the process that runs it', async () => {
    const owner = await openDatabase(loadConfig({ DATA_DIR: scene.dataDir }), 'own', log);
    try {
      expect(await dhara(['migrate'], { DATA_DIR: scene.dataDir })).toMatchObject({ code: 0, err: '' });
      expect(await dhara(['backup', '--to', file], { DATA_DIR: scene.dataDir })).toMatchObject({ code: 0, err: '' });
    } finally {
      await owner.close();
    }
  });
});

describe('restoring', () => {
  it('replaces a database only if told to, restores its master key, and keeps the previous key', async () => {
    const postgres = await scene.start();
    await note(postgres, 'backed up');
    await writeFile(join(scene.dataDir, 'master.key'), 'the key of then');
    await backup(postgres);
    const old = await other.start();
    await note(old, 'old');
    await old.stop();
    await writeFile(join(other.dataDir, 'master.key'), 'another key');

    await expect(restore(other)).rejects.toThrow('--replace');
    const still = await other.start();
    expect(await notes(still)).toEqual([{ text: 'old' }]);
    await still.stop();

    await restore(other, true);
    expect(await notes(await other.start())).toEqual([{ text: 'backed up' }]);
    expect(await readFile(join(other.dataDir, 'master.key'), 'utf8')).toBe('the key of then');
    expect(await readFile(join(other.dataDir, 'master.key.replaced'), 'utf8')).toBe('another key');
  });

  it('asks before it replaces another master key, even if the database is lost', async () => {
    const postgres = await scene.start();
    await writeFile(join(scene.dataDir, 'master.key'), 'the key of then');
    await backup(postgres);
    await writeFile(join(other.dataDir, 'master.key'), 'another key');
    await expect(restore(other)).rejects.toThrow('is not the backup’s');
    expect(await readFile(join(other.dataDir, 'master.key'), 'utf8')).toBe('another key');
  });

  it('refuses a truncated or changed backup, and leaves the old database', async () => {
    const postgres = await scene.start();
    await note(postgres, 'backed up');
    await backup(postgres);
    const whole = await readFile(file);
    const old = await other.start();
    await note(old, 'old');
    await old.stop();

    const bytes = gunzipSync(whole);
    const at = bytes.indexOf('backup_label') + 600;
    bytes[at] = bytes[at]! ^ 1;
    const changed = gzipSync(bytes, { level: 1 });
    const cases = [
      [whole.subarray(0, whole.length >> 1), 'not a complete backup'],
      [gzipSync(gunzipSync(whole).subarray(0, -4096), { level: 1 }), 'not a complete backup'],
      [changed, 'its checksum does not match'],
      [Buffer.from('hello'), 'it cannot be decompressed'],
      [gzipSync(Buffer.alloc(512, 'x')), 'not in the form'],
    ] as const;
    for (const [content, why] of cases) {
      await writeFile(file, content);
      await expect(restore(other, true)).rejects.toThrow(why);
    }
    await truncate(file, 0);
    await expect(restore(other, true)).rejects.toThrow();
    expect(await readdir(join(other.dataDir, 'postgres'))).toEqual(expect.not.arrayContaining(['cluster.restoring']));
    expect(await notes(await other.start())).toEqual([{ text: 'old' }]);
  });

  it('leaves the old or the new database if it is killed between any two steps', async () => {
    const postgres = await scene.start();
    await note(postgres, 'backed up');
    await backup(postgres);
    const home = join(other.dataDir, 'postgres');
    const at = (name: string): string => join(home, name);
    const old = await other.start();
    await note(old, 'old');
    await old.stop();
    const passwords = await readFile(at('passwords.json'), 'utf8');

    // While it unpacks.
    await mkdir(at('cluster.restoring'));
    await writeFile(join(at('cluster.restoring'), 'PG_VERSION'), '18');
    let now = await other.start();
    expect(await notes(now)).toEqual([{ text: 'old' }]);
    await now.stop();

    // Between the renames.
    await rename(at('cluster'), at('cluster.replaced'));
    await mkdir(at('cluster.restoring'));
    now = await other.start();
    expect(await notes(now)).toEqual([{ text: 'old' }]);
    await now.stop();
    expect((await readdir(home)).sort()).toEqual(['cluster', 'passwords.json']);

    // After them: the passwords are still those of the old database, whose cluster still exists.
    await restore(other, true);
    const theirs = await readFile(at('passwords.json'), 'utf8');
    expect(theirs).not.toBe(passwords);
    await mkdir(at('cluster/dhara'));
    await writeFile(at('cluster/dhara/passwords.json'), theirs);
    await writeFile(at('passwords.json'), passwords);
    await mkdir(at('cluster.replaced'));
    now = await other.start();
    expect(await notes(now)).toEqual([{ text: 'backed up' }]);
    expect((await readdir(home)).sort()).toEqual(['cluster', 'passwords.json']);
  });
});
