import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A run of an attempt, as a work folder's name spells it. */
export interface RunId {
  readonly accountId: string;
  readonly videoId: string;
  readonly attempt: number;
  readonly run: number;
}

const NAME = /^([0-9a-f-]{36})_([0-9a-f-]{36})_(\d{1,9})_(\d{1,9})$/;

/** Private folders of the runs of one machine. A run has one, and takes it away with it. */
export class WorkFolders {
  constructor(private readonly dir: string) {}

  async open(): Promise<void> {
    // Passed through by the encoder's user, listed by nobody else.
    await mkdir(this.dir, { recursive: true, mode: 0o711 });
  }

  pathOf({ accountId, videoId, attempt, run }: RunId): string {
    return join(this.dir, `${accountId}_${videoId}_${attempt}_${run}`);
  }

  async remove(run: RunId): Promise<void> {
    await rm(this.pathOf(run), { recursive: true, force: true });
  }

  /** When anything was last made in it; `null` where it is gone. */
  async touchedAt(run: RunId): Promise<Date | null> {
    return stat(this.pathOf(run)).then(
      ({ mtime }) => mtime,
      () => null,
    );
  }

  /** Throws where nothing can be written here. */
  async check(): Promise<void> {
    await this.open();
    const probe = join(this.dir, `.check-${randomUUID()}`);
    await writeFile(probe, '', { flag: 'wx' });
    await rm(probe);
  }

  /** How much more can be written here. */
  async freeBytes(): Promise<number> {
    await this.open();
    const { bavail, bsize } = await statfs(this.dir);
    return bavail * bsize;
  }

  /** What killed workers left, and what others are at. */
  async list(): Promise<RunId[]> {
    await this.open();
    const names = await readdir(this.dir);
    return names.flatMap((name) => {
      const [, accountId, videoId, attempt, run] = NAME.exec(name) ?? [];
      return accountId && videoId ? [{ accountId, videoId, attempt: Number(attempt), run: Number(run) }] : [];
    });
  }
}
