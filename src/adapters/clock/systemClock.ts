import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { uptime } from 'node:os';

import type { MachineClock } from '../../ports/machineClock.js';

/** This machine's clocks, as the kernel keeps them. */
export function systemClock(): MachineClock {
  return { runId: runIdOf(), uptimeMs: () => uptime() * 1000, nowMs: () => Date.now() };
}

/** Containers on one machine share its boot, but may each count their uptime from their own start. */
function runIdOf(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot}/${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return randomUUID();
  }
}
