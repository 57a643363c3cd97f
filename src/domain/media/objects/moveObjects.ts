import type { Database } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import type { ObjectInfo, ObjectStore } from '../../../ports/objectStore.js';
import { ifProcessLockIsFree, ifStoreIsNotHeld } from '../../shared/processLock.js';

const AT_ONCE = 8;
/** The characters that a key can begin with. */
const FIRST_CHARACTERS = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';

export interface MoveProgress {
  copied: number;
  copiedBytes: number;
  /** Already in the other store, with the same size. */
  alreadyThere: number;
  /** Deleted while they were being copied. */
  vanished: number;
  /** Deleted from the old store, if requested. */
  deleted: number;
  /** Keys whose copy has another size. They are left as they are, in both stores. */
  readonly wrong: string[];
}

export interface MoveOptions {
  /** Deletes each object of the old store once its copy exists and has the same size. */
  readonly deleteMoved: boolean;
  /** Called after every object. */
  readonly onProgress: (progress: MoveProgress) => void;
  readonly signal?: AbortSignal;
}

/**
 * Copies every object of `from` to `to`. If interrupted, it can run again: copies with the right size are not made
 * twice. The service never writes an object twice, so comparing the size suffices.
 *
 * @throws INVALID_STATE if another move runs: of two that delete, one could take the other's last copy for a leftover;
 *   or, with `deleteMoved`, if a backup holds the store
 */
export async function moveObjects(
  db: Database,
  from: ObjectStore,
  to: ObjectStore,
  options: MoveOptions,
): Promise<MoveProgress> {
  if (!options.deleteMoved) return moveAlone(db, from, to, options);
  const moved = await ifStoreIsNotHeld(db, () => moveAlone(db, from, to, options));
  if (moved === null) throw new AppError('INVALID_STATE', 'A backup is running. Move with --delete after it.');
  return moved;
}

async function moveAlone(
  db: Database,
  from: ObjectStore,
  to: ObjectStore,
  options: MoveOptions,
): Promise<MoveProgress> {
  const moved = await ifProcessLockIsFree(db, 'storeMove', () => copyObjects(from, to, options));
  if (moved === null) throw new AppError('INVALID_STATE', 'Another move is running.');
  return moved;
}

/** The same without a lock, for a store that nothing else uses. */
export async function copyObjects(
  from: ObjectStore,
  to: ObjectStore,
  { deleteMoved, onProgress, signal }: MoveOptions,
): Promise<MoveProgress> {
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
    // Deleted meanwhile. The deletion may have checked the other store before the copy was there.
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

/** Stores refuse to list an empty prefix, so that one cannot delete everything. So this lists by first character. */
export async function* everything(store: ObjectStore): AsyncGenerator<ObjectInfo> {
  for (const first of FIRST_CHARACTERS) yield* store.list(first);
}

/**
 * Makes `mirror` hold what `store` holds. Objects never change, so only those are copied that the mirror lacks.
 *
 * @throws if an object has another size in the mirror
 */
export async function mirrorObjects(store: ObjectStore, mirror: ObjectStore): Promise<MoveProgress> {
  const progress = await copyObjects(store, mirror, { deleteMoved: false, onProgress: () => undefined });
  if (progress.wrong.length > 0) {
    throw new Error(`${progress.wrong.length} objects have another size in the mirror, the first ${progress.wrong[0]}`);
  }
  for await (const { key } of missingFrom(everything(store), everything(mirror))) await mirror.delete(key);
  return progress;
}

/** What `others` has and `objects` has not. Both come in key order. */
async function* missingFrom(
  objects: AsyncIterable<ObjectInfo>,
  others: AsyncIterable<ObjectInfo>,
): AsyncGenerator<ObjectInfo> {
  const rest = objects[Symbol.asyncIterator]();
  let next = await rest.next();
  for await (const other of others) {
    while (next.done !== true && next.value.key < other.key) next = await rest.next();
    if (next.done === true || next.value.key !== other.key) yield other;
  }
}
