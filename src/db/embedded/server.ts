import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import type { Logger } from 'pino';

import { EmbeddedPostgresError } from './errors.js';
import { becomesTrue } from './proc.js';
import { spawnServer } from './run.js';
import type { SystemUser } from './systemUser.js';

export interface ServerOptions {
  readonly program: string;
  readonly clusterDir: string;
  readonly args: readonly string[];
  readonly user: SystemUser | undefined;
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
}

const READY_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 8_000;

/** One run of the PostgreSQL server, from its start to its exit. */
export class PostgresServer {
  private lastFatal = 'it ended without an error message';

  private constructor(
    private readonly child: ChildProcess,
    private readonly options: ServerOptions,
  ) {
    this.followLog();
  }

  /**
   * Starts the server and resolves once it accepts connections.
   * @throws EmbeddedPostgresError with PostgreSQL's own reason if the server ends before that
   */
  static async start(options: ServerOptions): Promise<PostgresServer> {
    const child = spawnServer(options.user, options.program, options.args);
    const server = new PostgresServer(child, options);
    await once(child, 'spawn');
    const settled = await becomesTrue(() => server.hasExited || server.isReady, READY_TIMEOUT_MS);
    if (server.isReady) return server;

    if (!settled) child.kill('SIGKILL');
    throw new EmbeddedPostgresError(
      `PostgreSQL did not start: ${settled ? server.lastFatal : 'it never became ready'}`,
    );
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get hasExited(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Calls `listener` with how the server ended, also if it has already ended. */
  onExit(listener: (end: { exitCode: number | null; signal: string | null }) => void): void {
    const report = (): void => {
      listener({ exitCode: this.child.exitCode, signal: this.child.signalCode });
    };
    if (this.hasExited) report();
    else this.child.once('exit', report);
  }

  /** Fast shutdown: rolls back open transactions; everything committed is on disk. */
  async stop(): Promise<void> {
    for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
      if (this.hasExited) return;
      this.child.kill(signal);
      if (await becomesTrue(() => this.hasExited, STOP_TIMEOUT_MS)) return;
    }
  }

  /** The server writes its state into the last line of its process-id file. */
  private get isReady(): boolean {
    try {
      const lines = readFileSync(join(this.options.clusterDir, 'postmaster.pid'), 'utf8').split('\n');
      return !this.hasExited && Number(lines[0]) === this.pid && lines[7]?.trim() === 'ready';
    } catch {
      return false;
    }
  }

  private followLog(): void {
    if (!this.child.stderr) return;
    createInterface({ input: this.child.stderr }).on('line', (line) => {
      const [, severity, text = line] = /^(\w+): {2}(.*)$/.exec(line) ?? [];
      if (severity === 'FATAL' || severity === 'PANIC') this.lastFatal = text;
      // FATAL ends one connection. Whenever the server restarts, there are hundreds of these lines.
      if (severity === 'PANIC') this.options.log.error({ line }, 'PostgreSQL panicked');
      else this.options.log.debug({ line }, 'PostgreSQL');
    });
  }
}
