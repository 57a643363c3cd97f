import { execute, type NoParams, type Sql, statement } from '../../../db/sql.js';
import { newId } from '../../shared/ids.js';

const KEEP = '90 days';

const RECORD = statement<{ id: string; snapshot: string }>(
  'backup-record',
  `
    with old as (delete from backup where finished_at < service_now() - interval '${KEEP}')
    insert into backup (id, snapshot, finished_at) values (:id, :snapshot, service_now())`,
);

const LAST_AGE = statement<NoParams, { seconds: string | null }>(
  'backup-last-age',
  'select extract(epoch from service_now() - max(finished_at)) as seconds from backup',
);

/** Records that a backup is complete. */
export async function recordBackup(sql: Sql, snapshot: string): Promise<void> {
  await execute(sql, RECORD, { id: newId(), snapshot });
}

/** How long ago the last backup was completed; `null` if there never was one. */
export async function lastBackupAgeSeconds(sql: Sql): Promise<number | null> {
  const [row] = await execute(sql, LAST_AGE);
  return row?.seconds == null ? null : Math.max(0, Number(row.seconds));
}
