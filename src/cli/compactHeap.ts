/**
 * Imported early, for its effect: starts this very process anew with V8 flags for a service, unless it has them.
 *
 * V8's own sizes are for programs that keep what they allocate. Under a load of short requests it would let 128 MB of
 * young and as much of old garbage gather beside the 60 MB that the service really holds. Smaller steps cost a few
 * collections more; there is no hard limit among them, so a service that needs more gets it. The flags count at
 * start-up only, and on a command line they would be lost between npm scripts, containers and service managers.
 */
const FLAGS = ['--max-semi-space-size=8', '--heap-growing-percent=40', '--initial-heap-size=96'];

// Process id, files and parent stay the same; only an IPC channel would be lost.
if (typeof process.execve === 'function' && !process.connected && !process.execArgv.includes(FLAGS[0] ?? '')) {
  const args = [process.execPath, ...FLAGS, ...process.execArgv, ...process.argv.slice(1)];
  // Left out, Node.js 22 starts it with no environment at all, and so with no settings.
  process.execve(process.execPath, args, process.env);
}
