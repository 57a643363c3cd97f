import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A run of an attempt, as encoded in the name of its work folder. */
export interface RunId {
  readonly accountId: string;
  readonly videoId: string;
  readonly attempt: number;
  readonly run: number;
}

const NAME = /^([0-9a-f-]{36})_([0-9a-f-]{36})_(\d{1,9})_(\d{1,9})$/;

/** The private folders of this machine's runs. Each run has one and removes it at its end. */
export class WorkFolders {
  constructor(private readonly dir: string) {}

  async open(): Promise<void> {
    // The encoder's user may pass through it; only the owner may list it.
    await mkdir(this.dir, { recursive: true, mode: 0o711 });
  }

  pathOf({ accountId, videoId, attempt, run }: RunId): string {
    return join(this.dir, `${accountId}_${videoId}_${attempt}_${run}`);
  }

  async remove(run: RunId): Promise<void> {
    await rm(this.pathOf(run), { recursive: true, force: true });
  }

  /** When something was last created in it; `null` if it is gone. */
  async touchedAt(run: RunId): Promise<Date | null> {
    return stat(this.pathOf(run)).then(
      ({ mtime }) => mtime,
      () => null,
    );
  }

  /** Throws if nothing can be written here. */
  async check(): Promise<void> {
    await this.open();
    const probe = join(this.dir, `.check-${randomUUID()}`);
    await writeFile(probe, '', { flag: 'wx' });
    await rm(probe);
  }

  /** Free space in bytes. */
  async freeBytes(): Promise<number> {
    await this.open();
    const { bavail, bsize } = await statfs(this.dir);
    return bavail * bsize;
  }

  /** Folders of killed workers and of running ones. */
  async list(): Promise<RunId[]> {
    await this.open();
    const names = await readdir(this.dir);
    return names.flatMap((name) => {
      const [, accountId, videoId, attempt, run] = NAME.exec(name) ?? [];
      return accountId && videoId ? [{ accountId, videoId, attempt: Number(attempt), run: Number(run) }] : [];
    });
  }
}
