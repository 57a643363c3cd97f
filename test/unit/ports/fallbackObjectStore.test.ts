import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { DiskObjectStore } from '../../../src/adapters/store/disk.js';
import { FallbackObjectStore } from '../../../src/adapters/store/fallback.js';
import { objectStoreSuite } from '../../support/ports/objectStore.suite.js';

async function openBoth(dir: string) {
  const store = await DiskObjectStore.open({ dir: join(dir, 'new') });
  const old = await DiskObjectStore.open({ dir: join(dir, 'old') });
  return { store, old, both: new FallbackObjectStore(store, old) };
}

describe('FallbackObjectStore', () => {
  objectStoreSuite(async () => {
    const dir = await mkdtemp(join(tmpdir(), 'dhara-fallback-'));
    const { both } = await openBoth(dir);
    const dispose = () => rm(dir, { recursive: true, force: true });
    return { store: both, scratchDir: join(dir, 'old', 'incoming'), dispose };
  });
});

describe('FallbackObjectStore while objects move', () => {
  let dir: string;
  let stores: Awaited<ReturnType<typeof openBoth>>;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'dhara-fallback-'));
    stores = await openBoth(dir);
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  const put = (store: DiskObjectStore, key: string, content = key) => store.put(key, Readable.from([content]));
  const keys = async (prefix: string) => {
    const all: string[] = [];
    for await (const { key } of stores.both.list(prefix)) all.push(key);
    return all;
  };

  it('reads from both stores, the new one first', async () => {
    await put(stores.old, 'v/old');
    await put(stores.old, 'v/both', 'old');
    await put(stores.store, 'v/both', 'new');
    expect(await text((await stores.both.get('v/old'))!.body)).toBe('v/old');
    expect(await text((await stores.both.get('v/old', { start: 2, end: 4 }))!.body)).toBe('old');
    expect(await text((await stores.both.get('v/both'))!.body)).toBe('new');
    expect(await stores.both.head('v/old')).toMatchObject({ sizeBytes: 5 });
    expect(await stores.both.withLocalFile('v/old', (path) => Promise.resolve(path))).toContain('/old/');
    expect(await stores.both.withLocalFile('v/both', (path) => Promise.resolve(path))).toContain('/new/');
  });

  it('finds an object that is moved between its two reads', async () => {
    /** Moves each object just before it looks for it. */
    const movedAway = new (class extends FallbackObjectStore {
      private async moveFirst(key: string): Promise<void> {
        await put(stores.store, key);
        await stores.old.delete(key);
      }
      override async head(key: string) {
        await this.moveFirst(key);
        return super.head(key);
      }
      override async get(key: string) {
        await this.moveFirst(key);
        return super.get(key);
      }
    })(stores.old, stores.old);
    const both = new FallbackObjectStore(stores.store, movedAway);
    for (const key of ['v/1', 'v/2', 'v/3']) await put(stores.old, key);
    expect(await both.head('v/1')).toMatchObject({ sizeBytes: 3 });
    expect(await text((await both.get('v/2'))!.body)).toBe('v/2');
    expect(await both.withLocalFile('v/3', (path) => Promise.resolve(path))).toContain('/new/');
  });

  it('writes to the new store only', async () => {
    await stores.both.put('v/1', Readable.from(['x']));
    expect(await stores.old.head('v/1')).toBeNull();
    expect(await stores.store.head('v/1')).not.toBeNull();
  });

  it('sweeps leftovers of both stores', async () => {
    const fiveHoursAgo = new Date(Date.now() - 5 * 3_600_000);
    for (const place of ['new', 'old']) {
      const path = join(dir, place, 'incoming', `left-in-${place}`);
      await writeFile(path, 'half a video');
      await utimes(path, fiveHoursAgo, fiveHoursAgo);
    }
    expect(await stores.both.removeLeftovers()).toBe(2);
  });

  it('lists both stores as one, in order, without duplicates', async () => {
    for (const key of ['v/1', 'v/2', 'v/5', 'v/6']) await put(stores.old, key);
    for (const key of ['v/2', 'v/3', 'v/5']) await put(stores.store, key);
    expect(await keys('v/')).toEqual(['v/1', 'v/2', 'v/3', 'v/5', 'v/6']);
    expect(await keys('v/3')).toEqual(['v/3']);
    expect(await keys('w/')).toEqual([]);
  });

  it('deletes from both stores', async () => {
    for (const store of [stores.old, stores.store]) for (const key of ['v/1', 'v/2', 'w/1']) await put(store, key);
    await stores.both.delete('w/1');
    await stores.both.deletePrefix('v/');
    for (const key of ['v/1', 'v/2', 'w/1']) {
      expect(await stores.old.head(key)).toBeNull();
      expect(await stores.store.head(key)).toBeNull();
    }
  });
});
