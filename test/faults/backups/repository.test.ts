import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { dumpDatabase } from '../../../src/adapters/backup/pgTools.js';
import { ResticRepository } from '../../../src/adapters/backup/resticRepository.js';
import type { BackupErrorCode } from '../../../src/ports/backupRepository.js';
import { makeDataDir } from '../../support/dataDir.js';
import { dhara } from '../../support/terminal.js';

let folder: Awaited<ReturnType<typeof makeDataDir>>;
let files: string;

beforeEach(async () => {
  folder = await makeDataDir('dhara-repository-');
  files = join(folder.path, 'files');
  await mkdir(join(files, 'store'), { recursive: true });
  await writeFile(join(files, 'store', 'a'), 'the first');
});
afterEach(() => folder.remove());

const at = (...path: string[]): string => join(folder.path, ...path);

function repository(name = 'repository', env: Record<string, string> = {}): ResticRepository {
  const { PATH } = process.env;
  return new ResticRepository({
    repository: at(name),
    env: { PATH, RESTIC_PASSWORD: 'right', RESTIC_CACHE_DIR: at('cache'), ...env },
  });
}

async function fails(work: Promise<unknown>, code: BackupErrorCode, message: RegExp): Promise<void> {
  await expect(work).rejects.toMatchObject({ name: 'BackupError', code, message: expect.stringMatching(message) });
}

describe('a repository of backups', () => {
  it('counts a snapshot only once it is complete, and forgets those that never were', async () => {
    await repository().create();
    const { unfinishedId, files: count } = await repository().save(files, ['store']);
    expect(count).toBe(1);
    expect(await repository().snapshots()).toEqual([]);
    const first = await repository().complete(unfinishedId);
    await repository().save(files, ['store']);
    await repository().forgetUnfinished();
    expect(await repository().snapshots()).toEqual([first]);

    await writeFile(at('files', 'store', 'b'), 'the second');
    const second = await repository().complete((await repository().save(files, ['store'])).unfinishedId);
    expect((await repository().snapshots()).map(({ id }) => id)).toEqual([first.id, second.id]);
    expect(await repository().read(first.id, 'store/a')).toBe('the first');
    expect(await repository().sizeBytes(second.id)).toBe(19);
    await mkdir(at('elsewhere'));
    await repository().restore(first.id, at('elsewhere'));
    expect(await readdir(at('elsewhere', 'store'))).toEqual(['a']);
    // Both are of today.
    await repository().prune(1);
    expect(await repository().snapshots()).toHaveLength(2);
  });

  it('is found by a path from the folder of the command, as is the file with its password', async () => {
    await writeFile(at('password'), 'right\n');
    const path = (name: string): string => relative(process.cwd(), at(name));
    const env = { PATH: process.env['PATH'], RESTIC_PASSWORD_FILE: path('password'), RESTIC_CACHE_DIR: at('cache') };
    const near = new ResticRepository({ repository: path('repository'), env });
    await near.create();
    await near.complete((await near.save(files, ['store'])).unfinishedId);
    expect(await repository().snapshots()).toHaveLength(1);
    expect(await readdir(files)).toEqual(['store']);
  });

  it('says what is wrong with a password, an address, a folder or a program', async () => {
    await fails(repository().snapshots(), 'REPOSITORY_MISSING', /There is no repository at .*add --init/);
    await repository().create();
    await fails(repository('repository', { RESTIC_PASSWORD: 'wrong' }).snapshots(), 'WRONG_PASSWORD', /does not open/);
    await fails(repository().save(files, ['nothing']), 'FILES_UNREADABLE', /there is no backup/);
    await fails(repository().save(files, ['store', 'nothing']), 'FILES_UNREADABLE', /there is no backup/);
    // Nobody, not even root, can read the first page of a process's memory.
    await fails(repository().save('/proc/self', ['status', 'mem']), 'FILES_UNREADABLE', /there is no backup/);
    expect(await repository().snapshots()).toEqual([]);
    await fails(
      repository('repository', { PATH: at() }).snapshots(),
      'BACKUP_TOOL_MISSING',
      /apt-get install -y restic/,
    );
  });

  it('says so if the disk is full, while it saves or restores', async () => {
    await repository().create();
    await writeFile(at('files', 'store', 'large'), randomBytes(3_000_000));
    const { id } = await repository().complete((await repository().save(files, ['store'])).unfinishedId);
    await mkdir(at('small'));
    // A disk of one megabyte, which only this restic sees.
    await mkdir(at('bin'));
    const mounting = `mount -t tmpfs -o size=1m none ${at('small')} && exec /usr/bin/restic "$@"`;
    await writeFile(at('bin', 'restic'), `#!/bin/sh\nexec unshare -rm sh -c '${mounting}' restic "$@"\n`, {
      mode: 0o755,
    });
    const onSmallDisk = { PATH: `${at('bin')}:${process.env['PATH']}` };
    await fails(repository('repository', onSmallDisk).restore(id, at('small')), 'DISK_FULL', /The disk is full/);
    const cramped = { ...onSmallDisk, TMPDIR: at('small') };
    await writeFile(at('files', 'store', 'other'), randomBytes(3_000_000));
    await fails(repository('repository', cramped).save(files, ['store']), 'DISK_FULL', /The disk is full/);
  });

  it('names the programs of PostgreSQL that are missing', async () => {
    const url = 'postgres://nobody@127.0.0.1:1/none';
    const options = { url, password: '', serverMajor: 99, searchPath: '/usr/bin' };
    const missing = /pg_dump of PostgreSQL 99 or newer is needed .* postgresql-client-99/;
    await fails(dumpDatabase(options, at('dump')), 'BACKUP_TOOL_MISSING', missing);
    await fails(dumpDatabase({ ...options, serverMajor: 1 }, at('dump')), 'DATABASE_FAILED', /connection to server/);
  });

  it('refuses to restore what is damaged', async () => {
    await repository().create();
    const { id } = await repository().complete((await repository().save(files, ['store'])).unfinishedId);
    for (const name of await readdir(at('repository', 'data'), { recursive: true })) {
      if (!/[0-9a-f]{64}$/.test(name)) continue;
      const path = at('repository', 'data', name);
      const bytes = await readFile(path);
      bytes.fill(0, 0, 64);
      await chmod(path, 0o600);
      await writeFile(path, bytes);
    }
    await fails(repository('repository').restore(id, at('elsewhere')), 'REPOSITORY_DAMAGED', /restic check/);
  });
});

describe('dhara backup and dhara restore', () => {
  const run = (args: string[], settings: Record<string, string> = {}) =>
    dhara(args, { DATA_DIR: at('data'), RESTIC_PASSWORD: 'right', RESTIC_CACHE_DIR: at('cache'), ...settings });

  it('refuse what cannot be meant, in one line', async () => {
    const here = ['--repository', at('repository')];
    expect((await run(['backup'])).err).toMatch(/^dhara: Usage: dhara backup --repository/);
    expect((await run(['restore', ...here, '--snapshot', 'abcd', '--at', '2026-11-23T14:30Z'])).err).toMatch(/Usage/);
    expect((await run(['restore', ...here, '--at', '2026-11-23 14:30'])).err).toMatch(/time with its zone/);
    expect((await run(['restore', ...here, '--snapshot', 'latest'])).err).toMatch(/the id of a backup/);
    expect((await run(['backup', ...here, '--keep-days', '0'])).err).toMatch(/a number from 1/);
    expect((await run(['restore', ...here], { RESTIC_PASSWORD: '' })).err).toMatch(
      /password of the repository is missi/,
    );
    expect(await run(['restore', ...here])).toMatchObject({
      code: 1,
      err: expect.stringContaining('no repository at'),
    });
    await repository().create();
    const empty = await run(['restore', ...here]);
    expect(empty).toMatchObject({ code: 1, err: 'dhara: The repository has no complete backup.\n' });
    // None of them created the folder.
    expect(await readdir(at())).not.toContain('data');
  });
});
