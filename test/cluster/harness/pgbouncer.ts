import { chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { findFreePort } from '../../support/freePort.js';
import { databaseUser } from '../../../src/db/embedded/systemUser.js';
import { accepts } from './balancer.js';
import { asUser, Child } from './child.js';

export interface PgbouncerOptions {
  /** Does not exist yet. */
  readonly folder: string;
  /** The database server behind it. */
  readonly server: { readonly host: string; readonly port: number };
  /** Passwords by role. */
  readonly users: Readonly<Record<string, string>>;
  /** Server connections per database and role. Default 20. */
  readonly poolSize?: number;
  /** Lines of `[pgbouncer]` besides. */
  readonly settings?: readonly string[];
}

/** PgBouncer in transaction mode: a client has a server connection for as long as a transaction takes. */
export class Pgbouncer {
  private constructor(
    private readonly child: Child,
    readonly port: number,
  ) {}

  static async start(options: PgbouncerOptions): Promise<Pgbouncer> {
    const { folder } = options;
    const port = await findFreePort();
    // PgBouncer refuses to run as root.
    const user = await databaseUser();
    const files = { 'pgbouncer.ini': configuration(folder, port, options), 'users.txt': userList(options.users) };
    await mkdir(folder);
    for (const [name, text] of Object.entries(files)) {
      await writeFile(join(folder, name), text, { mode: 0o600 });
      await chown(join(folder, name), user.uid, user.gid);
    }
    const program = ['/usr/sbin/pgbouncer', join(folder, 'pgbouncer.ini')];
    const child = await Child.start(join(folder, 'pgbouncer.log'), [...asUser(user), ...program]);
    await child.until(() => accepts(port), 'PgBouncer listens');
    return new Pgbouncer(child, port);
  }

  async stop(): Promise<void> {
    await this.child.stop('SIGKILL');
  }
}

function configuration(folder: string, port: number, options: PgbouncerOptions): string {
  const { server, poolSize = 20, settings = [] } = options;
  const lines = [
    '[databases]',
    `* = host=${server.host} port=${server.port}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = scram-sha-256',
    `auth_file = ${join(folder, 'users.txt')}`,
    'pool_mode = transaction',
    `default_pool_size = ${poolSize}`,
    'max_client_conn = 500',
    ...settings,
  ];
  return `${lines.join('\n')}\n`;
}

function userList(users: Readonly<Record<string, string>>): string {
  return Object.entries(users)
    .map(([role, password]) => `"${role}" "${password}"\n`)
    .join('');
}
