import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { OWN_PROCESS } from '../ownProcess.js';
import { until } from './pipeline.js';

const SCRIPT = fileURLToPath(new URL('./workerProcess.ts', import.meta.url));

export interface WorkerChildOptions {
  databaseUrl: string;
  dir: string;
  preset?: string;
  earlyPlayFromSeconds?: number;
  chunks?: { chunksFromSeconds: number; chunkSeconds: number };
  masterKey?: Buffer;
}

/** A real worker process. */
export class WorkerChild {
  readonly lines: string[] = [];
  private readonly exited: Promise<unknown>;

  private constructor(private readonly child: ChildProcess) {
    this.exited = once(child, 'exit');
    for (const stream of [child.stdout, child.stderr]) {
      if (stream) createInterface({ input: stream }).on('line', (line) => this.lines.push(line));
    }
  }

  static async start(options: WorkerChildOptions): Promise<WorkerChild> {
    const child = spawn(process.execPath, [...OWN_PROCESS, SCRIPT], {
      env: {
        ...process.env,
        DATABASE_URL: options.databaseUrl,
        DIR: options.dir,
        PRESET: options.preset ?? '',
        CHUNKS: options.chunks ? JSON.stringify(options.chunks) : '',
        MASTER_KEY: options.masterKey?.toString('base64') ?? '',
        EARLY_PLAY_FROM_SECONDS: String(options.earlyPlayFromSeconds ?? ''),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const worker = new WorkerChild(child);
    await worker.says('worker started');
    return worker;
  }

  /** Waits for a line in its log. */
  async says(text: string): Promise<void> {
    await until(async () => {
      if (this.child.exitCode !== null) throw new Error(`the worker ended: ${this.lines.join('\n')}`);
      return this.lines.some((line) => line.includes(text));
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Resolves to how many milliseconds it took to exit. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number> {
    const startMs = performance.now();
    this.child.kill(signal);
    // A frozen process handles SIGTERM only after it wakes up.
    this.child.kill('SIGCONT');
    await this.exited;
    return performance.now() - startMs;
  }
}
