import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

import { BackupError } from '../../ports/backupRepository.js';

const run = promisify(execFile);

/** Where Debian and Ubuntu keep the programs of each major version. */
const DEBIAN = '/usr/lib/postgresql';
const KEPT_BYTES = 16 * 1024 * 1024;

export interface PgToolsOptions {
  /**
   * Address of the database, as the role that owns everything in it, and of several servers if there are. Without its
   * password, because everybody on the machine sees the arguments of programs.
   */
  readonly url: string;
  readonly password: string;
  /** Of the server. The programs must not be older, and newer ones may write what the server does not understand. */
  readonly serverMajor: number;
  /** Like PATH. */
  readonly searchPath: string;
}

/**
 * Writes one consistent state of the database to a file, uncompressed: the repository compresses, and finds what it
 * shares with the file before.
 *
 * @throws BackupError
 */
export async function dumpDatabase(options: PgToolsOptions, file: string): Promise<void> {
  await runTool('pg_dump', options, ['--format=custom', '--compress=0', '--no-owner', `--file=${file}`]);
}

/** Restores such a file into an empty database: everything, or nothing. @throws BackupError */
export async function restoreDump(options: PgToolsOptions, file: string): Promise<void> {
  await runTool('pg_restore', options, ['--single-transaction', '--exit-on-error', '--no-owner', file]);
}

async function runTool(name: string, options: PgToolsOptions, args: readonly string[]): Promise<void> {
  const program = await programOf(name, options);
  const { url, password, searchPath } = options;
  const env = { PATH: searchPath, LC_ALL: 'C', ...(password === '' ? {} : { PGPASSWORD: password }) };
  try {
    await run(program, [`--dbname=${url}`, ...args], { env, maxBuffer: KEPT_BYTES });
  } catch (cause) {
    const { stderr = '', message } = cause as { stderr?: string; message: string };
    const line =
      stderr
        .trim()
        .split('\n')
        .find((each) => /error|No space/.test(each)) ?? message.split('\n')[0]!;
    const code = /No space left on device/i.test(stderr) ? 'DISK_FULL' : 'DATABASE_FAILED';
    throw new BackupError(code, `${name} failed: ${line.replace(/^pg_\w+: /, '')}`, { cause });
  }
}

/** The program of the server's major version, or of the next newer one that is installed. */
async function programOf(name: string, { serverMajor, searchPath }: PgToolsOptions): Promise<string> {
  const debian = await readdir(DEBIAN).catch(() => []);
  const folders = [
    ...searchPath.split(delimiter).filter(Boolean),
    ...debian.map((major) => join(DEBIAN, major, 'bin')),
  ];
  const found = await Promise.all(
    folders.map(async (folder) => {
      const program = join(folder, name);
      const { stdout } = await run(program, ['--version'], { env: { LC_ALL: 'C' } }).catch(() => ({ stdout: '' }));
      return { program, major: Number(/ (\d+)[.\d]*/.exec(stdout)?.[1] ?? 0) };
    }),
  );
  const [best] = found.filter(({ major }) => major >= serverMajor).toSorted((a, b) => a.major - b.major);
  if (best) return best.program;
  const message = `${name} of PostgreSQL ${serverMajor} or newer is needed and was not found. Type: sudo apt-get install -y postgresql-client-${serverMajor}`;
  throw new BackupError('BACKUP_TOOL_MISSING', message);
}
