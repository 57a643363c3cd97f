import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

import { EmbeddedPostgresError } from './errors.js';

const run = promisify(execFile);

/** The system user that PostgreSQL runs as. */
export interface SystemUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** A dedicated user, so that no other service can read or signal the database. */
const USER_NAME = 'dhara-postgres';

/**
 * The user to run PostgreSQL as if this process is root; PostgreSQL refuses to run as root.
 *
 * An existing cluster keeps its owner if that owner still has a name. Otherwise a dedicated system user is created on
 * first use; if that fails, `nobody` is used.
 *
 * @param clusterOwnerUid owner of the cluster's files, if there is a cluster
 */
export async function databaseUser(clusterOwnerUid?: number): Promise<SystemUser> {
  const before = await listUsers();
  const owner = before.find((user) => user.uid === clusterOwnerUid && user.uid !== 0);
  if (owner) return owner;

  const existing = before.find((user) => user.name === USER_NAME);
  if (existing) return existing;

  await createUser();
  const after = await listUsers();
  const user =
    after.find((candidate) => candidate.name === USER_NAME) ?? after.find((candidate) => candidate.name === 'nobody');
  if (!user) {
    throw new EmbeddedPostgresError(
      `PostgreSQL does not run as root: create a user (useradd --system ${USER_NAME}), start Dhara as another user, or set DATABASE_URL.`,
    );
  }
  return user;
}

async function createUser(): Promise<void> {
  const shell = '/usr/sbin/nologin';
  try {
    await run('useradd', ['--system', '--user-group', '--no-create-home', '--shell', shell, USER_NAME]);
  } catch {
    // No useradd here, a read-only /etc, or another start was faster: the caller looks again.
  }
}

async function listUsers(): Promise<SystemUser[]> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n');
  return lines.flatMap((line) => {
    const [name, , uid, gid] = line.split(':');
    return name && uid && gid ? [{ name, uid: Number(uid), gid: Number(gid) }] : [];
  });
}
