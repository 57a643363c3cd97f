import { readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';

import type { Logger } from 'pino';

import { EmbeddedPostgresError } from './errors.js';
import { becomesTrue, liveCommandLine, signalIfAlive } from './proc.js';

/** From polite to forced: fast shutdown, immediate shutdown, kill. */
const ESCALATION = [
  { signal: 'SIGINT', waitMs: 15_000 },
  { signal: 'SIGQUIT', waitMs: 5_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
] as const;

/**
 * Removes what an earlier server of this cluster left behind. Stops a process that is still running (or is shutting
 * down because its parent died), and removes a stale process-id file.
 *
 * The caller holds the lock of the data directory, so any server that still runs on this cluster is an orphan.
 */
export async function stopOrphan(clusterDir: string, log: Pick<Logger, 'info'>): Promise<void> {
  const pidFile = join(clusterDir, 'postmaster.pid');
  const pid = await readPid(pidFile);
  if (pid === undefined) return;

  if (!servesCluster(pid, clusterDir)) {
    // PostgreSQL would mistake a zombie, or another process that got the old id, for a running server.
    await rm(pidFile, { force: true });
    return;
  }
  log.info({ pid }, 'stopping the PostgreSQL that an earlier run left behind');
  for (const { signal, waitMs } of ESCALATION) {
    signalIfAlive(pid, signal);
    if (await becomesTrue(() => !servesCluster(pid, clusterDir), waitMs)) return;
  }
  throw new EmbeddedPostgresError(`An earlier PostgreSQL (process ${pid}) does not stop. End it by hand.`);
}

/** Whether process `pid` is a PostgreSQL server started on `clusterDir`. */
function servesCluster(pid: number, clusterDir: string): boolean {
  const commandLine = liveCommandLine(pid);
  return commandLine !== undefined && basename(commandLine[0] ?? '') === 'postgres' && commandLine.includes(clusterDir);
}

async function readPid(pidFile: string): Promise<number | undefined> {
  const text = await readFile(pidFile, 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  return pid > 1 ? pid : undefined;
}
