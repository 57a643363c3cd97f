import { lstat, opendir, statfs } from 'node:fs/promises';
import { join } from 'node:path';

/** How much a program may leave in its output folder: the kernel limits each file, and nothing but this their sum. */
export interface OutputCap {
  readonly maxBytes: number;
  readonly maxFiles: number;
}

/** With less the disk counts as full: whatever fills it, a file that was unlinked while it is written included. */
const MIN_FREE_BYTES = 64 * 1024 * 1024;
/** A folder of a hundred thousand segments takes a while to look at: this share of the time at most. */
const LOOKING_SHARE = 0.05;

/** Looks at an output folder while it is written, and says when that must end. */
export class OutputWatch {
  private looking = false;
  private nextLookMs = 0;
  private reason: 'output' | 'disk' | null = null;

  constructor(
    private readonly dir: string,
    private readonly cap: OutputCap,
  ) {}

  /** What the last look found; begins the next one where it is due. */
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
      // A folder that is gone, or as deep as no path reaches: its program ends by its own fault or by the next limit.
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
    // Not read at once: it may hold millions.
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
