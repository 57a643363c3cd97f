import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Load, LoadResult } from './load.js';

/** A server under load. */
export interface Server {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

const READY_WITHIN_MS = 30_000;
/** Node flags for the service: `BENCH_FLAGS="--cpu-prof --cpu-prof-dir=/tmp/profile"` shows where its time goes. */
const FLAGS = process.env['BENCH_FLAGS']?.split(' ') ?? [];

/** The bare baseline, in a separate process. */
export async function startBaseline(options: {
  databaseUrl: string;
  poolSize: number;
  publicUrl: string;
}): Promise<Server> {
  const script = new URL('./baseline.ts', import.meta.url).pathname;
  const child = fork(script, [JSON.stringify(options)], { execArgv: ['--import', 'tsx'] });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return { name: 'baseline', port, pid: child.pid ?? 0, stop: () => endOf(child) };
}

/** Files from memory, in a separate process. */
export async function startBareFiles(files: readonly { path: string; file: string }[]): Promise<Server> {
  const script = new URL('./bareFiles.ts', import.meta.url).pathname;
  const child = fork(script, [JSON.stringify(files)], { execArgv: ['--import', 'tsx'] });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return { name: 'bare Node', port, pid: child.pid ?? 0, stop: () => endOf(child) };
}

/** The service as it is deployed: `dhara api`, built, with logs (into a file) and metrics enabled. */
export async function startService(options: {
  migrationUrl: string;
  runtimeUrl: string;
  poolSize: number;
  masterKey: Buffer;
  publicUrl: string;
  dataDir: string;
  port: number;
  /** Further settings. */
  settings?: Readonly<Record<string, string>>;
}): Promise<Server> {
  const main = new URL('../../dist/main.js', import.meta.url).pathname;
  const log = openSync(join(options.dataDir, `api.${options.port}.log`), 'w');
  const child = spawn(process.execPath, [...FLAGS, main, 'api'], {
    stdio: ['ignore', log, 'inherit'],
    env: {
      ...process.env,
      NODE_ENV: 'development',
      PAYMENT_SANDBOX: 'true',
      DATABASE_URL: options.runtimeUrl,
      DATABASE_MIGRATION_URL: options.migrationUrl,
      DATABASE_POOL_SIZE: String(options.poolSize),
      MASTER_KEY: options.masterKey.toString('base64'),
      PUBLIC_URL: options.publicUrl,
      DATA_DIR: options.dataDir,
      PORT: String(options.port),
      LOG_LEVEL: 'info',
      ...options.settings,
    },
  });
  await untilReady(options.port, child);
  return { name: 'service', port: options.port, pid: child.pid ?? 0, stop: () => endOf(child) };
}

async function untilReady(port: number, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + READY_WITHIN_MS;
  for (;;) {
    if (child.exitCode !== null) throw new Error('The service ended at its start.');
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
    if (answer?.ok) return;
    if (performance.now() > deadline) throw new Error('The service did not become ready.');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

export async function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

/** The load driver's process. */
export class LoadDriver {
  private readonly child = fork(new URL('./load.ts', import.meta.url).pathname, [], { execArgv: ['--import', 'tsx'] });

  async drive(load: Load): Promise<LoadResult> {
    const answered = once(this.child, 'message') as Promise<[{ result?: LoadResult; error?: string }]>;
    this.child.send(load);
    const [{ result, error }] = await answered;
    if (!result) throw new Error(error);
    return result;
  }

  stop(): void {
    this.child.disconnect();
  }
}

/** Resident memory of a process in MB: current and peak. */
export function residentMb(pid: number): { now: number; highest: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kilobytes = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0);
  return { now: Math.round(kilobytes('VmRSS') / 1024), highest: Math.round(kilobytes('VmHWM') / 1024) };
}
