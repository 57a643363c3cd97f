import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { DiskObjectStore } from '../../../src/adapters/store/disk.js';
import { FallbackObjectStore } from '../../../src/adapters/store/fallback.js';
import { download } from '../../../src/adapters/store/s3Download.js';
import { ScratchFolder } from '../../../src/adapters/store/scratchFolder.js';
import type { ByteRange } from '../../../src/ports/objectStore.js';

let dir: string;
let disk: DiskObjectStore;
let folder: ScratchFolder;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dhara-download-'));
  disk = await DiskObjectStore.open({ dir });
  folder = await ScratchFolder.open(join(dir, 'downloads'));
  await disk.put('video', Readable.from(['0123456789']));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** Fails once after four bytes. `onBroken` runs before the rest is read. */
class BreakingStore extends FallbackObjectStore {
  constructor(private onBroken: () => Promise<void>) {
    super(disk, disk);
  }

  override async get(key: string, range?: ByteRange) {
    if (range) {
      await this.onBroken();
      this.onBroken = () => Promise.resolve();
      return super.get(key, range);
    }
    const { info } = (await super.get(key))!;
    async function* half(): AsyncGenerator<Buffer> {
      yield Buffer.from('0123');
      throw new Error('the connection broke');
    }
    return { info, body: Readable.from(half()) };
  }
}

function fetched(onBroken: (path: string) => Promise<void>): Promise<string> {
  return folder.lend(async (path) => {
    await download(new BreakingStore(() => onBroken(path)), 'video', path);
    return readFile(path, 'utf8');
  });
}

it('a download resumes where the connection broke', async () => {
  expect(await fetched(() => Promise.resolve())).toBe('0123456789');
});

it('a download fails if its file was swept meanwhile, instead of starting in the middle', async () => {
  await expect(fetched((path) => rm(path))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});
