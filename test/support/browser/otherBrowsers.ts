import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { findFreePort } from '../freePort.js';
import { LONG_WAIT_MS, WAIT_MS } from '../deadlines.js';

const POLL_MS = 100;

/** A window of a browser other than Chromium, with the few calls that the player's tests need. */
export interface OtherBrowser {
  goto(url: string): Promise<void>;
  /** Runs `body` as an async function in the page. Resolves to its result, which must be JSON. */
  run<Result>(body: string): Promise<Result>;
  close(): Promise<void>;
}

/** Waits until `body`, run as an async function in the page, returns true. */
export async function until(browser: OtherBrowser, body: string, what: string): Promise<void> {
  const deadlineMs = performance.now() + WAIT_MS;
  let last: unknown;
  while (performance.now() < deadlineMs) {
    last = await browser.run<unknown>(body).catch((error: unknown) => String(error));
    if (last === true) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`gave up waiting until ${what}; the last response was ${JSON.stringify(last)}`);
}

/** Debian's Firefox ESR, headless, driven by its own WebDriver BiDi. */
export async function launchFirefox(): Promise<OtherBrowser> {
  const profile = await mkdtemp(join(tmpdir(), 'dhara-firefox-'));
  const preferences = { 'media.autoplay.default': 0, 'remote.active-protocols': 1, 'app.update.enabled': false };
  const lines = Object.entries(preferences).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});\n`);
  await writeFile(join(profile, 'user.js'), lines.join(''));
  const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'];
  const child = spawn('firefox-esr', args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, HOME: profile, MOZ_DISABLE_CONTENT_SANDBOX: '1' },
  });
  const remove = () => rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  try {
    const address = await lineOf(child, /WebDriver BiDi listening on (ws:\S+)/);
    const call = await bidiClient(`${address}/session`);
    await call('session.new', { capabilities: {} });
    const { contexts } = (await call('browsingContext.getTree', {})) as { contexts: { context: string }[] };
    const context = contexts[0]?.context;
    return {
      async goto(url) {
        await call('browsingContext.navigate', { context, url, wait: 'complete' });
      },
      async run<Result>(body: string) {
        const expression = `(async () => JSON.stringify(await (async () => { ${body} })() ?? null))()`;
        const answer = (await call('script.evaluate', { expression, target: { context }, awaitPromise: true })) as {
          type: string;
          result?: { value: string };
          exceptionDetails?: { text: string };
        };
        if (!answer.result) throw new Error(answer.exceptionDetails?.text ?? answer.type);
        return JSON.parse(answer.result.value) as Result;
      },
      async close() {
        await end(child);
        await remove();
      },
    };
  } catch (error) {
    await end(child);
    await remove();
    throw error;
  }
}

/** WebKitGTK's MiniBrowser under Xvfb, driven by WebDriver. */
export async function launchWebKit(): Promise<OtherBrowser> {
  const screen = spawn('Xvfb', ['-displayfd', '1', '-screen', '0', '1280x800x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const home = await mkdtemp(join(tmpdir(), 'dhara-webkit-'));
  let driver: ChildProcess | undefined;
  const close = async () => {
    if (driver) await end(driver);
    await end(screen);
    await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
  try {
    const display = await lineOf(screen, /^(\d+)$/);
    const port = await findFreePort();
    driver = spawn('WebKitWebDriver', [`--port=${port}`], {
      stdio: 'ignore',
      env: { ...process.env, DISPLAY: `:${display}`, HOME: home, XDG_RUNTIME_DIR: home, NO_AT_BRIDGE: '1' },
    });
    const url = `http://127.0.0.1:${port}`;
    await answers(`${url}/status`);
    const browserOptions = { binary: await miniBrowserPath(), args: ['--automation', '--autoplay-policy=allow'] };
    const { sessionId } = (await post(`${url}/session`, {
      capabilities: { alwaysMatch: { browserName: 'MiniBrowser', 'webkitgtk:browserOptions': browserOptions } },
    })) as { sessionId: string };
    const session = `${url}/session/${sessionId}`;
    await post(`${session}/timeouts`, { script: WAIT_MS, pageLoad: WAIT_MS });
    return {
      async goto(address) {
        await post(`${session}/url`, { url: address });
      },
      async run<Result>(body: string) {
        const script =
          `const done = arguments[arguments.length - 1];` +
          `(async () => { ${body} })().then((value) => done({ value: value ?? null }), (error) => done({ error: String(error) }));`;
        const answer = (await post(`${session}/execute/async`, { script, args: [] })) as {
          value?: unknown;
          error?: string;
        };
        if (answer.error !== undefined) throw new Error(answer.error);
        return answer.value as Result;
      },
      async close() {
        await fetch(session, { method: 'DELETE' }).catch(() => undefined);
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Debian installs it outside PATH, in the architecture's library folder. */
async function miniBrowserPath(): Promise<string> {
  const folders = await readdir('/usr/lib', { recursive: false });
  for (const folder of folders) {
    for (const version of ['webkit2gtk-4.1', 'webkit2gtk-4.0', 'webkitgtk-6.0']) {
      const path = join('/usr/lib', folder, version, 'MiniBrowser');
      const isThere = await access(path).then(
        () => true,
        () => false,
      );
      if (isThere) return path;
    }
  }
  throw new Error('no MiniBrowser of WebKitGTK under /usr/lib');
}

async function bidiClient(address: string): Promise<(method: string, params: object) => Promise<unknown>> {
  const socket = new WebSocket(address);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', () => reject(new Error(`no WebDriver BiDi at ${address}`)));
  });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let count = 0;
  socket.addEventListener('message', ({ data }) => {
    const answer = JSON.parse(String(data)) as { id?: number; result?: unknown; message?: string };
    const call = waiting.get(answer.id ?? 0);
    waiting.delete(answer.id ?? 0);
    if (answer.result === undefined) call?.reject(new Error(answer.message ?? 'refused'));
    else call?.resolve(answer.result);
  });
  socket.addEventListener('close', () => {
    for (const call of waiting.values()) call.reject(new Error('the browser closed the connection'));
  });
  return (method, params) => {
    const call = Promise.withResolvers<unknown>();
    waiting.set((count += 1), call);
    socket.send(JSON.stringify({ id: count, method, params }));
    return call.promise;
  };
}

async function post(url: string, body: object): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(WAIT_MS + LONG_WAIT_MS),
  });
  const { value } = (await response.json()) as { value: unknown };
  if (!response.ok) throw new Error(`${url}: ${JSON.stringify(value)}`);
  return value;
}

async function answers(url: string): Promise<void> {
  const deadlineMs = performance.now() + LONG_WAIT_MS;
  while (
    !(await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (performance.now() > deadlineMs) throw new Error(`${url} does not respond`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** The group of the first line that matches. */
async function lineOf(child: ChildProcess, pattern: RegExp): Promise<string> {
  const stream = child.stdout ?? child.stderr;
  if (!stream) throw new Error('this program has no pipe to read');
  const found = Promise.withResolvers<string>();
  child.once('error', found.reject);
  child.once('exit', (code) => found.reject(new Error(`${child.spawnfile} ended with ${code}`)));
  const timer = setTimeout(() => found.reject(new Error(`${child.spawnfile} printed no matching line`)), LONG_WAIT_MS);
  // Keep reading: a full pipe would block the program.
  createInterface(stream).on('line', (line) => {
    const match = pattern.exec(line)?.[1];
    if (match !== undefined) found.resolve(match);
  });
  return found.promise.finally(() => clearTimeout(timer));
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
  await gone;
  clearTimeout(timer);
}
