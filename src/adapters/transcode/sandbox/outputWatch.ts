import { lstat, opendir, statfs } from 'node:fs/promises';
import { join } from 'node:path';

/** How much a program may write to its output folder. The kernel limits only each file; this limits their sum. */
export interface OutputCap {
  readonly maxBytes: number;
  readonly maxFiles: number;
}

/** With less free space, the disk counts as full. This also catches an unlinked file that is still being written. */
const MIN_FREE_BYTES = 64 * 1024 * 1024;
/** Maximum share of the time spent on scans, because a folder of a hundred thousand segments takes a while. */
const LOOKING_SHARE = 0.05;

/** Scans an output folder while it is written, and reports when the program must stop. */
export class OutputWatch {
  private looking = false;
  private nextLookMs = 0;
  private reason: 'output' | 'disk' | null = null;

  constructor(
    private readonly dir: string,
    private readonly cap: OutputCap,
  ) {}

  /** Returns the result of the last scan, and starts the next one if it is due. */
  tick(): 'output' | 'disk' | null {
    if (!this.looking && performance.now() >= this.nextLookMs) {
      this.looking = true;
      void this.look();
    }
    return this.reason;
  }

  private async look(): Promise<void> {
    const startMs = performance.now();
    try {
      const { bavail, bsize } = await statfs(this.dir);
      if (bavail * bsize < MIN_FREE_BYTES) this.reason ??= 'disk';
      else if (await exceeds(this.dir, this.cap)) this.reason ??= 'output';
    } catch {
      // The folder is gone or too deep to read; its program will fail by itself or reach the next limit.
    } finally {
      const tookMs = performance.now() - startMs;
      this.nextLookMs = performance.now() + tookMs / LOOKING_SHARE;
      this.looking = false;
    }
  }
}

async function exceeds(root: string, { maxBytes, maxFiles }: OutputCap): Promise<boolean> {
  const dirs = [root];
  let files = 0;
  let bytes = 0;
  for (let dir = dirs.pop(); dir !== undefined; dir = dirs.pop()) {
    // Read entry by entry: the folder may hold millions.
    for await (const entry of await opendir(dir)) {
      const path = join(dir, entry.name);
      files += 1;
      if (entry.isDirectory()) dirs.push(path);
      else bytes += (await lstat(path).catch(() => null))?.size ?? 0;
      if (files > maxFiles || bytes > maxBytes) return true;
    }
  }
  return false;
}
