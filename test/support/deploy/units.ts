import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

export const REPOSITORY = resolve(import.meta.dirname, '../../..');
export const UNITS = ['dhara-api.service', 'dhara-worker.service', 'dhara-migrate.service'] as const;

/** Of an operator's own database and repository. The timer starts the service. */
export const BACKUP_UNITS = ['dhara-backup.service', 'dhara-backup.timer'] as const;

/** Writes the units of `deploy/systemd` into a folder, for a service that is installed in `home`. Returns their paths. */
export async function writeUnits(folder: string, home: string): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  return Promise.all(
    [...UNITS, ...BACKUP_UNITS].map(async (name) => {
      const text = await readFile(join(REPOSITORY, 'deploy/systemd', name), 'utf8');
      const path = join(folder, name);
      await writeFile(path, text.replaceAll('/opt/dhara', home));
      return path;
    }),
  );
}
