import { spawn } from 'node:child_process';

/** A program that is still running by then is the browser itself. */
const MAX_WAIT_MS = 2_000;

/**
 * Opens an address in the browser of the person at this machine. The browser outlives the command.
 *
 * @param env whose PATH has the program that opens addresses
 * @returns whether there was a browser
 */
export function openBrowser(url: string, env: Readonly<Record<string, string | undefined>>): Promise<boolean> {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const child = spawn(program, [url], { env, stdio: 'ignore', detached: true });
  child.unref();
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(true), MAX_WAIT_MS);
    const end = (isOpen: boolean): void => {
      clearTimeout(timer);
      resolve(isOpen);
    };
    child.once('error', () => end(false));
    child.once('exit', (code) => end(code === 0));
  });
}
