import { HEAP_FLAGS } from './heapFlags.js';

/**
 * Imported early, for its side effect: restarts this process with the V8 flags of a service, unless it has them. They only
 * work at start-up, and on a command line they would get lost between npm scripts, containers and service managers.
 */

// Process id, files and parent stay the same; only an IPC channel would be lost.
if (typeof process.execve === 'function' && !process.connected && !process.execArgv.includes(HEAP_FLAGS[0] ?? '')) {
  const args = [process.execPath, ...HEAP_FLAGS, ...process.execArgv, ...process.argv.slice(1)];
  // Without this argument, Node.js 22 passes no environment at all, and so no settings.
  process.execve(process.execPath, args, process.env);
}
