import { createWriteStream, type WriteStream } from 'node:fs';
import { mkdir, open, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { ScratchFiles } from './scratchFiles.js';

interface Kept {
  /** Bytes of the archive that the state is about. */
  readonly position: number;
  readonly state: unknown;
}

/**
 * An archive that is being written: `FILE.part` is a folder with what there is so far, and `FILE` appears when it is
 * complete. After a crash, the archive continues at the last state that was kept.
 */
export class ArchiveFile {
  private constructor(
    private readonly path: string,
    private readonly folder: string,
    private readonly start: number,
    readonly output: WriteStream,
    readonly scratch: ScratchFiles,
    /** What was kept last; `null` for a new archive. */
    readonly state: unknown,
  ) {}

  static async open(path: string): Promise<ArchiveFile> {
    const folder = `${path}.part`;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const kept = await readKept(folder);
    const archive = join(folder, 'archive');
    if (kept === null) {
      await rm(folder, { recursive: true });
      await mkdir(folder, { mode: 0o700 });
    } else await truncate(archive, kept.position);
    const start = kept?.position ?? 0;
    const output = createWriteStream(archive, { flags: kept === null ? 'w' : 'r+', start, mode: 0o600 });
    return new ArchiveFile(path, folder, start, output, ScratchFiles.in(folder), kept?.state ?? null);
  }

  /** Keeps a state, once everything that was written so far is on the disk. */
  async keep(state: unknown): Promise<void> {
    await this.sync();
    const kept: Kept = { position: this.start + this.output.bytesWritten, state };
    const file = join(this.folder, 'state.json');
    await writeFile(`${file}.new`, JSON.stringify(kept), { mode: 0o600, flush: true });
    await rename(`${file}.new`, file);
  }

  /** The archive is complete. */
  async finish(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.output.once('error', reject).end(() => resolve());
    });
    await this.sync();
    await rename(join(this.folder, 'archive'), this.path);
    await rm(this.folder, { recursive: true });
  }

  /** Leaves what there is for the next try; without a kept state, nothing. */
  async leave(): Promise<void> {
    this.output.destroy();
    if ((await readKept(this.folder)) === null) await rm(this.folder, { recursive: true, force: true });
  }

  private async sync(): Promise<void> {
    await using file = await open(join(this.folder, 'archive'), 'r+');
    await file.sync();
  }
}

async function readKept(folder: string): Promise<Kept | null> {
  try {
    return JSON.parse(await readFile(join(folder, 'state.json'), 'utf8')) as Kept;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
