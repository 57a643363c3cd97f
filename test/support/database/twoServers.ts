import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { postgresBinaries } from '../../../src/db/embedded/binaries.js';
import { findFreePort } from '../freePort.js';
import { runAs, spawnServer } from '../../../src/db/embedded/run.js';
import { databaseUser, type SystemUser } from '../../../src/db/embedded/systemUser.js';
import { makeDataDir } from '../dataDir.js';
import { retry } from './embeddedScene.js';
import { query } from './query.js';

const DATABASE = 'dhara';
const LOG_CHARS = 4000;

/** One PostgreSQL that can be killed or frozen. */
class TestServer {
  #child: ChildProcess | null = null;

  constructor(
    readonly port: number,
    private readonly clusterDir: string,
    private readonly program: string,
    private readonly user: SystemUser | undefined,
  ) {}

  async start(settings: Readonly<Record<string, string>> = {}): Promise<void> {
    const all = {
      listen_addresses: '127.0.0.1',
      port: String(this.port),
      unix_socket_directories: '',
      timezone: 'UTC',
      fsync: 'off',
      wal_keep_size: '1GB',
      wal_receiver_status_interval: '1s',
      ...settings,
    };
    const args = ['-D', this.clusterDir, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
    const child = spawnServer(this.user, this.program, args);
    this.#child = child;
    let said = '';
    // Read to its end, since a full pipe would block the server.
    child.stderr?.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-LOG_CHARS)));
    const ended = once(child, 'close').then(() => {
      throw new Error(`PostgreSQL has ended before it answered:\n${said}`);
    });
    await Promise.race([ended, retry(() => this.query('select'))]);
  }

  /** As the superuser. */
  query(text: string): Promise<unknown[]> {
    return query(`postgresql://postgres@127.0.0.1:${this.port}/postgres`, text);
  }

  /** Ends it at once. Its children notice, and end too. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.#end('SIGINT');
  }

  /** Stops the server and its children where they are: connections stay open, and nobody answers. */
  async freeze(): Promise<void> {
    await this.#signal('SIGSTOP');
  }

  async thaw(): Promise<void> {
    await this.#signal('SIGCONT');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  async #signal(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child!;
    // The server first, so that it makes no more children.
    child.kill(signal);
    for (const pid of await childrenOf(child.pid!)) {
      try {
        process.kill(pid, signal);
      } catch (error) {
        // A connection that closed meanwhile took its process with it.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
  }
}

export interface TwoServers {
  readonly primary: TestServer;
  readonly standby: TestServer;
  /** An address of both, the standby first. */
  urlOf(role: 'postgres' | 'dhara_owner' | 'dhara_app', wanted?: string): string;
  /** After it was killed. */
  startStandby(): Promise<void>;
  /** Resolves once the standby has everything. */
  caughtUp(): Promise<void>;
  /** Makes the standby the primary, as an orchestrator does once the primary is gone. */
  promote(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A primary, and a standby that streams from it, with an empty database and the two roles of the documentation.
 *
 * @param isSynchronous the primary acknowledges a commit once the standby has it on disk
 */
export async function startTwoServers({ isSynchronous = false } = {}): Promise<TwoServers> {
  const folder = await makeDataDir('dhara-two-servers-');
  const user = process.getuid?.() === 0 ? await databaseUser() : undefined;
  const { initdb, postgres } = await postgresBinaries(user);
  const dirs = ['first', 'second'].map((name) => join(folder.path, name)) as [string, string];
  await mkdir(dirs[0], { mode: 0o700 });
  if (user) await chown(dirs[0], user.uid, user.gid);
  await runAs(user, initdb, [`--pgdata=${dirs[0]}`, '--username=postgres', '--auth=trust', '--encoding=UTF8', '-N']);
  const primary = new TestServer(await findFreePort(), dirs[0], postgres, user);
  const standby = new TestServer(await findFreePort(), dirs[1], postgres, user);
  await primary.start();
  for (const role of ['dhara_owner', 'dhara_app']) await primary.query(`create role ${role} login`);
  await primary.query(`create database ${DATABASE} owner dhara_owner`);
  await primary.stop();
  await runAs(undefined, 'cp', ['-a', ...dirs]);
  await writeFile(join(dirs[1], 'standby.signal'), '');
  await primary.start(isSynchronous ? { synchronous_standby_names: '*' } : {});
  const startStandby = (): Promise<void> =>
    standby.start({ primary_conninfo: `host=127.0.0.1 port=${primary.port} user=postgres` });
  await startStandby();
  const caughtUp = async (): Promise<void> => {
    const [row] = (await primary.query('select pg_current_wal_lsn() as lsn')) as { lsn: string }[];
    await retry(async () => {
      const [state] = (await standby.query(`select pg_last_wal_replay_lsn() >= '${row!.lsn}' as done`)) as {
        done: boolean;
      }[];
      if (!state!.done) throw new Error('the standby is behind');
    });
  };
  await caughtUp();
  return {
    primary,
    standby,
    urlOf(role, wanted = 'read-write') {
      const hosts = [standby, primary].map(({ port }) => `127.0.0.1:${port}`).join(',');
      return `postgresql://${role}@${hosts}/${DATABASE}?target_session_attrs=${wanted}`;
    },
    caughtUp,
    startStandby,
    async promote() {
      await standby.query('select pg_promote()');
    },
    async close() {
      for (const server of [standby, primary]) await server.kill();
      await folder.remove();
    },
  };
}

async function childrenOf(pid: number): Promise<number[]> {
  const children: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(join('/proc', name, 'stat'), 'utf8').catch(() => '');
    // The name of the program, in parentheses, may hold anything.
    const parent = stat
      .slice(stat.lastIndexOf(')') + 1)
      .trim()
      .split(' ')[1];
    if (parent === String(pid)) children.push(Number(name));
  }
  return children;
}
