import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat, utimes } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { AppError } from '../../errors.js';
import type { Leftover } from '../../ports/objectStore.js';
import { errorCode, FOLDER_MODE } from './durable.js';

/** How often the user of a file touches it. */
const TOUCH_EVERY_MS = 5 * 60_000;
/**
 * Files that nobody has touched for this long are leftovers. Far longer than clocks differ or a process is briefly
 * suspended, and short enough that every byte of a deleted video is gone within a day.
 */
const LEFTOVER_AGE_MS = 4 * 3600 * 1000;

/**
 * Temporary files, each of which belongs to the process that works on it. Any number of processes may share the folder.
 * The user of a file touches it regularly, so a file that was not touched for hours was left by a killed process.
 *
 * A process that was suspended for that long loses its file, and gets an error when it continues.
 */
export class ScratchFolder {
  private constructor(
    private readonly dir: string,
    private readonly touchEveryMs: number,
  ) {}

  /** Creates the folder. */
  static async open(folder: string, { touchEveryMs = TOUCH_EVERY_MS } = {}): Promise<ScratchFolder> {
    const dir = resolve(folder);
    await mkdir(dir, { recursive: true, mode: FOLDER_MODE });
    return new ScratchFolder(dir, touchEveryMs);
  }

  /**
   * Lends a path for a new file, which is removed afterwards unless `use` has moved it away. `use` begins at once, so
   * that a stream it writes has an error handler.
   *
   * @throws SERVICE_UNAVAILABLE if `use` failed because the file is gone; otherwise whatever `use` throws
   */
  async lend<T>(use: (path: string) => Promise<T>): Promise<T> {
    const path = this.newPath();
    // If the file is already gone, its user notices.
    const touching = setInterval(() => void touch(path).catch(() => undefined), this.touchEveryMs).unref();
    try {
      return await use(path);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT' || (await isThere(path))) throw error;
      const message = 'A file that this process was using is gone: the process may have been frozen for hours.';
      throw new AppError('SERVICE_UNAVAILABLE', message, { cause: error });
    } finally {
      clearInterval(touching);
      await rm(path, { force: true });
    }
  }

  /** An unused name, for files that are moved out of sight and removed at once. */
  newPath(): string {
    return join(this.dir, randomUUID());
  }

  async *leftovers(): AsyncGenerator<Leftover> {
    const names = await readdir(this.dir).catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    });
    for (const name of names) {
      const touchedAt = (await stat(join(this.dir, name)).catch(() => null))?.mtime;
      if (touchedAt && Date.now() - touchedAt.getTime() > LEFTOVER_AGE_MS) yield { name, touchedAt };
    }
  }

  /** @returns how many there were */
  async removeLeftovers(): Promise<number> {
    let removed = 0;
    for await (const { name } of this.leftovers()) {
      await rm(join(this.dir, name), { recursive: true, force: true });
      removed += 1;
    }
    return removed;
  }
}

function touch(path: string): Promise<void> {
  const now = new Date();
  return utimes(path, now, now);
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: unknown) => errorCode(error) !== 'ENOENT',
  );
}
