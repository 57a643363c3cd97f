import type { Readable } from 'node:stream';

import { AppError } from '../../errors.js';
import type { ByteRange, Leftover, ObjectInfo, ObjectStore, StreamedObject } from '../../ports/objectStore.js';

/**
 * Two stores while all objects move from one to the other. New objects go to `store`; objects that are not there yet
 * are read from `old`; deletions apply to both.
 *
 * An object may be moved at any moment. So a reader that finds it in neither store looks once more in the new one. A
 * deletion begins with the old store: a copy that is under way then finds its original gone, and is undone.
 */
export class FallbackObjectStore implements ObjectStore {
  constructor(
    private readonly store: ObjectStore,
    private readonly old: ObjectStore,
  ) {}

  put(
    key: string,
    body: Readable,
    options?: { signal?: AbortSignal; sizeBytes?: number },
  ): Promise<{ sizeBytes: number }> {
    return this.store.put(key, body, options);
  }

  putFile(key: string, path: string): Promise<{ sizeBytes: number }> {
    return this.store.putFile(key, path);
  }

  async head(key: string): Promise<ObjectInfo | null> {
    return (await this.store.head(key)) ?? (await this.old.head(key)) ?? this.store.head(key);
  }

  async get(key: string, range?: ByteRange): Promise<StreamedObject | null> {
    return (await this.store.get(key, range)) ?? (await this.old.get(key, range)) ?? this.store.get(key, range);
  }

  async read(...asked: Parameters<ObjectStore['read']>): ReturnType<ObjectStore['read']> {
    return (await this.store.read(...asked)) ?? (await this.old.read(...asked)) ?? this.store.read(...asked);
  }

  async withLocalFile<T>(key: string, use: (path: string) => Promise<T>): Promise<T> {
    for (const store of [this.store, this.old, this.store]) {
      if ((await store.head(key)) !== null) return store.withLocalFile(key, use);
    }
    throw new AppError('NOT_FOUND', 'Object not found.');
  }

  get lendsCopies(): boolean {
    return this.store.lendsCopies || this.old.lendsCopies;
  }

  /** May leave out objects that move while it lists. */
  async *list(prefix: string): AsyncIterable<ObjectInfo> {
    const ours = this.store.list(prefix)[Symbol.asyncIterator]();
    const theirs = this.old.list(prefix)[Symbol.asyncIterator]();
    try {
      let [a, b] = await Promise.all([ours.next(), theirs.next()]);
      while (a.done !== true || b.done !== true) {
        if (b.done === true || (a.done !== true && a.value.key <= b.value.key)) {
          if (a.done === true) return;
          if (b.done !== true && b.value.key === a.value.key) b = await theirs.next();
          yield a.value;
          a = await ours.next();
        } else {
          yield b.value;
          b = await theirs.next();
        }
      }
    } finally {
      await Promise.all([ours.return?.(), theirs.return?.()]);
    }
  }

  async delete(key: string): Promise<void> {
    await this.old.delete(key);
    await this.store.delete(key);
  }

  async deletePrefix(prefix: string): Promise<void> {
    await this.old.deletePrefix(prefix);
    await this.store.deletePrefix(prefix);
  }

  async *listLeftovers(): AsyncIterable<Leftover> {
    yield* this.store.listLeftovers();
    yield* this.old.listLeftovers();
  }

  async removeLeftovers(): Promise<number> {
    return (await this.old.removeLeftovers()) + (await this.store.removeLeftovers());
  }

  check(): Promise<void> {
    return this.store.check();
  }

  freeBytes(): Promise<number> {
    return this.store.freeBytes();
  }
}
