import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

import type { SystemUser } from '../../../src/db/embedded/systemUser.js';
import { LONG_WAIT_MS } from '../../support/deadlines.js';

const STOP_WITHIN_MS = 10_000;
const POLL_MS = 100;
const LOG_LINES = 60;
/** What Patroni and PostgreSQL say as long as nothing changes. */
const REPEATED = /INFO: (no action|Lock owner)|the database system is starting up|rejecting connections/;

/**
 * What runs a command as another user. Changing the user clears the signal that the process gets when its parent dies, so
 * it is set again.
 */
export function asUser({ uid, gid }: SystemUser): string[] {
  const identity = ['--reuid', String(uid), '--regid', String(gid), '--clear-groups', '--no-new-privs'];
  return ['setpriv', ...identity, '--pdeathsig', 'KILL', '--'];
}

/** A program of the cluster. The kernel ends it if the harness is killed. */
export class Child {
  private readonly ended: Promise<void>;

  private constructor(
    private readonly process: ChildProcess,
    private readonly logPath: string,
  ) {
    this.ended = new Promise((resolve) => process.once('exit', () => resolve()));
    // A program that cannot be started exits without a response.
    process.on('error', () => undefined);
  }

  /** Starts `command`, which writes to the end of the file `logPath`. */
  static async start(logPath: string, command: readonly string[]): Promise<Child> {
    const log = await open(logPath, 'a');
    try {
      const stdio = ['ignore', log.fd, log.fd] as const;
      return new Child(spawn('setpriv', ['--pdeathsig', 'KILL', '--', ...command], { stdio: [...stdio] }), logPath);
    } finally {
      await log.close();
    }
  }

  get pid(): number {
    return this.process.pid!;
  }

  get hasEnded(): boolean {
    return this.process.pid === undefined || this.process.exitCode !== null || this.process.signalCode !== null;
  }

  /** Sends the signal, then SIGKILL if the program keeps running. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (this.hasEnded) return;
    this.process.kill(signal);
    const timer = setTimeout(() => this.process.kill('SIGKILL'), STOP_WITHIN_MS);
    await this.ended;
    clearTimeout(timer);
  }

  /** The end of what it has written, without what it repeats every few seconds. */
  async log(): Promise<string> {
    const lines = (await readFile(this.logPath, 'utf8')).split('\n');
    return lines
      .filter((line) => !REPEATED.test(line))
      .slice(-LOG_LINES)
      .join('\n');
  }

  /** Waits for a condition. Gives up with the program's log, at once if the program has ended. */
  until(holds: () => Promise<boolean> | boolean, what: string): Promise<void> {
    const runs = async (): Promise<boolean> => {
      if (this.hasEnded) throw new InVain(`${what}: the program has ended`);
      return holds();
    };
    return eventually(runs, what, () => this.log());
  }
}

/** There is no use in waiting any longer. */
class InVain extends Error {}

/** Waits for a condition; one that throws does not hold yet. Gives up with what `log` says. */
export async function eventually(
  holds: () => Promise<boolean> | boolean,
  what: string,
  log: () => Promise<string> = async () => '',
): Promise<void> {
  const deadline = performance.now() + LONG_WAIT_MS;
  for (;;) {
    let cause: unknown = null;
    try {
      if (await holds()) return;
    } catch (error) {
      cause = error;
    }
    if (cause instanceof InVain || performance.now() > deadline) {
      throw new Error(`waited in vain until ${what}\n${await log()}`, { cause });
    }
    await delay(POLL_MS);
  }
}

/** The processes in the namespace of process ids that `pid` has made for its children. */
export function processesBelow(pid: number): number[] {
  const namespace = linkOf(`/proc/${pid}/ns/pid_for_children`);
  if (namespace === null) return [];
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return ids.filter((id) => linkOf(`/proc/${id}/ns/pid`) === namespace).map(Number);
}

/** Null of a process that has ended. */
function linkOf(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}
