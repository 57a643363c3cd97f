import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { uptime } from 'node:os';

import type { MachineClock } from '../../ports/machineClock.js';

/** This machine's clocks, as the kernel reports them. */
export function systemClock(): MachineClock {
  return { runId: runIdOf(), uptimeMs: () => uptime() * 1000, nowMs: () => Date.now() };
}

/** Containers on one machine share a boot id, but each may count its uptime from its own start. */
function runIdOf(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot}/${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return randomUUID();
  }
}
