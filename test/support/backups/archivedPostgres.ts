import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect } from 'vitest';

import { runAs } from '../../../src/db/embedded/run.js';
import { makeDataDir } from '../dataDir.js';
import { query } from '../database/query.js';
import { debianPostgres, makeFolder, type OwnPostgres, startCluster, startOwnPostgres } from './ownPostgres.js';

/** A PostgreSQL of Debian that can be recovered to any time since its base backup, as docs/backups.md says. */
export interface ArchivedPostgres extends OwnPostgres {
  takeBaseBackup(): Promise<void>;
  /** Resolves once everything that was committed so far is in the archive. */
  archived(): Promise<void>;
}

/** @param kept a folder for what is left when the server is lost: its archive and its base backup */
export async function startArchivedPostgres(kept: string): Promise<ArchivedPostgres> {
  const { bin, user } = await debianPostgres();
  const archive = await makeFolder(archiveOf(kept), user);
  const base = await makeFolder(baseOf(kept), user);
  const postgres = await startOwnPostgres({
    archive_mode: 'on',
    archive_command: `test ! -f ${archive}/%f && cp %p ${archive}/%f`,
    archive_timeout: 60,
  });
  const url = postgres.superuserUrl('postgres');
  return {
    ...postgres,
    takeBaseBackup: () =>
      runAs(user, join(bin, 'pg_basebackup'), [`--dbname=${url}`, `--pgdata=${base}`, '--checkpoint=fast']),
    async archived() {
      const [row] = await query<{ segment: string }>(url, 'select pg_walfile_name(pg_switch_wal()) as segment');
      await expect.poll(() => readdir(archive)).toContain(row!.segment);
    },
  };
}

/** Another server, with everything that was committed until then and nothing later. */
export async function recoverPostgres(kept: string, until: string): Promise<OwnPostgres> {
  const folder = await makeDataDir('dhara-recovered-postgres-');
  const clusterDir = join(folder.path, 'cluster');
  await runAs(undefined, 'cp', ['-a', baseOf(kept), clusterDir]);
  await writeFile(join(clusterDir, 'recovery.signal'), '');
  return startCluster(folder, {
    restore_command: `cp ${archiveOf(kept)}/%f %p`,
    recovery_target_time: until,
    recovery_target_action: 'promote',
  });
}

const archiveOf = (kept: string): string => join(kept, 'archive');
const baseOf = (kept: string): string => join(kept, 'base');
