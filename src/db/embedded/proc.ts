import { readFileSync } from 'node:fs';

/**
 * The command line of a live process, or undefined if there is none.
 *
 * A zombie counts as dead: in a container whose first process reaps nothing, a killed server stays listed forever.
 */
export function liveCommandLine(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name is in parentheses and may itself contain spaces and parentheses.
    const state = stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
    if (state === 'Z' || state === 'X') return undefined;

    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  } catch {
    return undefined;
  }
}

/** Sends `signal`. Does nothing if the process has already ended. */
export function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Polls `condition` every 20 ms. Resolves to whether it became true within `timeoutMs`. */
export async function becomesTrue(condition: () => boolean, timeoutMs: number): Promise<boolean> {
  const deadlineMs = performance.now() + timeoutMs;
  while (!condition()) {
    if (performance.now() > deadlineMs) return false;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return true;
}
