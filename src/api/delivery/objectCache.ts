import type { ObjectInfo, ObjectStore, StreamedObject } from '../../ports/objectStore.js';
import { BufferPool } from './bufferPool.js';

/** The share for objects that were requested more than once. The rest is for new objects. */
const PROTECTED_SHARE = 0.8;
/** The largest share of a single object. Larger objects are streamed. */
const LARGEST_SHARE = 1 / 8;
/** Overhead of an entry, beside its bytes. */
const ENTRY_BYTES = 1_000;

/** Its bytes stay valid until every holder has called `release`. Then their memory is reused. */
export interface CachedObject {
  readonly info: ObjectInfo;
  readonly bytes: Buffer;
  /** As in the `Last-Modified` header. */
  readonly modified: string;
  /** Compressed with gzip, once somebody asked for it. Only for texts, which shrink to about a tenth. */
  compressed: Buffer | null;
}

interface Entry extends CachedObject {
  readonly key: string;
  /** Total memory that the entry takes, in bytes. */
  readonly size: number;
  holders: number;
  isKept: boolean;
}

interface Reading {
  /** `null` if the object is not kept. */
  readonly entry: Promise<Entry | null>;
  waiting: number;
}

export interface CacheStats {
  readonly hits: number;
  readonly misses: number;
  /** Everything in memory: kept, being read, and being sent. */
  readonly bytes: number;
}

/**
 * Caches immutable objects in memory. Concurrent requests for one object share one read. Objects that were requested
 * only once are evicted first, then the least recently used, so that a walk through thousands of segments does not
 * evict what everybody watches.
 *
 * At most `maxBytes` are in memory, including what slow readers still wait for. Objects that do not fit are streamed.
 */
export class ObjectCache {
  private readonly once = new Map<string, Entry>();
  private readonly often = new Map<string, Entry>();
  private newestOften: Entry | undefined;
  private readonly readings = new Map<string, Reading>();
  private readonly pool: BufferPool;
  private oftenBytes = 0;
  private hits = 0;
  private misses = 0;

  constructor(
    readonly store: ObjectStore,
    private readonly maxBytes: number,
  ) {
    this.pool = new BufferPool(maxBytes);
  }

  get stats(): CacheStats {
    return { hits: this.hits, misses: this.misses, bytes: this.pool.lentBytes };
  }

  /** Returns what is kept under this key, held for the caller. Counts as a request for it. */
  holdKept(key: string): CachedObject | undefined {
    const entry = this.kept(key);
    if (entry) entry.holders += 1;
    return entry;
  }

  /** Returns the whole object, held for the caller if it is kept. Returns `null` if there is no such object. */
  async read(key: string): Promise<CachedObject | StreamedObject | null> {
    const kept = this.holdKept(key);
    if (kept) return kept;
    const under = this.readings.get(key);
    if (under) {
      under.waiting += 1;
      const entry = await under.entry;
      if (entry) this.hits += 1;
      return entry ?? this.store.get(key);
    }
    this.misses += 1;
    if (this.maxBytes === 0) return this.store.get(key);

    const { promise, resolve, reject } = Promise.withResolvers<Entry | null>();
    // Usually nobody but the first caller waits for it.
    promise.catch(() => undefined);
    const reading = { entry: promise, waiting: 1 };
    this.readings.set(key, reading);
    const buffer: { size: number; bytes: Buffer | null } = { size: 0, bytes: null };
    try {
      const found = await this.store.read(key, (sizeBytes) => {
        const size = BufferPool.sizeOf(sizeBytes) + ENTRY_BYTES;
        if (size > this.maxBytes * LARGEST_SHARE || !this.evictFor(size)) return null;
        buffer.size = size;
        buffer.bytes = this.pool.lend(size);
        return buffer.bytes.subarray(0, sizeBytes);
      });
      const entry = found && 'bytes' in found ? this.keep(key, found, buffer.size, reading.waiting) : null;
      resolve(entry);
      return entry ?? (found as StreamedObject | null);
    } catch (error) {
      if (buffer.bytes) this.pool.takeBack(buffer.bytes, buffer.size);
      reject(error);
      throw error;
    } finally {
      this.readings.delete(key);
    }
  }

  /** Ends one hold. */
  release(object: CachedObject): void {
    const entry = object as Entry;
    entry.holders -= 1;
    if (entry.holders === 0 && !entry.isKept) this.pool.takeBack(entry.bytes, entry.size);
  }

  private kept(key: string): Entry | undefined {
    const often = this.often.get(key);
    if (often) {
      // Moving an entry costs more than finding it, and busy entries are often requested several times in a row.
      if (often !== this.newestOften) {
        this.often.delete(key);
        this.often.set(key, often);
        this.newestOften = often;
      }
      this.hits += 1;
      return often;
    }
    const entry = this.once.get(key);
    if (!entry) return undefined;
    this.once.delete(key);
    this.often.set(key, entry);
    this.newestOften = entry;
    this.oftenBytes += entry.size;
    for (const [oldestKey, oldest] of this.often) {
      if (this.oftenBytes <= this.maxBytes * PROTECTED_SHARE) break;
      this.often.delete(oldestKey);
      this.oftenBytes -= oldest.size;
      this.once.set(oldestKey, oldest);
    }
    this.hits += 1;
    return entry;
  }

  private keep(
    key: string,
    { info, bytes }: { readonly info: ObjectInfo; readonly bytes: Buffer },
    size: number,
    holders: number,
  ): Entry {
    const modified = info.modifiedAt.toUTCString();
    const entry = { key, info, bytes, modified, compressed: null, size, holders, isKept: true };
    this.once.set(key, entry);
    return entry;
  }

  /** Evicts entries until `size` bytes are free. Entries that are being sent stay, because dropping them would free nothing. */
  private evictFor(size: number): boolean {
    for (const kept of [this.once, this.often]) {
      for (const [key, entry] of kept) {
        if (this.pool.lentBytes + size <= this.maxBytes) return true;
        if (entry.holders > 0) continue;
        kept.delete(key);
        entry.isKept = false;
        this.pool.takeBack(entry.bytes, entry.size);
        if (kept === this.often) this.oftenBytes -= entry.size;
      }
    }
    return this.pool.lentBytes + size <= this.maxBytes;
  }
}
