import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { DiskObjectStore } from '../../../src/adapters/store/disk.js';
import { BufferPool } from '../../../src/api/delivery/bufferPool.js';
import { type CachedObject, ObjectCache } from '../../../src/api/delivery/objectCache.js';
import type { ObjectStore } from '../../../src/ports/objectStore.js';
import { mediaFolder } from '../../support/media.js';
import fc from '../../support/properties.js';

const KB = 1_000;
/** Space for eight segments of 100 kB, with the overhead of their entries. */
const MAX_BYTES = 1_000 * KB;
const SEGMENT_BYTES = 100 * KB;

let folder: Awaited<ReturnType<typeof mediaFolder>>;
let disk: DiskObjectStore;
/** Keys in the order in which the store was asked for them. */
let reads: string[];
let store: ObjectStore;
const contents = new Map<string, Buffer>();
beforeAll(async () => {
  folder = await mediaFolder();
  disk = await DiskObjectStore.open({ dir: folder.path });
  for (let n = 0; n < 60; n += 1) await put(`seg_${n}`, SEGMENT_BYTES);
  await put('large', 300 * KB);
  await put('empty', 0);
});
afterAll(() => folder[Symbol.asyncDispose]());
beforeEach(() => {
  reads = [];
  store = Object.assign(Object.create(disk) as ObjectStore, {
    get: (...asked: Parameters<ObjectStore['get']>) => {
      reads.push(asked[0]);
      return disk.get(...asked);
    },
    read: (...asked: Parameters<ObjectStore['read']>) => {
      reads.push(asked[0]);
      return disk.read(...asked);
    },
  });
});

async function put(key: string, sizeBytes: number): Promise<void> {
  contents.set(key, randomBytes(sizeBytes));
  await disk.put(key, Readable.from([contents.get(key)!]));
}

/** Reads an object and releases it at once, as for a fast viewer. */
async function take(cache: ObjectCache, key: string): Promise<Buffer | null> {
  const found = await cache.read(key);
  if (found === null || 'body' in found) return found && buffer(found.body);
  const taken = Buffer.from(found.bytes);
  cache.release(found);
  return taken;
}

function isKept(cache: ObjectCache, key: string): boolean {
  const kept = cache.holdKept(key);
  if (kept) cache.release(kept);
  return kept !== undefined;
}

describe('an object in memory', () => {
  it("has the object's bytes, and is read once for many concurrent requests", async () => {
    const cache = new ObjectCache(store, MAX_BYTES);
    const answers = await Promise.all(Array.from({ length: 50 }, () => take(cache, 'seg_0')));
    for (const answer of [...answers, await take(cache, 'seg_0')]) expect(answer).toEqual(contents.get('seg_0'));
    expect(reads).toEqual(['seg_0']);
    expect(cache.stats).toMatchObject({ hits: 50, misses: 1 });
  });

  it('stays while many others are requested once', async () => {
    const cache = new ObjectCache(store, MAX_BYTES);
    for (const key of ['seg_0', 'seg_1', 'seg_0', 'seg_1']) await take(cache, key);
    for (let n = 2; n < 60; n += 1) await take(cache, `seg_${n}`);
    reads.length = 0;
    await take(cache, 'seg_0');
    await take(cache, 'seg_1');
    expect(reads).toEqual([]);
  });

  it('is evicted when others are requested more often', async () => {
    const cache = new ObjectCache(store, MAX_BYTES);
    for (let n = 0; n < 20; n += 1) for (let times = 0; times < 2; times += 1) await take(cache, `seg_${n}`);
    expect([isKept(cache, 'seg_0'), isKept(cache, 'seg_19')]).toEqual([false, true]);
  });

  it('is never a missing one', async () => {
    const cache = new ObjectCache(store, MAX_BYTES);
    expect(await Promise.all([take(cache, 'none'), take(cache, 'none')])).toEqual([null, null]);
    await put('none', 10);
    expect(await take(cache, 'none')).toEqual(contents.get('none'));
    await disk.delete('none');
    contents.delete('none');
  });

  it('may be empty', async () => {
    expect(await take(new ObjectCache(store, MAX_BYTES), 'empty')).toHaveLength(0);
  });

  it('keeps its bytes for a slow reader after its eviction', async () => {
    const cache = new ObjectCache(store, MAX_BYTES);
    const held = (await cache.read('seg_0')) as CachedObject;
    for (let round = 0; round < 3; round += 1) for (let n = 1; n < 60; n += 1) await take(cache, `seg_${n}`);
    expect(held.bytes).toEqual(contents.get('seg_0'));
    cache.release(held);
  });
});

describe('an object without space in memory', () => {
  it('is streamed whole if the cache has size 0', async () => {
    const cache = new ObjectCache(store, 0);
    for (let times = 0; times < 2; times += 1) expect(await take(cache, 'seg_0')).toEqual(contents.get('seg_0'));
    expect(reads).toEqual(['seg_0', 'seg_0']);
    expect(cache.stats.bytes).toBe(0);
  });

  it('is streamed to each reader if it is larger than an eighth of the cache', async () => {
    const cache = new ObjectCache(store, MAX_BYTES);
    for (const answer of await Promise.all([take(cache, 'large'), take(cache, 'large')])) {
      expect(answer).toEqual(contents.get('large'));
    }
    expect(cache.stats.bytes).toBe(0);
  });

  it('is streamed while slow readers hold the whole cache', async () => {
    const cache = new ObjectCache(store, MAX_BYTES);
    const held: CachedObject[] = [];
    for (let n = 0; n < 30; n += 1) {
      const found = await cache.read(`seg_${n}`);
      if (found && 'bytes' in found) held.push(found);
      else found?.body.destroy();
    }
    expect(held).toHaveLength(9);
    expect(cache.stats.bytes).toBeLessThanOrEqual(MAX_BYTES);
    for (const [n, one] of held.entries()) expect(one.bytes).toEqual(contents.get(`seg_${n}`));
    for (const one of held) cache.release(one);
    const found = (await cache.read('seg_40')) as CachedObject;
    expect(found.bytes).toEqual(contents.get('seg_40'));
    cache.release(found);
  });
});

describe('an object that fails to load', () => {
  it.each([
    ['ends early', () => Promise.reject(new Error('An object of 100000 bytes ended after 10.'))],
    ['is in an unavailable store', () => Promise.reject(new Error('the store went away'))],
  ])('fails for all readers who wait, and is not kept, if it %s', async (_, fail) => {
    const broken = Object.assign(Object.create(disk) as ObjectStore, {
      read: (_key: string, allocate: (sizeBytes: number) => Buffer | null) => {
        allocate(SEGMENT_BYTES);
        return fail();
      },
    });
    const cache = new ObjectCache(broken, MAX_BYTES);
    const [first, second] = await Promise.allSettled([cache.read('seg_0'), cache.read('seg_0')]);
    expect([first.status, second.status]).toEqual(['rejected', 'rejected']);
    expect(isKept(cache, 'seg_0')).toBe(false);
    expect(cache.stats.bytes).toBe(0);
  });
});

it('objects are always whole and within the limit of the cache, whatever is read and held concurrently', async () => {
  const round = fc.record({
    asked: fc.array(fc.record({ key: fc.nat(59).map((n) => `seg_${n}`), isHeld: fc.boolean() }), { maxLength: 8 }),
    released: fc.nat(8),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(round, { maxLength: 30 }), async (rounds) => {
      const cache = new ObjectCache(store, MAX_BYTES);
      const held: { key: string; object: CachedObject }[] = [];
      const release = ({ key, object }: (typeof held)[number]): void => {
        expect(object.bytes.equals(contents.get(key)!)).toBe(true);
        cache.release(object);
      };
      for (const { asked, released } of rounds) {
        await Promise.all(
          asked.map(async ({ key, isHeld }) => {
            if (!isHeld) return expect((await take(cache, key))!.equals(contents.get(key)!)).toBe(true);
            const object = await cache.read(key);
            if (object && 'bytes' in object) held.push({ key, object });
            else object?.body.destroy();
          }),
        );
        expect(cache.stats.bytes).toBeLessThanOrEqual(MAX_BYTES);
        for (const one of held.splice(0, released)) release(one);
      }
      for (const one of held) release(one);
      // With nothing held, all allocated bytes belong to kept objects.
      let kept = 0;
      for (const key of contents.keys()) if (isKept(cache, key)) kept += 1;
      expect(cache.stats.bytes).toBe(kept * (BufferPool.sizeOf(SEGMENT_BYTES) + KB));
    }),
    { numRuns: 40 },
  );
});
