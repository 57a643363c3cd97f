import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat, utimes } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { AppError } from '../../errors.js';
import type { Leftover } from '../../ports/objectStore.js';
import { errorCode, FOLDER_MODE } from './durable.js';

/** How often whoever has a file says so. */
const TOUCH_EVERY_MS = 5 * 60_000;
/**
 * What nobody has touched for so long is nobody's. Far longer than clocks differ or a process stands still in passing,
 * and short enough that every byte of a deleted video is gone within a day.
 */
const LEFTOVER_AGE_MS = 4 * 3600 * 1000;

/**
 * Files that are somebody's for as long as they are worked on. Any number of processes may share the folder: whoever has
 * a file touches it again and again, so that one that was not touched for hours was left by a process that was killed.
 *
 * A process that stood still for as long loses its file, and is told so when it goes on.
 */
export class ScratchFolder {
  private constructor(
    private readonly dir: string,
    private readonly touchEveryMs: number,
  ) {}

  /** Makes the folder. */
  static async open(folder: string, { touchEveryMs = TOUCH_EVERY_MS } = {}): Promise<ScratchFolder> {
    const dir = resolve(folder);
    await mkdir(dir, { recursive: true, mode: FOLDER_MODE });
    return new ScratchFolder(dir, touchEveryMs);
  }

  /**
   * Lends a path to make a file at, which is removed afterwards, unless `use` has moved it away. `use` begins at once: a
   * stream that it is to write has somebody who hears its errors.
   *
   * @throws SERVICE_UNAVAILABLE where `use` failed because the file is gone; else what `use` throws.
   */
  async lend<T>(use: (path: string) => Promise<T>): Promise<T> {
    const path = this.newPath();
    // Where it is gone already, whoever goes on with it notices.
    const touching = setInterval(() => void touch(path).catch(() => undefined), this.touchEveryMs).unref();
    try {
      return await use(path);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT' || (await isThere(path))) throw error;
      const message = 'A file is gone that this process was at work on: it may have stood still for hours.';
      throw new AppError('SERVICE_UNAVAILABLE', message, { cause: error });
    } finally {
      clearInterval(touching);
      await rm(path, { force: true });
    }
  }

  /** A name that nothing has, for what is to be out of sight and gone in a moment. */
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

  /** @returns how many there were. */
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
