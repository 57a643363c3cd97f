import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

import { CreateBucketCommand, ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3';

import { findFreePort } from './freePort.js';
import { LONG_WAIT_MS } from './deadlines.js';

const execute = promisify(execFile);
const STOP_WITHIN_MS = 5000;
const BACKENDS = ['account', 'container', 'object'] as const;
type Backend = (typeof BACKENDS)[number];

/** How to reach the server, with its only account. */
export interface SwiftAccess {
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** One OpenStack Swift with its S3 API, on ports and in its own folder. */
export interface Swift extends SwiftAccess {
  stop(): Promise<void>;
}

/**
 * Starts a Swift of one node: three storage servers, a proxy with `s3api`, and the memcached that it requires. `stop`
 * ends exactly these processes; if this process is killed, the kernel ends them.
 *
 * @throws if Debian's packages are missing, with the command to install them, or if a server does not start.
 */
export async function startSwift(): Promise<Swift> {
  requirePrograms();
  const folder = await mkdtemp(join(tmpdir(), 'dhara-swift-'));
  const children: ChildProcess[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(children.map(end));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const ports = await writeConfiguration(folder);
    const memcached = ['memcached', '-l', '127.0.0.1', '-p', String(ports.cache), '-m', '16', '-U', '0'];
    children.push(await launch(folder, [...memcached, ...(process.getuid?.() === 0 ? ['-u', 'root'] : [])]));
    for (const name of [...BACKENDS, 'proxy'] as const) {
      children.push(await launch(folder, [`swift-${name}-server`, join(folder, `${name}.conf`)]));
    }
    const endpoint = `http://127.0.0.1:${ports.proxy}`;
    const servers = [...BACKENDS, 'proxy' as const].map((name) => ports[name]);
    await Promise.all(servers.map((port) => answers(`http://127.0.0.1:${port}/healthcheck`, folder, children)));
    return { endpoint, region: 'us-east-1', accessKeyId: 'test:tester', secretAccessKey: 'testing', stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What a service has to be told to reach it, beside the bucket. */
export function s3Settings({ endpoint, region, accessKeyId, secretAccessKey }: SwiftAccess): Record<string, string> {
  return {
    S3_ENDPOINT: endpoint,
    S3_REGION: region,
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
  };
}

/** Creates the bucket that an object store needs. */
export async function makeBucket(access: SwiftAccess, bucket: string): Promise<void> {
  await withS3Client(access, (client) => client.send(new CreateBucketCommand({ Bucket: bucket })));
}

/** Keys of multipart uploads that are neither completed nor aborted. */
export async function unfinishedUploads(access: SwiftAccess, bucket: string): Promise<string[]> {
  const { Uploads = [] } = await withS3Client(access, (client) =>
    client.send(new ListMultipartUploadsCommand({ Bucket: bucket })),
  );
  return Uploads.map(({ Key = '' }) => Key);
}

/** Uses the protocol directly, without our store. */
export async function withS3Client<T>(access: SwiftAccess, use: (client: S3Client) => Promise<T>): Promise<T> {
  const { endpoint, region, accessKeyId, secretAccessKey } = access;
  const credentials = { accessKeyId, secretAccessKey };
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  try {
    return await use(client);
  } finally {
    client.destroy();
  }
}

function requirePrograms(): void {
  const folders = (process.env['PATH'] ?? '').split(':');
  const programs = ['swift-proxy-server', 'swift-object-server', 'memcached', 'setpriv'];
  const missing = programs.filter((name) => !folders.some((dir) => isExecutable(join(dir, name))));
  if (missing.length === 0) return;
  throw new Error(
    `${missing.join(', ')} not found. Type: sudo apt-get install -y --no-install-recommends ` +
      'swift-proxy swift-account swift-container swift-object memcached',
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

type Ports = Readonly<Record<Backend | 'proxy' | 'cache', number>>;

async function writeConfiguration(folder: string): Promise<Ports> {
  const ports = {
    account: await findFreePort(),
    container: await findFreePort(),
    object: await findFreePort(),
    proxy: await findFreePort(),
    cache: await findFreePort(),
  };
  await mkdir(join(folder, 'devices', 'd1'), { recursive: true });
  const common = [
    '[DEFAULT]',
    'bind_ip = 127.0.0.1',
    `user = ${userInfo().username}`,
    `swift_dir = ${folder}`,
    'workers = 0',
    'log_level = ERROR',
  ];
  await write(folder, 'swift.conf', [
    '[swift-hash]',
    'swift_hash_path_prefix = dhara',
    'swift_hash_path_suffix = tests',
    '[storage-policy:0]',
    'name = one',
    'default = yes',
  ]);
  for (const name of BACKENDS) {
    await write(folder, `${name}.conf`, [
      ...common,
      `bind_port = ${ports[name]}`,
      `devices = ${join(folder, 'devices')}`,
      'mount_check = false',
      // Nothing here must survive a power cut, and a test disk may be nearly full.
      'fallocate_reserve = 0',
      'disable_fallocate = true',
      '[pipeline:main]',
      `pipeline = healthcheck ${name}-server`,
      '[filter:healthcheck]',
      'use = egg:swift#healthcheck',
      `[app:${name}-server]`,
      `use = egg:swift#${name}`,
    ]);
  }
  await write(folder, 'proxy.conf', [...common, `bind_port = ${ports.proxy}`, ...proxyPipeline(ports)]);
  await buildRings(folder, ports);
  return ports;
}

function proxyPipeline(ports: { cache: number }): string[] {
  const filters = 'catch_errors proxy-logging healthcheck cache listing_formats s3api tempauth copy slo dlo';
  const own = new Map([
    ['proxy-logging', ['use = egg:swift#proxy_logging', 'access_log_level = ERROR']],
    ['cache', ['use = egg:swift#memcache', `memcache_servers = 127.0.0.1:${ports.cache}`]],
    // Parts of 5 MiB are the protocol's own minimum; listings show an upload's parts as one object.
    ['s3api', ['use = egg:swift#s3api', 'location = us-east-1', 's3_acl = false', 'check_bucket_owner = false']],
    ['tempauth', ['use = egg:swift#tempauth', 'user_test_tester = testing .admin']],
  ]);
  return [
    // Lets pages of other origins read, like a bucket's CORS rules.
    'cors_allow_origin = *',
    '[pipeline:main]',
    `pipeline = ${filters} proxy-logging proxy-server`,
    '[app:proxy-server]',
    'use = egg:swift#proxy',
    'account_autocreate = true',
    // The only node must answer on a busy machine too. By default it has half a second to accept a connection, and after
    // ten failures nothing is sent to it for a minute: "reduce your request rate".
    'conn_timeout = 30',
    'node_timeout = 60',
    'error_suppression_limit = 1000000',
    ...filters.split(' ').flatMap((name) => [`[filter:${name}]`, ...(own.get(name) ?? [`use = egg:swift#${name}`])]),
  ];
}

/** Builds all three in one process: the usual commands would start Python nine times. */
async function buildRings(folder: string, ports: Ports): Promise<void> {
  const script = `
import sys
from os.path import join
from swift.common.ring import RingBuilder
folder = sys.argv[1]
for name, port in zip(('account', 'container', 'object'), sys.argv[2:]):
    builder = RingBuilder(4, 1, 1)
    builder.add_dev(dict(region=1, zone=1, ip='127.0.0.1', port=int(port), device='d1', weight=1.0))
    builder.rebalance()
    builder.get_ring().save(join(folder, name + '.ring.gz'))
`;
  // Debian's own Python: the one on PATH may lack Debian's packages.
  await execute('/usr/bin/python3', ['-c', script, folder, ...BACKENDS.map((name) => String(ports[name]))]);
}

async function write(folder: string, name: string, lines: readonly string[]): Promise<void> {
  await writeFile(join(folder, name), `${lines.join('\n')}\n`);
}

async function launch(folder: string, command: readonly string[]): Promise<ChildProcess> {
  const log = await open(join(folder, 'servers.log'), 'a');
  try {
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', ...command], { stdio: ['ignore', log.fd, log.fd] });
    // A program that cannot be started exits without a response.
    child.on('error', () => undefined);
    return child;
  } finally {
    await log.close();
  }
}

async function answers(url: string, folder: string, children: readonly ChildProcess[]): Promise<void> {
  const deadline = performance.now() + LONG_WAIT_MS;
  for (;;) {
    const answered = await fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    if (answered) return;
    if (performance.now() > deadline || children.some((child) => child.exitCode !== null)) {
      const log = await readFile(join(folder, 'servers.log'), 'utf8');
      throw new Error(`Swift did not come up: nothing answers at ${url}\n${log.slice(-4000)}`);
    }
    await delay(50);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
  await ended;
  clearTimeout(timer);
}
