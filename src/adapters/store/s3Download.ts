import { open, type FileHandle } from 'node:fs/promises';

import { AppError } from '../../errors.js';
import type { ObjectStore } from '../../ports/objectStore.js';
import { errorCode } from './durable.js';

/** How often in a row a connection may break before a single new byte arrives. */
const TRIES_WITHOUT_PROGRESS = 3;
/** Errors for which asking the store again would not help. */
const DISK_TROUBLE = /^(ENOSPC|EDQUOT|EFBIG|EIO|EROFS|EACCES|EPERM)$/;

/**
 * Downloads an object to a file. If the file is swept meanwhile, the bytes go to the unlinked file: reopening the path
 * would create a new file that begins in the middle.
 *
 * @throws NOT_FOUND if the object does not exist
 */
export async function download(store: ObjectStore, key: string, path: string): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await fill(file, store, key);
  } finally {
    await file.close();
  }
}

/** Resumes a broken connection where it broke, as long as the object is the same. */
async function fill(file: FileHandle, store: ObjectStore, key: string): Promise<void> {
  let etag: string | undefined;
  let failures = 0;
  for (let arrived = 0; ;) {
    const found = await store.get(key, arrived === 0 ? undefined : { start: arrived, end: Number.MAX_SAFE_INTEGER });
    if (found === null) throw new AppError('NOT_FOUND', 'Object not found.');
    if (etag !== undefined && found.info.etag !== etag) {
      found.body.destroy();
      throw new AppError('SERVICE_UNAVAILABLE', 'The object was replaced while it was being read.');
    }
    ({ etag } = found.info);
    // Continue from where the last attempt ended.
    const broken = await file.writeFile(found.body).then(
      () => null,
      (error: unknown) => error,
    );
    if (broken instanceof Error && DISK_TROUBLE.test(errorCode(broken) ?? '')) throw broken;
    const before = arrived;
    arrived = (await file.stat()).size;
    if (arrived === found.info.sizeBytes) return;
    failures = arrived > before ? 0 : failures + 1;
    if (failures === TRIES_WITHOUT_PROGRESS) {
      throw new AppError('SERVICE_UNAVAILABLE', 'The object store is not responding.', { cause: broken });
    }
  }
}
