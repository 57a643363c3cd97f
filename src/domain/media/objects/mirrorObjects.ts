import type { ObjectInfo, ObjectStore } from '../../../ports/objectStore.js';
import { copyObjects, everything, type MoveProgress } from './moveObjects.js';

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
