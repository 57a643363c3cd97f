import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;
const LOOK_EVERY_MS = 100;

interface Stat {
  readonly pid: number;
  readonly parent: number;
  /** Its own. */
  readonly own: number;
  /** That of its children that have ended. */
  readonly ofEnded: number;
}

/**
 * Processor time so far of a process and everything below it. The time of a child that has ended is its parent's, so
 * that nothing is lost between two looks.
 */
export function processorSeconds(pid: number): number {
  return treeOf(pid).reduce((ticks, { own, ofEnded }) => ticks + own + ofEnded, 0) / TICKS_PER_SECOND;
}

/**
 * Processor time of a process and everything below it from now on, also of what runs in bubblewrap. As bubblewrap exits
 * without waiting for its program, no process gets that time: this looks at each process again and again.
 */
export class ProcessorMeter {
  private readonly before = new Map<number, number>();
  private readonly latest = new Map<number, number>();
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly pid: number) {
    for (const each of treeOf(pid)) this.before.set(each.pid, each.own);
    this.timer = setInterval(() => this.look(), LOOK_EVERY_MS).unref();
  }

  /** Ends it. @returns the seconds */
  stop(): number {
    clearInterval(this.timer);
    this.look();
    const ticks = [...this.latest].reduce((sum, [pid, own]) => sum + own - (this.before.get(pid) ?? 0), 0);
    return ticks / TICKS_PER_SECOND;
  }

  private look(): void {
    for (const each of treeOf(this.pid)) this.latest.set(each.pid, each.own);
  }
}

/** A process and everything below it. */
function treeOf(pid: number): Stat[] {
  const stats = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statOf(Number(name)) ?? []);
  const childrenOf = Map.groupBy(stats, ({ parent }) => parent);
  const tree = stats.filter((one) => one.pid === pid);
  // Grows while it is walked.
  for (const one of tree) tree.push(...(childrenOf.get(one.pid) ?? []));
  return tree;
}

function statOf(pid: number): Stat | null {
  try {
    // From the state on, because the name before it may contain spaces.
    const [, parent, ...rest] = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    const [utime = 0, stime = 0, cutime = 0, cstime = 0] = rest.slice(9, 13).map(Number);
    return { pid, parent: Number(parent), own: utime + stime, ofEnded: cutime + cstime };
  } catch {
    return null;
  }
}
