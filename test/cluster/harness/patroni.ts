import { chown, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { databaseUser, type SystemUser } from '../../../src/db/embedded/systemUser.js';
import { asUser, Child, eventually, processesBelow } from './child.js';
import { Etcd } from './etcd.js';
import type { Network } from './network.js';

const DEBIAN = '/usr/lib/postgresql';
export const POSTGRES_PORT = 5432;
export const REST_PORT = 8008;
const ASKS_WITHIN_MS = 2_000;
/** A node that still starts up after this time is stuck: docs/high-availability.md tells why. */
const STARTS_WITHIN_MS = 120_000;

/**
 * How fast Patroni notices. `ttl` is how long a leader that says nothing stays the leader; 20 is the least that Patroni
 * allows. These are the values of docs/high-availability.md.
 */
const TIMINGS = { ttl: 20, loop_wait: 5, retry_timeout: 5 };

export interface PatroniOptions {
  readonly network: Network;
  readonly folder: string;
  readonly names: readonly string[];
  readonly password: string;
}

export interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
}

/** A node: Patroni and the PostgreSQL that it runs, in their own namespaces. */
class Node {
  private child: Child | null = null;

  constructor(
    readonly name: string,
    readonly address: string,
    private readonly command: readonly string[],
    private readonly logPath: string,
  ) {}

  async start(): Promise<void> {
    this.child = await Child.start(this.logPath, this.command);
  }

  /** Ends all processes of the node at once, like a power cut. */
  async kill(): Promise<void> {
    const all = this.processes();
    await this.child?.stop('SIGKILL');
    await eventually(() => all.every((pid) => !isAlive(pid)), `node ${this.name} is gone`);
  }

  /** Stops all processes of the node, like a virtual machine that its host suspends. */
  freeze(): void {
    const frozen = new Set<number>();
    for (;;) {
      const running = this.processes().filter((pid) => !frozen.has(pid));
      if (running.length === 0) return;
      for (const pid of running) {
        signal(pid, 'SIGSTOP');
        frozen.add(pid);
      }
    }
  }

  thaw(): void {
    for (const pid of this.processes()) signal(pid, 'SIGCONT');
  }

  /** Asks its Patroni. Null if it does not answer. */
  async ask(path: string): Promise<Response | null> {
    const signalled = AbortSignal.timeout(ASKS_WITHIN_MS);
    return fetch(`http://${this.address}:${REST_PORT}${path}`, { signal: signalled }).catch(() => null);
  }

  /** The end of what it has written. */
  async log(): Promise<string> {
    return `node ${this.name}: ${(await this.child?.log()) ?? 'never started'}`;
  }

  private processes(): number[] {
    return this.child === null || this.child.hasEnded ? [] : processesBelow(this.child.pid);
  }
}

/** PostgreSQL nodes that Patroni keeps, with one synchronous standby, and the etcd by which it agrees on the leader. */
export class Patroni {
  private constructor(
    readonly etcd: Etcd,
    readonly nodes: readonly Node[],
  ) {}

  static async start(options: PatroniOptions): Promise<Patroni> {
    const { network, folder, names } = options;
    const user = await databaseUser();
    const etcd = new Etcd(network, folder);
    const nodes = await Promise.all(names.map((name) => makeNode(name, options, user)));
    const patroni = new Patroni(etcd, nodes);
    try {
      await etcd.start();
      await Promise.all(nodes.map((node) => node.start()));
      await patroni.becomesWhole();
      return patroni;
    } catch (error) {
      await patroni.stop();
      throw error;
    }
  }

  node(name: string): Node {
    return this.nodes.find((node) => node.name === name)!;
  }

  /** The nodes that hold themselves to be the leader; balancers ask the same. */
  async leaders(): Promise<string[]> {
    const answers = await Promise.all(this.nodes.map(async (node) => (await node.ask('/primary'))?.status === 200));
    return this.nodes.filter((_, nth) => answers[nth]).map(({ name }) => name);
  }

  async leader(): Promise<string> {
    const [leader, ...others] = await this.leaders();
    if (leader === undefined || others.length > 0) throw new Error('there is not one leader');
    return leader;
  }

  /** A node by its role: `sync_standby` or `replica`. */
  async nameOf(role: string): Promise<string> {
    const member = (await this.members()).find((one) => one.role === role);
    if (member === undefined) throw new Error(`no node is ${role}`);
    return member.name;
  }

  /** Waits for a leader other than `last`. */
  async electsAnother(last: string): Promise<void> {
    await eventually(async () => (await this.leaders()).some((name) => name !== last), 'there is another leader');
  }

  /** Waits until all nodes run, one leads, and one is its synchronous standby. Restarts nodes that are stuck. */
  async becomesWhole(): Promise<void> {
    const startingSinceMs = new Map<string, number>();
    const holds = async (): Promise<boolean> => {
      const members = await this.members();
      await this.restartStuck(members, startingSinceMs);
      return (
        members.length === this.nodes.length &&
        members.every(({ state }) => state === 'running' || state === 'streaming') &&
        members.some(({ role }) => role === 'sync_standby')
      );
    };
    const logs = async (): Promise<string> => (await Promise.all(this.nodes.map((node) => node.log()))).join('\n');
    await eventually(holds, 'all nodes run and one is a synchronous standby', logs);
  }

  /** Restarts a node that keeps starting up, as after a power cut, and says so. */
  private async restartStuck(members: readonly Member[], startingSinceMs: Map<string, number>): Promise<void> {
    for (const { name, state } of members) {
      const sinceMs = startingSinceMs.get(name) ?? performance.now();
      startingSinceMs.delete(name);
      if (state !== 'starting') continue;
      if (performance.now() - sinceMs < STARTS_WITHIN_MS) {
        startingSinceMs.set(name, sinceMs);
        continue;
      }
      process.stdout.write(`patroni: node ${name} keeps starting up, and is restarted\n`);
      await this.node(name).kill();
      await this.node(name).start();
    }
  }

  async stop(): Promise<void> {
    for (const node of this.nodes) {
      node.thaw();
      await node.kill();
    }
    await this.etcd.stop();
  }

  /** As the leader knows them. A node that was away may still believe what held before. */
  private async members(): Promise<Member[]> {
    const answer = await this.node(await this.leader()).ask('/cluster');
    return ((await answer!.json()) as { members: Member[] }).members;
  }
}

async function makeNode(name: string, options: PatroniOptions, user: SystemUser): Promise<Node> {
  const { network } = options;
  const folder = join(options.folder, name);
  await mkdir(folder, { mode: 0o700 });
  const path = join(folder, 'patroni.json');
  // JSON is YAML, which Patroni reads.
  await writeFile(path, JSON.stringify(await configuration(name, folder, options), null, 2), { mode: 0o600 });
  for (const one of [folder, path]) await chown(one, user.uid, user.gid);
  const namespaces = ['unshare', '--pid', '--ipc', '--fork', '--kill-child', '--mount-proc', '--'];
  const environment = ['env', '-i', `HOME=${folder}`, 'LC_ALL=C.UTF-8', 'PATH=/usr/local/bin:/usr/bin:/bin'];
  const command = network.commandOn(name, [...namespaces, ...asUser(user), ...environment, 'patroni', path]);
  return new Node(name, network.addressOf(name), command, join(options.folder, `${name}.log`));
}

async function configuration(name: string, folder: string, { network, password }: PatroniOptions): Promise<object> {
  const [major] = (await readdir(DEBIAN)).toSorted((a, b) => Number(b) - Number(a));
  const address = network.addressOf(name);
  const [rest, postgres] = [`${address}:${REST_PORT}`, `${address}:${POSTGRES_PORT}`];
  return {
    scope: 'dhara',
    name,
    restapi: { listen: rest, connect_address: rest },
    // With `etcd3`, a leader of Patroni 3.0 that was frozen takes its lock back from the new one.
    etcd: { hosts: Etcd.addressesIn(network) },
    bootstrap: {
      dcs: {
        ...TIMINGS,
        maximum_lag_on_failover: 1_048_576,
        synchronous_mode: true,
        failsafe_mode: true,
        postgresql: {
          use_pg_rewind: true,
          parameters: {
            max_connections: 200,
            // A standby that is frozen is let go after this time, and no commit waits for it any longer.
            wal_sender_timeout: '10s',
            wal_receiver_timeout: '10s',
            wal_keep_size: '128MB',
            max_wal_size: '256MB',
            // Killed nodes leave nothing in /dev/shm.
            dynamic_shared_memory_type: 'mmap',
            unix_socket_directories: '',
          },
        },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, { auth: 'scram-sha-256' }],
    },
    postgresql: {
      listen: postgres,
      connect_address: postgres,
      data_dir: join(folder, 'data'),
      bin_dir: join(DEBIAN, major!, 'bin'),
      pgpass: join(folder, 'pgpass'),
      basebackup: [{ checkpoint: 'fast' }],
      authentication: {
        superuser: { username: 'postgres', password },
        replication: { username: 'replicator', password },
        rewind: { username: 'rewinder', password },
      },
      pg_hba: ['host all all all scram-sha-256', 'host replication replicator all scram-sha-256'],
    },
  };
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended meanwhile.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
