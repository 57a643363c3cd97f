import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { promisify } from 'node:util';

import type { SystemUser } from './systemUser.js';

const runFile = promisify(execFile);

/** PostgreSQL gets none of our environment: it holds secrets, and PG* variables would steer the server. */
const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/** Runs a program to its end as `user` (undefined: the user of this process). Rejects unless it succeeds. */
export async function runAs(user: SystemUser | undefined, program: string, args: readonly string[]): Promise<void> {
  await runFile('setpriv', [...identityArgs(user), '--', program, ...args], {
    env: ENVIRONMENT,
    cwd: '/',
  });
}

/** Whether `user` can enter the directory, or execute the file, at `path`. */
export async function canReach(user: SystemUser | undefined, path: string): Promise<boolean> {
  try {
    await runAs(user, 'test', ['-x', path]);
    return true;
  } catch {
    return false;
  }
}

/**
 * Starts the database server as `user`. Its stderr is the log.
 *
 * The kernel sends it SIGINT (PostgreSQL's "fast shutdown") the moment this process dies, so even `kill -9` shuts the
 * database down cleanly. It gets its own session, because Ctrl-C in the terminal reaches the whole process group, and
 * the database must outlive our own shutdown.
 */
export function spawnServer(user: SystemUser | undefined, program: string, args: readonly string[]): ChildProcess {
  return spawn('setpriv', [...identityArgs(user), '--pdeathsig', 'INT', '--', program, ...args], {
    env: ENVIRONMENT,
    cwd: '/',
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

function identityArgs(user: SystemUser | undefined): string[] {
  if (!user) return ['--no-new-privs'];
  return ['--reuid', String(user.uid), '--regid', String(user.gid), '--clear-groups', '--no-new-privs'];
}
