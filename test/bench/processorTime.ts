import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** Processor time of a process and its children so far. */
export function processorSeconds(pid: number): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  let ticks = 0;
  for (const one of pids) {
    const stat = statOf(one);
    if (stat && (one === String(pid) || stat[1] === String(pid))) ticks += Number(stat[11]) + Number(stat[12]);
  }
  return ticks / TICKS_PER_SECOND;
}

/** From the state on, because the name before it may contain spaces. */
function statOf(pid: string): string[] | null {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
  } catch {
    return null;
  }
}
