import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';

import { AppError } from '../../errors.js';
import type { ObjectStore } from '../../ports/objectStore.js';
import { errorCode, FOLDER_MODE } from './durable.js';

/** Longer than any program works on a file, so that another process's one is never swept. */
const LEFTOVER_AGE_MS = 3 * 24 * 3600 * 1000;
/** How often in a row a connection may break before a single new byte came. */
const TRIES_WITHOUT_PROGRESS = 3;
/** Asking the store again would not help. */
const DISK_TROUBLE = /^(ENOSPC|EDQUOT|EFBIG|EIO|EROFS|EACCES|EPERM)$/;

/** Objects as files, for as long as a program needs one. Any number of processes may share the folder. */
export class Downloads {
  private constructor(private readonly dir: string) {}

  /** Makes the folder and throws away what killed processes left in it. */
  static async open(folder: string): Promise<Downloads> {
    const dir = resolve(folder);
    await mkdir(dir, { recursive: true, mode: FOLDER_MODE });
    for (const name of await readdir(dir)) {
      const path = join(dir, name);
      const facts = await stat(path).catch(() => null);
      if (facts !== null && Date.now() - facts.mtimeMs > LEFTOVER_AGE_MS) await rm(path, { force: true });
    }
    return new Downloads(dir);
  }

  /**
   * Fetches the object, lends the file to `use`, and removes it.
   *
   * @throws NOT_FOUND where there is no such object; what `use` throws.
   */
  async lend<T>(store: ObjectStore, key: string, use: (path: string) => Promise<T>): Promise<T> {
    const path = join(this.dir, randomUUID());
    try {
      await fetchInto(store, key, path);
      return await use(path);
    } finally {
      await rm(path, { force: true });
    }
  }
}

/** A connection that breaks is taken up where it broke, as long as the object is the same one. */
async function fetchInto(store: ObjectStore, key: string, path: string): Promise<void> {
  let etag: string | undefined;
  let failures = 0;
  for (let arrived = 0; ;) {
    const found = await store.get(key, arrived === 0 ? undefined : { start: arrived, end: Number.MAX_SAFE_INTEGER });
    if (found === null) throw new AppError('NOT_FOUND', 'There is no such object.');
    if (etag !== undefined && found.info.etag !== etag) {
      found.body.destroy();
      throw new AppError('SERVICE_UNAVAILABLE', 'The object was replaced while it was being read.');
    }
    ({ etag } = found.info);
    const file = createWriteStream(path, { flags: arrived === 0 ? 'w' : 'a' });
    const broken = await pipeline(found.body, file).then(
      () => null,
      (error: unknown) => error,
    );
    if (broken instanceof Error && DISK_TROUBLE.test(errorCode(broken) ?? '')) throw broken;
    const before = arrived;
    arrived = (await stat(path)).size;
    if (arrived === found.info.sizeBytes) return;
    failures = arrived > before ? 0 : failures + 1;
    if (failures === TRIES_WITHOUT_PROGRESS) {
      throw new AppError('SERVICE_UNAVAILABLE', 'The object store does not answer.', { cause: broken });
    }
  }
}
