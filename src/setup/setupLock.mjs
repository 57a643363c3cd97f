import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { rootDir } from './paths.mjs';

const lockDir = join(rootDir, '.setup.lock');
const pidFile = join(lockDir, 'pid');

/** Long enough for the writer of a fresh lock to have written its process id into it. */
const GRACE_MS = 2_000;

/**
 * Runs `work` while no other setup or build of this repository runs: `npm ci` deletes and recreates the very directory
 * that a second one would be filling. Takes over a lock whose process has ended.
 */
export async function withSetupLock(work) {
  await takeLock();
  try {
    return await work();
  } finally {
    await rm(lockDir, { recursive: true, force: true });
  }
}

async function takeLock() {
  let announced = false;
  let emptySinceMs;
  for (;;) {
    try {
      await mkdir(lockDir);
      await writeFile(pidFile, String(process.pid));
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const holderPid = Number(await readFile(pidFile, 'utf8').catch(() => ''));
    if (holderPid) emptySinceMs = undefined;
    else emptySinceMs ??= performance.now();

    const abandoned = holderPid ? !isAlive(holderPid) : performance.now() - emptySinceMs > GRACE_MS;
    if (abandoned) {
      await rm(lockDir, { recursive: true, force: true });
      continue;
    }
    if (!announced) console.error('dhara: another set-up is at work here, waiting for it …');
    announced = true;
    await sleep(200);
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
