import { spawn, type ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LONG_WAIT_MS } from './deadlines.js';

const ROOT = resolve(import.meta.dirname, '../..');
const POLL_MS = 50;

/** The content of `demo.json`. */
export interface Demo {
  readonly url: string;
  readonly email: string;
  readonly password: string;
  readonly apiKey: string;
  readonly videoId: string;
}

/** One `dhara` process, started like a person would start it, from the build that `globalSetup.ts` makes. */
export class ServiceProcess {
  output = '';
  private readonly exited: Promise<number | null>;

  private constructor(
    readonly child: ChildProcess,
    readonly dataDir: string,
    readonly url: string,
  ) {
    child.stdout?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    this.exited = new Promise((done) => child.once('close', (code) => done(code)));
  }

  /** Starts `dhara <args>` with settings as environment variables. Inherits only PATH and the compile cache. */
  static start(
    args: readonly string[],
    settings: { DATA_DIR: string; PORT: string } & Record<string, string>,
    { node = process.execPath, root = ROOT }: { node?: string; root?: string | undefined } = {},
  ) {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const child = spawn(node, ['dist/main.js', ...args], {
      cwd: root,
      env: { PATH, NODE_COMPILE_CACHE, NODE_ENV: 'development', ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new ServiceProcess(child, settings.DATA_DIR, `http://localhost:${settings.PORT}`);
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** Resolves to the exit code; `null` if a signal ended the process. */
  exit(): Promise<number | null> {
    return this.exited;
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.child.kill(signal);
    return this.exited;
  }

  /** Resolves once `/readyz` returns 200. */
  async ready(): Promise<void> {
    await this.until(async () => (await fetch(`${this.url}/readyz`)).ok, 'the service is ready');
  }

  /** Resolves once a worker has logged that it has started. */
  async started(): Promise<void> {
    await this.until(() => this.output.includes('"started"'), 'the worker has started');
  }

  /** Resolves once the service is ready, with its demo account and clip. */
  async demo(): Promise<Demo> {
    await this.ready();
    let demo: Demo | undefined;
    await this.until(async () => {
      demo = JSON.parse(await readFile(join(this.dataDir, 'demo.json'), 'utf8')) as Demo;
      return true;
    }, 'demo.json is there');
    // The file has the address of the start that made it.
    return { ...demo!, url: this.url };
  }

  /** Waits for a condition; one that throws does not hold yet. Gives up with the process's output. */
  async until(holds: () => Promise<boolean> | boolean, what: string): Promise<void> {
    const deadline = performance.now() + LONG_WAIT_MS;
    while (performance.now() < deadline) {
      if (
        await Promise.resolve()
          .then(holds)
          .catch(() => false)
      )
        return;
      if (this.child.exitCode !== null) break;
      await delay(POLL_MS);
    }
    throw new Error(`waited in vain until ${what}\n${this.output.slice(-4000)}`);
  }
}

/**
 * Signs in with a password.
 *
 * @param origin of the service's public address
 * @returns the cookies of the session
 */
export async function signIn(
  { url, email, password }: Pick<Demo, 'url' | 'email' | 'password'>,
  origin = url,
): Promise<string> {
  const response = await fetch(`${url}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ email, password }),
  });
  const cookie = response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  if (response.status !== 200 || cookie === '') {
    throw new Error(`sign-in: ${response.status} ${await response.text()}`);
  }
  return cookie;
}
