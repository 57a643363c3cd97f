import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

interface Stat {
  readonly pid: number;
  readonly parent: number;
  /** Its own, and that of its children that have ended. */
  readonly ticks: number;
}

/**
 * Processor time so far of a process and everything below it. The time of a child that has ended is its parent's, so
 * that nothing is lost between two looks.
 */
export function processorSeconds(pid: number): number {
  const stats = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statOf(Number(name)) ?? []);
  const childrenOf = Map.groupBy(stats, ({ parent }) => parent);
  const tree = stats.filter((one) => one.pid === pid);
  // Grows while it is walked.
  for (const one of tree) tree.push(...(childrenOf.get(one.pid) ?? []));
  return tree.reduce((ticks, one) => ticks + one.ticks, 0) / TICKS_PER_SECOND;
}

function statOf(pid: number): Stat | null {
  try {
    // From the state on, because the name before it may contain spaces.
    const [, parent, ...rest] = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    // utime, stime, cutime and cstime.
    const ticks = rest.slice(9, 13).reduce((sum, field) => sum + Number(field), 0);
    return { pid, parent: Number(parent), ticks };
  } catch {
    return null;
  }
}
