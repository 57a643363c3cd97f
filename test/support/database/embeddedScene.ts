import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

import { pino } from 'pino';

import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/db/embedded/index.js';
import { makeDataDir } from '../dataDir.js';
import type { ServerFacts } from './embeddedServer.js';
import { WAIT_MS } from '../deadlines.js';
import { OWN_PROCESS } from '../ownProcess.js';

export const MAKE_NOTE = `create table note (text text); insert into note values ('kept')`;
export const READ_NOTES = 'select text from note';
export const KEPT = [{ text: 'kept' }];

/** A data directory for one test, and the processes on it. */
export class Scene {
  private readonly cleanUps: (() => unknown)[] = [];

  private constructor(public dataDir: string) {}

  static async open(): Promise<Scene> {
    const folder = await makeDataDir('dhara-embedded-');
    const scene = new Scene(folder.path);
    scene.onEnd(() => folder.remove());
    return scene;
  }

  /** Clean-ups run in reverse order. */
  onEnd(cleanUp: () => unknown): void {
    this.cleanUps.unshift(cleanUp);
  }

  async close(): Promise<void> {
    for (const cleanUp of this.cleanUps) await cleanUp();
  }

  /** Starts the database in this process. */
  async start(): Promise<EmbeddedPostgres> {
    const postgres = await startEmbeddedPostgres({ dataDir: this.dataDir, log: pino({ level: 'silent' }) });
    this.onEnd(() => postgres.stop());
    return postgres;
  }

  /** Starts another process that holds the lock and the database. Resolves once the database is ready. */
  async startHolder(prefix: readonly string[] = []): Promise<{ child: ChildProcess; facts: ServerFacts }> {
    const script = new URL('./embeddedServer.ts', import.meta.url).pathname;
    const [program, ...args] = [...prefix, process.execPath, ...OWN_PROCESS, script, this.dataDir];
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, TMPDIR: this.dataDir },
    });
    this.onEnd(() => child.kill('SIGKILL'));
    return { child, facts: JSON.parse(await firstLine(child)) as ServerFacts };
  }

  /** Starts a program that lives until the test ends. */
  spawn(program: string, args: readonly string[]): ChildProcess {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.onEnd(() => child.kill('SIGKILL'));
    return child;
  }
}

export async function firstLine(child: ChildProcess): Promise<string> {
  const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string];
  return line;
}

export async function killHard(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** Retries until it works. @throws the last error after the deadline. */
export async function retry<T>(work: () => Promise<T>): Promise<T> {
  const deadlineMs = performance.now() + WAIT_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() > deadlineMs) throw error;
      await new Promise((wake) => setTimeout(wake, 20));
    }
  }
}
