import { ownPackage } from './ownPackage.js';

/** One line that says what is wrong with this Node.js version; `null` if it is new enough. */
export function nodeVersionFault(found: string, lowest: string = lowestNodeVersion()): string | null {
  // Compare as numbers: as text, 100 would come before 22.
  if (found.localeCompare(lowest, 'en', { numeric: true }) >= 0) return null;
  return `Node.js ${lowest} or newer is needed, and this is ${found}. \`npm start\` brings its own.`;
}

/** The version in `engines`, such as '22.17.0'. */
export function lowestNodeVersion(): string {
  return ownPackage().engines.node.replace('>=', '');
}

/** Ends this process if its Node.js lacks what the service uses. */
export function requireNode(): void {
  const fault = nodeVersionFault(process.versions.node);
  if (fault === null) return;
  process.stderr.write(`dhara: ${fault}\n`);
  process.exit(1);
}

/**
 * V8 flags for a service. Its defaults are for programs that keep what they allocate: under many short requests, they
 * would let 128 MB of young and as much of old garbage accumulate beside the 60 MB that the service really holds. Smaller
 * steps cost slightly more collections. None of the flags is a hard limit, so a service that needs more gets it.
 */
export const HEAP_FLAGS: readonly string[] = [
  '--max-semi-space-size=8',
  '--heap-growing-percent=40',
  '--initial-heap-size=96',
  // Rows survive collections while many requests wait. V8 would then put later rows into the old generation at once,
  // where they stay, with all they refer to, until the next full collection.
  '--no-allocation-site-pretenuring',
];

/**
 * The C library gives each thread memory of its own, and keeps what it has freed there for later. Two such arenas serve the
 * few threads of Node.js as fast as sixteen, and hold less.
 */
const ALLOCATOR = { MALLOC_ARENA_MAX: '2' };

/**
 * Restarts this process with these flags, unless it has them, and with few arenas, unless the environment says how many.
 * Both only work at start-up, and on a command line they would get lost between npm scripts, containers and service managers.
 */
export function compactHeap(): void {
  // Process id, files and parent stay the same; only an IPC channel would be lost.
  if (typeof process.execve !== 'function' || process.connected) return;
  if (process.execArgv.includes(HEAP_FLAGS[0] ?? '')) return;
  const args = [process.execPath, ...HEAP_FLAGS, ...process.execArgv, ...process.argv.slice(1)];
  // Without this argument, Node.js 22 passes no environment at all, and so no settings.
  process.execve(process.execPath, args, { ...ALLOCATOR, ...process.env });
}

const PARENT_CHECK_MS = 250;

/**
 * npm forwards SIGTERM and SIGINT, but cannot forward the SIGKILL (or the closed terminal) that ends npm itself.
 * Without this, the server would keep running unnoticed, holding its port and its data.
 */
export function stopWithNpm(npmLifecycleEvent: string | undefined): void {
  if (npmLifecycleEvent !== 'start') return;
  const npmPid = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === npmPid) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, PARENT_CHECK_MS);
  timer.unref();
}
