import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { renditionFolder, type Rendition } from '../ports/transcoder.js';
import { inParallel } from './inParallel.js';
import { digestOfFile, digestOfOpenFile } from './renditionDigest.js';

const LOOK_EVERY_MS = 100;
/** Few, because the encoder works meanwhile. */
const AT_ONCE = 2;

interface Known {
  readonly digest: string;
  /** Of the file that was read. */
  readonly version: string;
}

/**
 * Reads and syncs segments while the encoder writes the next ones. Of a long video that is passed through, storing
 * would otherwise take as long as encoding.
 */
export class DigestsAhead implements AsyncDisposable {
  private readonly known = new Map<string, Known>();
  private readonly stopping = new AbortController();
  private readonly looking: Promise<void>;

  /** @param outputDir where the encoder writes; its folders need not exist yet */
  constructor(
    private readonly outputDir: string,
    renditions: readonly Rendition[],
  ) {
    this.looking = this.look([...new Set(renditions.map((rendition) => renditionFolder(rendition)))]);
  }

  /** How many files were read. */
  get count(): number {
    return this.known.size;
  }

  /** Resolves once no file is being read. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.looking;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** The digest of a finished file. Reads files again that have changed since: the first and the last are often rewritten. */
  async digest(path: string): Promise<string> {
    const whole = join(this.outputDir, path);
    const known = this.known.get(path);
    if (known !== undefined && known.version === versionOf(await stat(whole, { bigint: true }))) return known.digest;
    return digestOfFile(whole);
  }

  private async look(folders: readonly string[]): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      for (const folder of folders) await this.readFinished(folder, signal);
      await delay(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** A segment is finished when the next one exists. Failures are ignored: such a file is read when it is stored. */
  private async readFinished(folder: string, signal: AbortSignal): Promise<void> {
    const names = await readdir(join(this.outputDir, folder)).catch((): string[] => []);
    const segments = names.filter((name) => name.endsWith('.m4s')).toSorted();
    const finished = segments.slice(0, -1).map((name) => `${folder}/${name}`);
    const unread = finished.filter((path) => !this.known.has(path));
    await inParallel(unread, AT_ONCE, async (path) => {
      if (signal.aborted) return;
      const known = await readAndSync(join(this.outputDir, path)).catch(() => null);
      if (known !== null) this.known.set(path, known);
    });
  }
}

async function readAndSync(path: string): Promise<Known> {
  const file = await open(path, 'r');
  try {
    const version = versionOf(await file.stat({ bigint: true }));
    const digest = await digestOfOpenFile(file);
    await file.sync();
    return { digest, version };
  } finally {
    await file.close();
  }
}

/** Without the time of its last change of any kind: the files get another owner when the encoder has ended. */
function versionOf({ ino, size, mtimeNs }: Record<'ino' | 'size' | 'mtimeNs', bigint>): string {
  return [ino, size, mtimeNs].join(' ');
}
