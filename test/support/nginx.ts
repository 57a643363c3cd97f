import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { findFreePort } from './freePort.js';

const PROGRAM_PATH = `${process.env['PATH'] ?? ''}:/usr/sbin`;
const CONFIGURATION = new URL('../../deploy/nginx/dhara.conf', import.meta.url);

export interface Nginx {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

/** The configuration in `deploy/nginx`, for a Dhara at this port with its objects in this folder. */
export async function proxyConfiguration(upstreamPort: number, objectsDir: string, port: number): Promise<string> {
  const text = await readFile(CONFIGURATION, 'utf8');
  const replaced = text
    .replace('127.0.0.1:4000;', `127.0.0.1:${upstreamPort};`)
    .replace('/var/lib/dhara/store/objects/', `${objectsDir}/`)
    .replace('listen 80;', `listen 127.0.0.1:${port};`);
  return replaced;
}

/**
 * nginx with a folder for its files.
 *
 * @param http the content of its `http` block, for the port it listens on
 */
export async function startNginx(
  dir: string,
  http: (port: number) => string | Promise<string>,
  { workers = 1 }: { workers?: number | 'auto' } = {},
): Promise<Nginx> {
  const port = await findFreePort();
  await mkdir(dir, { recursive: true });
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const configuration = `
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    daemon off;
    worker_processes ${workers};
    pid ${join(dir, 'nginx.pid')};
    error_log ${join(dir, 'error.log')} warn;
    events { worker_connections 1024; }
    http {
      ${folders.map((name) => `${name}_temp_path ${join(dir, name)};`).join('\n')}
      access_log ${join(dir, 'access.log')};
      keepalive_requests 100000000;
      ${await http(port)}
    }`;
  await writeFile(join(dir, 'nginx.conf'), configuration);
  const child = spawn('nginx', ['-e', join(dir, 'error.log'), '-c', join(dir, 'nginx.conf')], {
    stdio: 'inherit',
    env: { ...process.env, PATH: PROGRAM_PATH },
  });
  await untilListening(port, child);
  return { port, pid: child.pid ?? 0, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

async function untilListening(port: number, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error('nginx ended at its start.');
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect({ port, host: '127.0.0.1' });
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (isOpen) return;
    await delay(20);
  }
}
