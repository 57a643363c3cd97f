import type { Database } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import type { ObjectInfo, ObjectStore } from '../../../ports/objectStore.js';
import { ifProcessLockIsFree } from '../../shared/processLock.js';

const AT_ONCE = 8;
/** What a key can begin with. */
const FIRST_CHARACTERS = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';

export interface MoveProgress {
  copied: number;
  copiedBytes: number;
  /** Were in the other store already, with the same size. */
  alreadyThere: number;
  /** Were deleted while they were being copied. */
  vanished: number;
  /** Of the old store; none unless asked for. */
  deleted: number;
  /** Keys whose copy has another size: left as they are, in both stores. */
  readonly wrong: string[];
}

export interface MoveOptions {
  /** Deletes each object of the old store once its copy is there and has its size. */
  readonly deleteMoved: boolean;
  /** Called after every object. */
  readonly onProgress: (progress: MoveProgress) => void;
  readonly signal?: AbortSignal;
}

/**
 * Copies every object of `from` to `to`. May be cut off anywhere and run again: what is there with the right size is not
 * copied twice. Objects are never written twice by the service, so a size says enough.
 *
 * @throws INVALID_STATE where another move runs: of two that delete, one would take the other's last copy for a leftover.
 */
export async function moveObjects(
  db: Database,
  from: ObjectStore,
  to: ObjectStore,
  { deleteMoved, onProgress, signal }: MoveOptions,
): Promise<MoveProgress> {
  const moved = await ifProcessLockIsFree(db, 'storeMove', async () => {
    const progress = { copied: 0, copiedBytes: 0, alreadyThere: 0, vanished: 0, deleted: 0, wrong: [] };
    const objects = everything(from)[Symbol.asyncIterator]();
    const mover = async (): Promise<void> => {
      for (let next = await objects.next(); next.done !== true; next = await objects.next()) {
        signal?.throwIfAborted();
        await moveOne(from, to, next.value, { deleteMoved, progress, signal });
        onProgress(progress);
      }
    };
    const results = await Promise.allSettled(Array.from({ length: AT_ONCE }, mover));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
    return progress;
  });
  if (moved === null) throw new AppError('INVALID_STATE', 'Another move is running.');
  return moved;
}

interface OneMove {
  readonly deleteMoved: boolean;
  readonly progress: MoveProgress;
  readonly signal: AbortSignal | undefined;
}

async function moveOne(
  from: ObjectStore,
  to: ObjectStore,
  { key, sizeBytes }: ObjectInfo,
  { deleteMoved, progress, signal }: OneMove,
): Promise<void> {
  const there = await to.head(key);
  if (there !== null && there.sizeBytes !== sizeBytes) {
    progress.wrong.push(key);
    return;
  }
  if (there === null) {
    const found = await from.get(key);
    if (found === null) {
      progress.vanished += 1;
      return;
    }
    await to.put(key, found.body, { sizeBytes: found.info.sizeBytes, ...(signal === undefined ? {} : { signal }) });
    const copy = await to.head(key);
    // Deleted meanwhile: whoever did it may have looked into the other store before the copy was there.
    if ((await from.head(key)) === null) {
      await to.delete(key);
      progress.vanished += 1;
      return;
    }
    if (copy?.sizeBytes !== found.info.sizeBytes) {
      progress.wrong.push(key);
      return;
    }
    progress.copied += 1;
    progress.copiedBytes += copy.sizeBytes;
  } else {
    progress.alreadyThere += 1;
  }
  if (deleteMoved) {
    await from.delete(key);
    progress.deleted += 1;
  }
}

/** No store lists itself as a whole, lest one empty prefix delete it; so it is asked for everything letter by letter. */
async function* everything(store: ObjectStore): AsyncGenerator<ObjectInfo> {
  for (const first of FIRST_CHARACTERS) yield* store.list(first);
}
