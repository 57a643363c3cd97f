import type { BigIntStats, Dirent } from 'node:fs';
import { createWriteStream } from 'node:fs';
import { mkdir, open, rename, rm, stat, statfs, unlink, writeFile, type FileHandle, readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { AppError } from '../../errors.js';
import type { ByteRange, Leftover, ObjectInfo, ObjectStore, StreamedObject } from '../../ports/objectStore.js';
import { copyDurably, errorCode, FOLDER_MODE, moveDurably, removeEmptyFolders, syncPath } from './durable.js';
import { checkKey, checkPrefix } from './keys.js';
import { ScratchFolder } from './scratchFolder.js';

const DEFAULT_MIN_FREE_BYTES = 256 * 1024 * 1024;
/** With Node's default of 64 KiB, reading a segment takes twice the time. */
const PIECE_BYTES = 256 * 1024;

export interface DiskObjectStoreOptions {
  /** Absolute. Holds `objects/` and, on the same file system, `incoming/` for incomplete objects. */
  dir: string;
  /** `check()` fails with less free space than this. */
  minFreeBytes?: number;
}

/**
 * Objects as files, with the key as the path. Any number of processes may share the folder.
 *
 * Unlike S3, `a` and `a/b` cannot both exist.
 */
export class DiskObjectStore implements ObjectStore {
  readonly lendsCopies = false;

  private constructor(
    private readonly objectsDir: string,
    private readonly incoming: ScratchFolder,
    private readonly minFreeBytes: number,
  ) {}

  /** Creates the folders. */
  static async open(options: DiskObjectStoreOptions): Promise<DiskObjectStore> {
    const objectsDir = resolve(options.dir, 'objects');
    await mkdir(objectsDir, { recursive: true, mode: FOLDER_MODE });
    const incoming = await ScratchFolder.open(resolve(options.dir, 'incoming'));
    return new DiskObjectStore(objectsDir, incoming, options.minFreeBytes ?? DEFAULT_MIN_FREE_BYTES);
  }

  async put(key: string, body: Readable, options: { signal?: AbortSignal } = {}): Promise<{ sizeBytes: number }> {
    const target = this.pathOf(key);
    return this.incoming.lend(async (incoming) => {
      const file = createWriteStream(incoming, { flags: 'wx', flush: true });
      await pipeline(body, file, options.signal === undefined ? {} : { signal: options.signal });
      await moveDurably(incoming, target);
      return { sizeBytes: file.bytesWritten };
    });
  }

  async putFile(key: string, path: string): Promise<{ sizeBytes: number }> {
    const target = this.pathOf(key);
    await syncPath(path);
    const { size } = await stat(path);
    try {
      await moveDurably(path, target);
    } catch (error) {
      if (errorCode(error) !== 'EXDEV') throw error;
      await this.incoming.lend(async (incoming) => {
        await copyDurably(path, incoming);
        await moveDurably(incoming, target);
      });
      await rm(path, { force: true });
    }
    return { sizeBytes: size };
  }

  async head(key: string): Promise<ObjectInfo | null> {
    const facts = await statFile(this.pathOf(key));
    return facts === null ? null : infoOf(key, facts);
  }

  async get(key: string, range?: ByteRange): Promise<StreamedObject | null> {
    const handle = await openFile(this.pathOf(key));
    if (handle === null) return null;
    try {
      // Facts and bytes come from the same open file, even if the key is replaced meanwhile.
      const facts = await handle.stat({ bigint: true });
      if (!facts.isFile()) {
        await handle.close();
        return null;
      }
      const info = infoOf(key, facts);
      if (range !== undefined && (range.start < 0 || range.start > range.end || range.start >= info.sizeBytes)) {
        throw new RangeError(`range ${range.start}-${range.end} is outside an object of ${info.sizeBytes} bytes`);
      }
      const part = range === undefined ? {} : { start: range.start, end: range.end };
      return { info, body: handle.createReadStream({ highWaterMark: PIECE_BYTES, ...part }) };
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async read(key: string, allocate: (sizeBytes: number) => Buffer | null): ReturnType<ObjectStore['read']> {
    const handle = await openFile(this.pathOf(key));
    if (handle === null) return null;
    try {
      const facts = await handle.stat({ bigint: true });
      if (!facts.isFile()) return null;
      const info = infoOf(key, facts);
      const bytes = allocate(info.sizeBytes);
      if (bytes === null) return await this.get(key);
      let length = 0;
      while (length < bytes.length) {
        const { bytesRead } = await handle.read(bytes, length, bytes.length - length, length);
        if (bytesRead === 0) throw new Error(`An object of ${bytes.length} bytes ended after ${length}.`);
        length += bytesRead;
      }
      return { info, bytes };
    } finally {
      await handle.close();
    }
  }

  async withLocalFile<T>(key: string, use: (path: string) => Promise<T>): Promise<T> {
    const path = this.pathOf(key);
    if ((await statFile(path)) === null) throw new AppError('NOT_FOUND', 'Object not found.');
    return use(path);
  }

  async *list(prefix: string): AsyncIterable<ObjectInfo> {
    checkPrefix(prefix);
    for await (const key of walk(this.objectsDir, prefix)) {
      const facts = await statFile(join(this.objectsDir, key));
      if (facts !== null) yield infoOf(key, facts);
    }
  }

  async delete(key: string): Promise<void> {
    const path = this.pathOf(key);
    try {
      await unlink(path);
    } catch (error) {
      if (!isMissing(error)) throw error;
      return;
    }
    await removeEmptyFolders(dirname(path), this.objectsDir);
  }

  async deletePrefix(prefix: string): Promise<void> {
    checkPrefix(prefix);
    if (prefix.endsWith('/')) {
      await this.deleteFolder(join(this.objectsDir, prefix.slice(0, -1)));
      return;
    }
    for await (const key of walk(this.objectsDir, prefix)) await this.delete(key);
  }

  listLeftovers(): AsyncIterable<Leftover> {
    return this.incoming.leftovers();
  }

  removeLeftovers(): Promise<number> {
    return this.incoming.removeLeftovers();
  }

  async check(): Promise<void> {
    const probe = this.incoming.newPath();
    await writeFile(probe, 'ok', { flag: 'wx', flush: true });
    await rm(probe);
    if ((await this.freeBytes()) < this.minFreeBytes) {
      throw new AppError('SERVICE_UNAVAILABLE', 'The media store is full.');
    }
  }

  async freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(this.objectsDir);
    return bavail * bsize;
  }

  /**
   * Moves the folder out of sight in one step, then deletes file by file, so that readers never find a half-deleted
   * folder.
   */
  private async deleteFolder(folder: string): Promise<void> {
    const doomed = this.incoming.newPath();
    try {
      if ((await stat(folder)).isDirectory()) {
        await rename(folder, doomed);
        await rm(doomed, { recursive: true, force: true });
      }
    } catch (error) {
      if (!isMissing(error)) throw error;
      return;
    }
    await removeEmptyFolders(dirname(folder), this.objectsDir);
  }

  private pathOf(key: string): string {
    checkKey(key);
    return join(this.objectsDir, key);
  }
}

/** The inode distinguishes two files of the same size that were written within the clock's resolution. */
function infoOf(key: string, facts: BigIntStats): ObjectInfo {
  const etag = [facts.mtimeNs, facts.size, facts.ino].map((part) => part.toString(36)).join('-');
  return { key, sizeBytes: Number(facts.size), etag, modifiedAt: facts.mtime };
}

async function statFile(path: string): Promise<BigIntStats | null> {
  try {
    const facts = await stat(path, { bigint: true });
    return facts.isFile() ? facts : null;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

async function openFile(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** If `a` is an object, `a/b` is as missing as if `a` did not exist. */
function isMissing(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/**
 * Keys below `root` that begin with `prefix`, in byte order. Holds the names of one folder per level at a time, and
 * enters only folders that can contain the prefix.
 */
async function* walk(root: string, prefix: string, folderKey = ''): AsyncGenerator<string> {
  for (const entry of await sortedEntries(join(root, folderKey))) {
    const key = folderKey + entry.name;
    if (entry.isDirectory()) {
      const below = `${key}/`;
      if (below.startsWith(prefix) || prefix.startsWith(below)) yield* walk(root, prefix, below);
    } else if (key.startsWith(prefix)) {
      yield key;
    }
  }
}

/** A folder sorts as its name with a slash, as its keys do: `a-b` comes before `a/b`. */
async function sortedEntries(folder: string): Promise<Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    const sortName = (entry: Dirent): string => (entry.isDirectory() ? `${entry.name}/` : entry.name);
    return entries.sort((a, b) => (sortName(a) < sortName(b) ? -1 : 1));
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return [];
    throw error;
  }
}
