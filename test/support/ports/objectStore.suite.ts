import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { ObjectStore } from '../../../src/ports/objectStore.js';

const HOUR_MS = 3_600_000;

export interface StoreUnderTest {
  readonly store: ObjectStore;
  /** The folder of its temporary files. */
  readonly scratchDir: string;
  readonly dispose: () => Promise<void>;
}

/** The behaviour of every object store. `makeStore` returns an empty one; `dispose` removes it. */
export function objectStoreSuite(makeStore: () => Promise<StoreUnderTest>): void {
  let store: ObjectStore;
  let scratchDir: string;
  let dispose: () => Promise<void>;
  let scratch: string;

  beforeEach(async () => {
    ({ store, scratchDir, dispose } = await makeStore());
    scratch = await mkdtemp(join(tmpdir(), 'dhara-store-suite-'));
  });
  afterEach(async () => {
    await dispose();
    await rm(scratch, { recursive: true, force: true });
  });

  const put = (key: string, text: string | Buffer) => store.put(key, Readable.from([Buffer.from(text)]));
  const keysOf = async (prefix: string) => (await collect(store.list(prefix))).map((info) => info.key);
  async function read(key: string, range?: { start: number; end: number }): Promise<string | null> {
    const found = await store.get(key, range);
    return found === null ? null : (await buffer(found.body)).toString();
  }

  describe('put and get', () => {
    it('return what was put, with its size', async () => {
      const bytes = randomBytes(3_000_000);
      expect(await store.put('a/b/c.bin', Readable.from(chunks(bytes, 70_001)))).toEqual({ sizeBytes: bytes.length });

      const found = await store.get('a/b/c.bin');
      expect(sha256(await buffer(found!.body))).toBe(sha256(bytes));
      expect(found!.info).toMatchObject({ key: 'a/b/c.bin', sizeBytes: bytes.length });
      expect(await store.head('a/b/c.bin')).toEqual(found!.info);
    });

    it('store an empty object', async () => {
      await store.put('empty', Readable.from([]));
      expect(await store.head('empty')).toMatchObject({ sizeBytes: 0 });
      expect(await read('empty')).toBe('');
    });

    it('return null for what was never put', async () => {
      await put('a/b', 'x');
      for (const key of ['nothing', 'a', 'a/b/c', 'a/nothing']) {
        expect(await store.head(key)).toBeNull();
        expect(await store.get(key)).toBeNull();
      }
    });

    it('replace an object, with a new etag', async () => {
      await put('k', 'one');
      const before = await store.head('k');
      expect(await store.head('k')).toEqual(before);
      await put('k', 'two');
      const after = await store.head('k');
      expect(after!.etag).not.toBe(before!.etag);
      expect(await read('k')).toBe('two');
    });

    it('have strong etags that are valid in a header', async () => {
      await put('k', 'one');
      expect((await store.head('k'))!.etag).toMatch(/^[\x21\x23-\x7e]+$/);
    });

    it('show nothing of a put that fails half-way, and keep the old object', async () => {
      await put('k', 'old');
      async function* failing(): AsyncGenerator<Buffer> {
        yield Buffer.from('new and');
        throw new Error('the source broke');
      }
      await expect(store.put('k', Readable.from(failing()))).rejects.toThrow('the source broke');
      await expect(store.put('k2', Readable.from(failing()))).rejects.toThrow('the source broke');
      expect(await read('k')).toBe('old');
      expect(await store.head('k2')).toBeNull();
      expect(await keysOf('k')).toEqual(['k']);
    });

    it('show nothing of a put that is aborted', async () => {
      const abort = new AbortController();
      async function* endless(): AsyncGenerator<Buffer> {
        for (let n = 0; ; n += 1) {
          if (n === 3) abort.abort();
          yield Buffer.alloc(1000);
        }
      }
      await expect(store.put('k', Readable.from(endless()), { signal: abort.signal })).rejects.toThrow();
      expect(await store.head('k')).toBeNull();
    });

    it('leave one whole object after many concurrent writers of one key', async () => {
      const texts = Array.from({ length: 20 }, (_, n) => `${n}`.repeat(1000));
      await Promise.all(texts.map((text) => put('race/k', text)));
      expect(texts).toContain(await read('race/k'));
    });
  });

  describe('ranges', () => {
    beforeEach(() => put('digits', '0123456789'));

    it.each([
      [0, 0, '0'],
      [0, 9, '0123456789'],
      [3, 5, '345'],
      [9, 9, '9'],
      [8, 100, '89'],
    ])('of %i-%i return %s', async (start, end, text) => {
      expect(await read('digits', { start, end })).toBe(text);
    });

    it('return the size of the whole object', async () => {
      const part = await store.get('digits', { start: 1, end: 2 });
      part!.body.destroy();
      expect(part!.info.sizeBytes).toBe(10);
    });

    it('are refused if they start after the end', async () => {
      await expect(store.get('digits', { start: 10, end: 12 })).rejects.toThrow(RangeError);
    });
  });

  describe('putFile', () => {
    it('moves the file into the store', async () => {
      const path = join(scratch, 'video');
      await writeFile(path, 'a video');
      expect(await store.putFile('sources/a/b', path)).toEqual({ sizeBytes: 7 });
      expect(await read('sources/a/b')).toBe('a video');
      await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' });
    });

    it('throws if the file is missing, and stores nothing', async () => {
      await expect(store.putFile('k', join(scratch, 'nothing'))).rejects.toMatchObject({ code: 'ENOENT' });
      expect(await store.head('k')).toBeNull();
    });
  });

  it('withLocalFile lends a local file', async () => {
    await put('a/k', 'content');
    const size = await store.withLocalFile('a/k', async (path) => (await stat(path)).size);
    expect(size).toBe(7);
    await expect(store.withLocalFile('a/nothing', () => Promise.resolve(1))).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  describe('leftovers', () => {
    const age = async (path: string, hours: number): Promise<void> => {
      const then = new Date(Date.now() - hours * HOUR_MS);
      await utimes(path, then, then);
    };

    it('are files untouched for hours, which are listed and removed', async () => {
      await put('a/k', 'content');
      for (const name of ['old', 'young']) await writeFile(join(scratchDir, name), 'half a video');
      await mkdir(join(scratchDir, 'folder'));
      await writeFile(join(scratchDir, 'folder', 'seg'), 'half deleted');
      for (const name of ['old', 'folder']) await age(join(scratchDir, name), 5);
      await age(join(scratchDir, 'young'), 2);

      const named = await collect(store.listLeftovers());
      expect(named.map(({ name }) => name).sort()).toEqual(['folder', 'old']);
      expect(await store.removeLeftovers()).toBe(2);
      expect(await store.removeLeftovers()).toBe(0);
      expect(await readdir(scratchDir)).toEqual(['young']);
      expect(await read('a/k')).toBe('content');
    });

    it('include lent copies, but never an object, however old', async () => {
      await put('a/k', 'content');
      const lent = store.withLocalFile('a/k', async (path) => {
        await age(path, 100);
        expect(await store.removeLeftovers()).toBe(store.lendsCopies ? 1 : 0);
        return readFile(path, 'utf8');
      });
      if (store.lendsCopies) await expect(lent).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
      else expect(await lent).toBe('content');
      expect(await read('a/k')).toBe('content');
    });
  });

  describe('list and delete', () => {
    const KEYS = ['v/a/1', 'v/a/2', 'v/a-b', 'v/a.c', 'v/a0', 'v/ab/1', 'v/B/1', 'w/1'];
    beforeEach(async () => {
      for (const key of KEYS) await put(key, key);
    });

    it('list in the byte order of whole keys', async () => {
      const inOrder = KEYS.filter((key) => key.startsWith('v/')).sort();
      expect(await keysOf('v/')).toEqual(inOrder);
      expect(await keysOf('v')).toEqual(inOrder);
    });

    it('treat a prefix as the beginning of a key, not as a folder', async () => {
      expect(await keysOf('v/a')).toEqual(['v/a-b', 'v/a.c', 'v/a/1', 'v/a/2', 'v/a0', 'v/ab/1']);
      expect(await keysOf('v/a/')).toEqual(['v/a/1', 'v/a/2']);
      expect(await keysOf('v/a/2')).toEqual(['v/a/2']);
      expect(await keysOf('nothing/')).toEqual([]);
    });

    it('list the same facts that head returns', async () => {
      const [first] = await collect(store.list('w/'));
      expect(first).toEqual(await store.head('w/1'));
    });

    it('delete one object, also when repeated', async () => {
      await store.delete('v/a/1');
      await store.delete('v/a/1');
      expect(await keysOf('v/a/')).toEqual(['v/a/2']);
    });

    it('delete a prefix, also when repeated, and nothing beside it', async () => {
      await store.deletePrefix('v/a/');
      await store.deletePrefix('v/a/');
      expect(await keysOf('v/')).toEqual(['v/B/1', 'v/a-b', 'v/a.c', 'v/a0', 'v/ab/1']);
      await store.deletePrefix('v/a');
      expect(await keysOf('v/')).toEqual(['v/B/1']);
    });

    it('allow putting again after everything was deleted', async () => {
      await store.deletePrefix('v/');
      await put('v/a/1', 'again');
      expect(await read('v/a/1')).toBe('again');
    });

    it('survive concurrent puts and deletes of neighbours', async () => {
      for (let round = 0; round < 30; round += 1) {
        await Promise.all([put('n/x/1', '1'), store.delete('n/x/2'), put('n/x/2', '2'), store.delete('n/x/1')]);
        await Promise.all([store.delete('n/x/1'), store.delete('n/x/2')]);
      }
      await put('n/x/3', '3');
      expect(await read('n/x/3')).toBe('3');
    });
  });

  it.each([
    '',
    '/',
    '/etc/passwd',
    '../x',
    'a/../b',
    'a/./b',
    'a//b',
    'a/',
    '.hidden',
    'a/.b',
    'a\\b',
    'a\0b',
    'a b',
    'ä',
    'x'.repeat(2000),
  ])('every method refuses the key %j', async (key) => {
    const refused = { name: 'InvalidKeyError' };
    await expect(store.put(key, Readable.from(['x']))).rejects.toMatchObject(refused);
    await expect(store.putFile(key, join(scratch, 'x'))).rejects.toMatchObject(refused);
    await expect(store.head(key)).rejects.toMatchObject(refused);
    await expect(store.get(key)).rejects.toMatchObject(refused);
    await expect(store.delete(key)).rejects.toMatchObject(refused);
    await expect(store.withLocalFile(key, () => Promise.resolve(1))).rejects.toMatchObject(refused);
    if (key === 'a/') return;
    await expect(store.deletePrefix(key)).rejects.toMatchObject(refused);
    await expect(collect(store.list(key))).rejects.toMatchObject(refused);
  });

  it('the store is writable', async () => {
    await expect(store.check()).resolves.toBeUndefined();
    expect(await store.freeBytes()).toBeGreaterThan(0);
  });
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

function* chunks(bytes: Buffer, size: number): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
