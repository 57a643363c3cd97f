import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import pg from 'pg';

import { findFreePort } from '../../support/freePort.js';
import { fastestFolder, makeDataDir } from '../../support/dataDir.js';
import { ServiceProcess } from '../../support/service.js';
import { makeBucket, s3Settings, startSwift, type Swift } from '../../support/swift.js';
import { CuttableProxy } from '../../support/uploads/cuttableProxy.js';
import { Balancer } from './balancer.js';
import { eventually } from './child.js';
import { ETCD } from './etcd.js';
import { Network } from './network.js';
import { Patroni, POSTGRES_PORT } from './patroni.js';

const NODES = ['a', 'b', 'c'];
const BUCKET = 'videos';
const COUNT = 2;
/** Workers keep a quarter of a gigabyte free; the rest is for short videos. */
const DISK_BYTES = 1024 ** 3;

const STANDBY = 'select pg_is_in_recovery() as standby';

type Settings = { DATA_DIR: string; PORT: string } & Record<string, string>;

/**
 * A whole installation: a PostgreSQL cluster, HAProxy, an S3 server, two API processes and two workers. The first of each
 * two reaches the database through HAProxy, the second by the list of its servers. The database's nodes and etcd have a
 * network of their own; everything else listens on loopback.
 */
export class Cluster {
  readonly apis: ServiceProcess[] = [];
  readonly workers: ServiceProcess[] = [];
  /** The second of each two processes, by the port of its inspector, if the cluster was started with inspectors. */
  readonly inspected = new Map<ServiceProcess, number>();
  private readonly closing: (() => Promise<unknown>)[] = [];
  private base!: Readonly<Record<string, string>>;
  private folder!: string;
  network!: Network;
  patroni!: Patroni;
  balancer!: Balancer;
  /** Between the service and its S3 server. */
  bucketProxy!: CuttableProxy;

  private constructor(private readonly inspects: boolean) {}

  static async start({ inspects = false }: { readonly inspects?: boolean } = {}): Promise<Cluster> {
    const cluster = new Cluster(inspects);
    try {
      await cluster.startAll();
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  /** Ends what was started, the last first. */
  async stop(): Promise<void> {
    for (const end of this.closing.splice(0).toReversed()) await end();
  }

  get publicUrl(): string {
    return this.base['PUBLIC_URL']!;
  }

  /** The address of the service's database by HAProxy, with the role of the service or the owner of the tables. */
  get databaseUrls(): { runtime: string; owner: string } {
    return { runtime: this.base['DATABASE_URL']!, owner: this.base['DATABASE_MIGRATION_URL']! };
  }

  /** Rows of a statement, as the owner of the tables. */
  async rows<Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> {
    return rowsOf<Row>(this.databaseUrls.owner, sql, values);
  }

  /** Runs `dhara <args>` to its end. */
  async command(...args: string[]): Promise<{ code: number | null; output: string }> {
    const run = ServiceProcess.start(args, await this.settingsOf('command'));
    return { code: await run.exit(), output: run.output };
  }

  /** A path on the disk of a worker, as this process reaches it. */
  onDiskOf(worker: ServiceProcess, name: string): string {
    return join(`/proc/${worker.pid}/root`, worker.dataDir, name);
  }

  private async startAll(): Promise<void> {
    // In memory, if there is enough: then nothing waits for a disk that other programs use.
    const folder = await makeDataDir('dhara-cluster-', await fastestFolder());
    this.folder = folder.path;
    this.closing.push(() => folder.remove());
    const password = randomBytes(12).toString('hex');
    const swift = await startSwift();
    this.closing.push(() => swift.stop());
    this.network = await Network.open([...ETCD, ...NODES], this.folder);
    this.closing.push(() => this.network.close());
    this.patroni = await Patroni.start({ network: this.network, folder: this.folder, names: NODES, password });
    this.closing.push(() => this.patroni.stop());
    this.balancer = await Balancer.start(this.patroni, this.folder);
    this.closing.push(() => this.balancer.stop());
    this.base = { ...(await this.makeDatabase(password)), ...(await this.makeStore(swift)) };
    const migrated = await this.command('migrate');
    if (migrated.code !== 0) throw new Error(`dhara migrate failed: ${migrated.output}`);
    await this.startService();
  }

  private async makeDatabase(password: string): Promise<Record<string, string>> {
    const addressOf = (role: string, database: string): string =>
      `postgresql://${role}:${password}@127.0.0.1:${this.balancer.leaderPort}/${database}`;
    const admin = addressOf('postgres', 'postgres');
    // HAProxy takes every server for the leader until it has asked them, and connects to each in turn.
    const onLeader = async (): Promise<boolean> => {
      const connections = this.patroni.nodes.map(() => rowsOf<{ standby: boolean }>(admin, STANDBY));
      return (await Promise.all(connections)).every(([row]) => row?.standby === false);
    };
    await eventually(onLeader, 'HAProxy leads to the leader');
    for (const role of ['owner', 'app']) await rowsOf(admin, `create role dhara_${role} login password '${password}'`);
    await rowsOf(admin, 'create database dhara owner dhara_owner');
    return {
      DATABASE_URL: addressOf('dhara_app', 'dhara'),
      DATABASE_MIGRATION_URL: addressOf('dhara_owner', 'dhara'),
      DATABASE_POOL_SIZE: '10',
      MASTER_KEY: randomBytes(32).toString('base64'),
      LEDGER_SEALS_DIR: join(this.folder, 'seals'),
      PUBLIC_URL: `http://localhost:${await findFreePort()}`,
      WORKER_CONCURRENCY: '1',
    };
  }

  private async makeStore(swift: Swift): Promise<Record<string, string>> {
    await makeBucket(swift, BUCKET);
    this.bucketProxy = await CuttableProxy.to(swift.endpoint);
    this.closing.push(() => this.bucketProxy.close());
    return {
      STORE: 's3',
      S3_BUCKET: BUCKET,
      ...s3Settings(swift),
      S3_ENDPOINT: new URL(this.bucketProxy.url).origin,
    };
  }

  private async startService(): Promise<void> {
    for (let nth = 1; nth <= COUNT; nth += 1) {
      const database = { DATABASE_URL: nth === 1 ? this.databaseUrls.runtime : this.serverList() };
      this.apis.push(await this.launch('api', nth, { ...database, LOG_LEVEL: 'warn' }));
      this.workers.push(await this.launch('worker', nth, database));
    }
    for (const api of this.apis) await api.ready();
    for (const worker of this.workers) await worker.started();
  }

  /** The database's address without HAProxy. */
  private serverList(): string {
    const { username, password, pathname } = new URL(this.databaseUrls.runtime);
    const servers = this.patroni.nodes.map(({ address }) => `${address}:${POSTGRES_PORT}`);
    return `postgresql://${username}:${password}@${servers.join(',')}${pathname}?target_session_attrs=read-write`;
  }

  private async launch(role: string, nth: number, more: Record<string, string>): Promise<ServiceProcess> {
    const inspectorPort = this.inspects && nth === COUNT ? await findFreePort() : null;
    const settings = {
      ...(await this.settingsOf(`${role}-${nth}`)),
      ...more,
      ...(inspectorPort !== null && { NODE_OPTIONS: `--inspect=127.0.0.1:${inspectorPort}` }),
    };
    const node = await this.nodeWithDisk(settings.DATA_DIR);
    const process = ServiceProcess.start([role], settings, { node });
    this.closing.push(() => process.stop('SIGKILL'));
    if (inspectorPort !== null) this.inspected.set(process, inspectorPort);
    return process;
  }

  /** A program that runs Node with its own small disk at `dir`. Both end with the harness. */
  private async nodeWithDisk(dir: string): Promise<string> {
    const path = `${dir}.sh`;
    const mount = `mount -t tmpfs -o size=${DISK_BYTES} tmpfs "${dir}" && exec "${process.execPath}" "$@"`;
    const line = `exec setpriv --pdeathsig KILL -- unshare --mount sh -c '${mount}' sh "$@"`;
    await writeFile(path, `#!/bin/sh\n${line}\n`, { mode: 0o755 });
    return path;
  }

  /** Each process has its own folder, as on its own machine. */
  private async settingsOf(process: string): Promise<Settings> {
    const dataDir = join(this.folder, process);
    await mkdir(dataDir, { recursive: true });
    return { ...this.base, DATA_DIR: dataDir, PORT: String(await findFreePort()) };
  }
}

async function rowsOf<Row extends object>(url: string, sql: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  // A connection that is lost between statements fails the next one.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query<Row>(sql, values)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}
