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
