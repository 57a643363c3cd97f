/**
 * Imported early, for its side effect: restarts this process with V8 flags for a service, unless it has them.
 *
 * V8's defaults are for programs that keep what they allocate. Under many short requests, they would let 128 MB of
 * young and as much of old garbage accumulate beside the 60 MB that the service really holds. Smaller steps cost slightly
 * more collections. None of the flags is a hard limit, so a service that needs more gets it. The flags only work at
 * start-up, and on a command line they would get lost between npm scripts, containers and service managers.
 */
const FLAGS = ['--max-semi-space-size=8', '--heap-growing-percent=40', '--initial-heap-size=96'];

// Process id, files and parent stay the same; only an IPC channel would be lost.
if (typeof process.execve === 'function' && !process.connected && !process.execArgv.includes(FLAGS[0] ?? '')) {
  const args = [process.execPath, ...FLAGS, ...process.execArgv, ...process.argv.slice(1)];
  // Without this argument, Node.js 22 passes no environment at all, and so no settings.
  process.execve(process.execPath, args, process.env);
}
