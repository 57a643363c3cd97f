import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { DiskObjectStore } from '../../../src/adapters/store/disk.js';
import { FallbackObjectStore } from '../../../src/adapters/store/fallback.js';
import { openStores } from '../../../src/adapters/store/openStores.js';
import type { App } from '../../../src/app.js';
import { storeCommand } from '../../../src/cli/storeCommands.js';
import { ConfigError } from '../../../src/config/config.js';
import { PostgresDatabase } from '../../../src/db/database.js';
import { moveObjects, type MoveProgress } from '../../../src/domain/media/objects/moveObjects.js';
import type { ObjectStore } from '../../../src/ports/objectStore.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { makeBucket, startSwift } from '../../support/swift.js';
import { until } from '../../support/worker/pipeline.js';

let database: TestDatabase;
let db: PostgresDatabase;
const cleanUp = new AsyncDisposableStack();
beforeAll(async () => {
  database = await createTestDatabase();
  db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 4 });
});
afterAll(async () => {
  await cleanUp.disposeAsync();
  await db.close();
  await database.drop();
});

async function folder(): Promise<string> {
  return cleanUp.use(await mkdtempDisposable(join(tmpdir(), 'dhara-move-'))).path;
}

const KEYS = ['-odd', '0', 'Z/z', '_x', ...Array.from({ length: 60 }, (_, n) => `videos/${n % 7}/${n}`)].sort();
const quiet = { deleteMoved: false, onProgress: () => undefined };

async function fill(store: ObjectStore, keys = KEYS): Promise<void> {
  for (const key of keys) await store.put(key, Readable.from([`content of ${key}`]));
}

async function read(store: ObjectStore, key: string): Promise<string | null> {
  const found = await store.get(key);
  return found === null ? null : text(found.body);
}

async function missing(store: ObjectStore, keys = KEYS): Promise<string[]> {
  const gone: string[] = [];
  for (const key of keys) if ((await read(store, key)) !== `content of ${key}`) gone.push(key);
  return gone;
}

/** How long a session may be idle. A slow machine needs some of it to begin a move. */
const IDLE_MS = 1_000;

/** Whether the holder has been idle for longer than its session's limit. */
async function holderHasBeenSilent(): Promise<boolean> {
  const [row] = await db.sql.query<{ held: boolean }>({
    name: 'test-silent-holder',
    text: `
      select exists (
        select from pg_locks l join pg_stat_activity a using (pid)
        where l.locktype = 'advisory' and a.datname = current_database() and a.state = 'idle in transaction'
          and clock_timestamp() - a.state_change > interval '${IDLE_MS + 200} ms') as held`,
  });
  return row!.held;
}

describe('a move', () => {
  let from: DiskObjectStore;
  let to: DiskObjectStore;
  beforeEach(async () => {
    from = await DiskObjectStore.open({ dir: await folder() });
    to = await DiskObjectStore.open({ dir: await folder() });
    await fill(from);
  });

  it('copies everything, keeps everything, and finds nothing to do the second time', async () => {
    const bytes = KEYS.reduce((sum, key) => sum + `content of ${key}`.length, 0);
    const done = { copied: KEYS.length, copiedBytes: bytes, alreadyThere: 0, vanished: 0, deleted: 0, wrong: [] };
    expect(await moveObjects(db, from, to, quiet)).toEqual(done);
    expect([await missing(to), await missing(from)]).toEqual([[], []]);
    expect(await moveObjects(db, from, to, quiet)).toMatchObject({ copied: 0, alreadyThere: KEYS.length });
  });

  it('deletes if told to, including what an earlier move copied', async () => {
    await moveObjects(db, from, to, quiet);
    expect(await moveObjects(db, from, to, { ...quiet, deleteMoved: true })).toMatchObject({ deleted: KEYS.length });
    expect(await missing(to)).toEqual([]);
    expect(await missing(from)).toEqual(KEYS);
  });

  it('continues where it was interrupted', async () => {
    const stop = new AbortController();
    let seen = 0;
    const onProgress = (): void => {
      seen += 1;
      if (seen === 20) stop.abort(new Error('cut off'));
    };
    await expect(moveObjects(db, from, to, { ...quiet, onProgress, signal: stop.signal })).rejects.toThrow(
      /cut off|aborted/,
    );
    const rest = await moveObjects(db, from, to, quiet);
    expect(rest.alreadyThere).toBeGreaterThanOrEqual(20);
    expect(rest.copied).toBeGreaterThan(0);
    expect(rest.copied + rest.alreadyThere).toBe(KEYS.length);
    expect(await missing(to)).toEqual([]);
  });

  it('leaves objects of another size alone, and reports them', async () => {
    await to.put('Z/z', Readable.from(['something']));
    const { wrong, copied } = await moveObjects(db, from, to, { ...quiet, deleteMoved: true });
    expect([wrong, copied]).toEqual([['Z/z'], KEYS.length - 1]);
    expect(await read(to, 'Z/z')).toBe('something');
    expect(await missing(from, ['Z/z'])).toEqual([]);
  });

  it('is the only one', async () => {
    let second: Promise<unknown> | undefined;
    const onProgress = (): void => {
      second ??= moveObjects(db, from, to, quiet).catch((error: unknown) => error);
    };
    await moveObjects(db, from, to, { ...quiet, onProgress });
    expect(await second).toMatchObject({ code: 'INVALID_STATE', message: 'Another move is running.' });
  });

  it('is the only one as long as it takes, however long a session may be idle', async () => {
    const impatient = await PostgresDatabase.connect({
      url: database.runtimeUrl,
      maxConnections: 2,
      idleInTransactionTimeoutMs: IDLE_MS,
    });
    cleanUp.defer(() => impatient.close());
    const refused = Promise.withResolvers<void>();
    const slow = new (class extends FallbackObjectStore {
      override async get(key: string) {
        await refused.promise;
        return super.get(key);
      }
    })(from, from);
    const first = moveObjects(impatient, slow, to, quiet);
    try {
      await Promise.race([until(holderHasBeenSilent), first]);
      await expect(moveObjects(db, from, to, quiet)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    } finally {
      refused.resolve();
    }
    expect(await first).toMatchObject({ copied: KEYS.length });
  });

  it('is invisible to readers', async () => {
    const both = new FallbackObjectStore(to, from);
    const moved = new AbortController();
    const reader = async (): Promise<string[]> => {
      const lost: string[] = [];
      while (!moved.signal.aborted) lost.push(...(await missing(both)));
      return lost;
    };
    const readers = [reader(), reader(), reader()];
    await moveObjects(db, from, to, { ...quiet, deleteMoved: true });
    moved.abort();
    expect((await Promise.all(readers)).flat()).toEqual([]);
  });

  it('undoes a copy whose original was deleted meanwhile', async () => {
    const both = new FallbackObjectStore(to, from);
    const deletedAsTheyAreRead = new (class extends FallbackObjectStore {
      override async get(key: string) {
        const found = await super.get(key);
        await both.delete(key);
        return found;
      }
    })(from, from);
    expect(await moveObjects(db, deletedAsTheyAreRead, to, quiet)).toMatchObject({ copied: 0, vanished: KEYS.length });
    expect(await missing(to)).toEqual(KEYS);
  });

  it('restores nothing that is deleted meanwhile', async () => {
    const both = new FallbackObjectStore(to, from);
    const doomed = KEYS.filter((key) => key.startsWith('videos/'));
    const deletions: Promise<void>[] = [];
    // Ahead of the move, behind it, and exactly what it is about to copy.
    const onProgress = ({ copied }: MoveProgress): void => {
      const key = doomed[(copied * 17) % doomed.length];
      if (key !== undefined) deletions.push(both.delete(key));
      if (copied === 30) deletions.push(both.deletePrefix('videos/'));
    };
    await moveObjects(db, from, to, { ...quiet, onProgress });
    await Promise.all(deletions);
    expect(await missing(both)).toEqual(doomed);
    expect(await to.list('videos/')[Symbol.asyncIterator]().next()).toMatchObject({ done: true });
  });
});

describe('dhara store move', () => {
  it('moves between disk and S3, and back', async () => {
    const swift = await startSwift();
    cleanUp.defer(() => swift.stop());
    await makeBucket(swift, 'videos');
    const bucket = { ...swift, bucket: 'videos', prefix: 'dhara/', forcePathStyle: true };
    const stores = await openStores({ dataDir: await folder(), kind: 's3', fallback: 'disk', bucket });
    cleanUp.defer(() => stores.close());
    // While videos move, presigned addresses would not reach all of them.
    expect(stores.links).toBeNull();
    const [disk, s3] = [await stores.only('disk'), await stores.only('s3')];
    const app = { db, stores } as unknown as App;
    const lines: string[] = [];
    const run = (...args: string[]) => storeCommand('move', args, (line) => lines.push(line))(app);
    const alone = await openStores({ dataDir: await folder(), kind: 's3', bucket });
    cleanUp.defer(() => alone.close());
    const back = storeCommand('move', ['--from', 's3', '--to', 'disk', '--delete'], () => undefined);

    await fill(disk);
    expect(await missing(stores.store)).toEqual([]);
    expect(await run('--from', 'disk', '--to', 's3', '--delete')).toBe(0);
    expect([await missing(s3), await missing(stores.store)]).toEqual([[], []]);
    expect(await missing(disk)).toEqual(KEYS);
    expect(await run('--from', 's3', '--to', 'disk')).toBe(0);
    expect([await missing(disk), await missing(s3)]).toEqual([[], []]);

    // A service that only reads from the bucket would lose its videos.
    await expect(back({ db, stores: alone } as unknown as App)).rejects.toThrow(ConfigError);
    expect(await missing(s3)).toEqual([]);

    await s3.put('Z/z', Readable.from(['shorter']));
    expect(await run('--from', 'disk', '--to', 's3')).toBe(1);
    // Before it come lines about the progress, if a machine is so busy that this takes a while.
    const [summary] = lines.filter((line) => line.startsWith('From '));
    expect(summary).toMatch(new RegExp(`^From disk to s3: ${KEYS.length} objects copied .*, ${KEYS.length} removed`));
    expect(lines.at(-1)).toBe('  has another size in s3 and was not changed: Z/z');
  });

  it('deletes nothing if the service does not read from the other store', async () => {
    const stores = await openStores({ dataDir: await folder(), kind: 'disk', bucket: null });
    await fill(stores.store);
    const app = { db, stores } as unknown as App;
    const moving = storeCommand('move', ['--from', 'disk', '--to', 's3', '--delete'], () => undefined)(app);
    await expect(moving).rejects.toThrow('neither STORE nor STORE_FALLBACK is s3');
    await expect(moving).rejects.toThrow(ConfigError);
    expect(await missing(stores.store)).toEqual([]);
  });

  it.each([
    [['--from', 'disk']],
    [['--from', 'disk', '--to', 'disk']],
    [['--from', 'disk', '--to', 'tape']],
    [['--from', 'disk', '--to', 's3', '--force']],
    [['disk', 's3']],
  ])('refuses %j', (args) => {
    expect(() => storeCommand('move', args, () => undefined)).toThrow(/^Usage: dhara store move/);
  });
});
