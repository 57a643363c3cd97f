import { spawn, type ChildProcess } from 'node:child_process';
import { cp, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LONG_WAIT_MS } from '../../support/deadlines.js';

const ROOT = resolve(import.meta.dirname, '../../..');
const POLL_MS = 100;
/** Made by anyone who has tried the example in the clone. */
const MADE = /\/(node_modules|\.next)$/;

/** A copy of an example project in its own clone, started by its one command. */
export class ExampleSite {
  output = '';
  private readonly exited: Promise<void>;

  private constructor(
    private readonly child: ChildProcess,
    private readonly clone: string,
    readonly url: string,
  ) {
    child.stdout?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    this.exited = new Promise((done) => child.once('close', () => done()));
  }

  /** Resolves once the site responds. @param settings environment variables */
  static async start(name: string, command: string, port: number, settings: Record<string, string>) {
    const clone = await mkdtemp(join(tmpdir(), `dhara-example-${name}-`));
    for (const entry of await readdir(ROOT)) {
      if (!['docs', '.git', '.data'].includes(entry)) await symlink(join(ROOT, entry), join(clone, entry));
    }
    const folder = join(clone, 'docs/examples', name);
    await cp(join(ROOT, 'docs/examples', name), folder, { recursive: true, filter: (path) => !MADE.test(path) });
    const child = spawn(command, {
      cwd: folder,
      shell: true,
      // A group of its own: npm starts a shell that starts the site.
      detached: true,
      env: { ...process.env, NODE_ENV: undefined, NEXT_TELEMETRY_DISABLED: '1', PORT: String(port), ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const site = new ExampleSite(child, clone, `http://localhost:${port}`);
    try {
      await site.responds();
    } catch (error) {
      await site.stop();
      throw error;
    }
    return site;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null) process.kill(-this.child.pid!, 'SIGTERM');
    await this.exited;
    await rm(this.clone, { recursive: true, force: true });
  }

  private async responds(): Promise<void> {
    const deadline = performance.now() + LONG_WAIT_MS;
    while (this.child.exitCode === null && performance.now() < deadline) {
      const responded = await fetch(this.url).then(
        () => true,
        () => false,
      );
      if (responded) return;
      await delay(POLL_MS);
    }
    throw new Error(`The site never responded:\n${this.output.slice(-4_000)}`);
  }
}
