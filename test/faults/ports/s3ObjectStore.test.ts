import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { inspect } from 'node:util';

import { CreateMultipartUploadCommand } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { S3ObjectStore, type S3ObjectStoreOptions } from '../../../src/adapters/store/s3.js';
import { findFreePort } from '../../support/freePort.js';
import { makeBucket, startSwift, unfinishedUploads, withS3Client, type Swift } from '../../support/swift.js';
import { CuttableProxy } from '../../support/uploads/cuttableProxy.js';
import { until } from '../../support/worker/pipeline.js';
import { objectStoreSuite } from '../../support/ports/objectStore.suite.js';

const MIB = 1024 * 1024;
const BUCKET = 'videos';

let swift: Swift;
let downloadDir: string;
const opened: S3ObjectStore[] = [];
beforeAll(async () => {
  downloadDir = await mkdtemp(join(tmpdir(), 'dhara-s3-'));
  await chmod(downloadDir, 0o711);
  swift = await startSwift();
  await makeBucket(swift, BUCKET);
});
afterEach(() => {
  for (const store of opened.splice(0)) store.close();
});
afterAll(async () => {
  await swift.stop();
  await rm(downloadDir, { recursive: true, force: true });
});

function settings(changed: Partial<S3ObjectStoreOptions> = {}): S3ObjectStoreOptions {
  return { ...swift, bucket: BUCKET, prefix: `${randomUUID()}/`, forcePathStyle: true, downloadDir, ...changed };
}

const unfinished = () => unfinishedUploads(swift, BUCKET);

async function openStore(changed: Partial<S3ObjectStoreOptions> = {}): Promise<S3ObjectStore> {
  const store = await S3ObjectStore.open(settings(changed));
  opened.push(store);
  return store;
}

describe('S3ObjectStore', () => {
  objectStoreSuite(async () => {
    const scratchDir = join(downloadDir, randomUUID());
    return { store: await openStore({ downloadDir: scratchDir }), scratchDir, dispose: () => Promise.resolve() };
  });
});

describe('S3ObjectStore with large objects', () => {
  it('stores a stream in parts, and returns it unchanged', async () => {
    const store = await openStore();
    const bytes = randomBytes(20 * MIB + 7);
    await store.put('large', Readable.from(pieces(bytes, 300_001)));
    const { info, body } = (await store.get('large'))!;
    expect(info.sizeBytes).toBe(bytes.length);
    expect(await sha256(body)).toBe(await sha256([bytes]));
    const tail = (await store.get('large', { start: 9 * MIB, end: 9 * MIB + 99 }))!;
    expect(tail.info).toEqual(info);
    expect(await sha256(tail.body)).toBe(await sha256([bytes.subarray(9 * MIB, 9 * MIB + 100)]));
  });

  it('stores a file in parts, and removes the file', async () => {
    const store = await openStore();
    const path = join(downloadDir, randomUUID());
    const bytes = randomBytes(9 * MIB);
    await writeFile(path, bytes);
    expect(await store.putFile('video', path)).toEqual({ sizeBytes: bytes.length });
    await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await store.withLocalFile('video', (local) => readFile(local).then((read) => read.equals(bytes)))).toBe(
      true,
    );
  });

  it('reads a source no further than the parts in transit while the store accepts nothing', async () => {
    const way = await CuttableProxy.to(swift.endpoint);
    try {
      const store = await openStore({ endpoint: way.url });
      const block = randomBytes(MIB);
      let readMib = 0;
      let release = (): void => undefined;
      const video = new Readable({
        highWaterMark: 0,
        read() {
          readMib += 1;
          // During the third part: the upload has begun, and the first part may have arrived.
          if (readMib === 20) release = way.hold();
          this.push(readMib > 160 ? null : block);
        },
      });
      const stored = store.put('long', video);
      await until(() => Promise.resolve(readMib >= 24));
      // Without backpressure, the source would be at its end by now.
      for (let turn = 0; turn < 1_000; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      expect(readMib).toBeLessThanOrEqual(33);
      release();
      expect(await stored).toEqual({ sizeBytes: 160 * MIB });
    } finally {
      await way.close();
    }
  });

  it('leaves nothing of a source that fails', async () => {
    const store = await openStore();
    async function* failing(): AsyncGenerator<Buffer> {
      yield randomBytes(17 * MIB);
      await until(async () => (await unfinished()).length > 0);
      throw new Error('the source broke');
    }
    await expect(store.put('k', Readable.from(failing()))).rejects.toThrow('the source broke');
    expect(await store.head('k')).toBeNull();
    expect(await unfinished()).toEqual([]);
  });

  it('leaves nothing of a put that is aborted while its source is silent', async () => {
    const store = await openStore();
    const abort = new AbortController();
    const stalled = new Readable({ read: () => undefined });
    stalled.push(randomBytes(17 * MIB));
    const put = store.put('k', stalled, { signal: abort.signal });
    await until(async () => (await unfinished()).length > 0);
    abort.abort(new Error('the worker stops'));
    await expect(put).rejects.toThrow('the worker stops');
    expect(await store.head('k')).toBeNull();
    expect(await unfinished()).toEqual([]);
    expect(stalled.destroyed).toBe(true);
  });

  it('refuses a file that shrinks while it is sent', async () => {
    const store = await openStore();
    const path = join(downloadDir, randomUUID());
    await writeFile(path, '');
    await truncate(path, 100 * MIB);
    const put = store.putFile('k', path);
    await until(async () => (await unfinished()).length > 0);
    await truncate(path, 10);
    await expect(put).rejects.toThrow('the source was to have 104857600 bytes');
    expect(await store.head('k')).toBeNull();
  });
});

describe('S3ObjectStore and the network', () => {
  it('resumes a download where the connection broke', async () => {
    const bytes = randomBytes(40 * MIB);
    const prefix = 'resumed/';
    await (await openStore({ prefix })).put('video', Readable.from(pieces(bytes, MIB)));
    const way = await CuttableProxy.to(swift.endpoint);
    try {
      const dir = join(downloadDir, 'resumed');
      const store = await openStore({ prefix, endpoint: way.url, downloadDir: dir });
      const lent = store.withLocalFile('video', (path) => readFile(path).then((read) => read.equals(bytes)));
      await until(async () => {
        const [name] = await readdir(dir);
        return name !== undefined && (await stat(join(dir, name))).size > 0;
      });
      way.cut();
      way.mend();
      expect(await lent).toBe(true);
      expect(await readdir(dir)).toEqual([]);
    } finally {
      await way.close();
    }
  });

  it('reports an unreachable store without secrets', async () => {
    const way = await CuttableProxy.to(swift.endpoint);
    const store = await openStore({ endpoint: way.url });
    await way.close();
    const away = { code: 'SERVICE_UNAVAILABLE', message: 'The object store is not responding.' };
    const errors = await Promise.all(
      [
        store.check(),
        store.head('k'),
        store.get('k'),
        store.put('k', Readable.from(['x'])),
        store.withLocalFile('k', () => Promise.resolve(1)),
        store.list('k')[Symbol.asyncIterator]().next(),
        store.deletePrefix('k'),
      ].map((outcome) => outcome.then(() => null).catch((error: unknown) => error)),
    );
    for (const error of errors) {
      expect(error).toMatchObject(away);
      expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/testing|Signature/);
    }
  });

  it.each([
    [
      'a wrong secret',
      { secretAccessKey: 'another secret' },
      /^The object store refused: SignatureDoesNotMatch \(403\)/,
    ],
    ['an unknown key', { accessKeyId: 'test:nobody' }, /^The object store refused: \w+ \(403\)/],
    ['a bucket that is not there', { bucket: 'nothing-here' }, /^The object store refused: NoSuchBucket \(404\)/],
  ])('does not open with %s', async (_what, wrong, message) => {
    const error = await S3ObjectStore.open(settings(wrong)).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ name: 'StoreRefusedError', message: expect.stringMatching(message) as string });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/testing|another secret/);
  });

  it('does not open if nothing listens at the address', async () => {
    const endpoint = `http://127.0.0.1:${await findFreePort()}`;
    await expect(S3ObjectStore.open(settings({ endpoint }))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });
});

describe('S3ObjectStore in its bucket', () => {
  it('lists and deletes page by page', async () => {
    const store = await openStore({ pageSize: 3 });
    const keys = Array.from({ length: 10 }, (_, n) => `v/${n}`);
    await Promise.all(keys.map((key) => store.put(key, Readable.from([key]))));
    const listed: string[] = [];
    for await (const { key } of store.list('v/')) listed.push(key);
    expect(listed).toEqual(keys);
    await store.deletePrefix('v/');
    expect(await store.list('v')[Symbol.asyncIterator]().next()).toMatchObject({ done: true });
  });

  it('keeps to its prefix', async () => {
    const [one, other] = [await openStore(), await openStore()];
    await one.put('v/k', Readable.from(['one']));
    await other.deletePrefix('v/');
    expect(await other.head('v/k')).toBeNull();
    expect(await one.head('v/k')).toMatchObject({ key: 'v/k', sizeBytes: 3 });
  });

  it('works without a prefix', async () => {
    const store = await openStore({ prefix: '' });
    await store.put('v/k', Readable.from(['x']));
    expect(await store.head('v/k')).toMatchObject({ key: 'v/k' });
    await store.deletePrefix('v/');
  });

  it('removes parts that a crash left below its prefix, once no process can be sending them', async () => {
    const prefix = `${randomUUID()}/`;
    await withS3Client(swift, async (client) => {
      for (const Key of [`${prefix}left`, `beside-${prefix}left`]) {
        await client.send(new CreateMultipartUploadCommand({ Bucket: BUCKET, Key }));
      }
    });
    expect(await (await openStore({ prefix })).removeLeftovers()).toBe(0);
    expect(await unfinished()).toContain(`${prefix}left`);
    // Servers report the start in whole seconds, perhaps rounded up.
    const later = await openStore({ prefix, leftoverAgeMs: -2000 });
    const named: string[] = [];
    for await (const { name } of later.listLeftovers()) named.push(name);
    expect(named).toEqual(['parts of left']);
    expect(await later.removeLeftovers()).toBe(1);
    expect(await unfinished()).toEqual([`beside-${prefix}left`]);
    await (await openStore({ prefix: `beside-${prefix}`, leftoverAgeMs: -2000 })).removeLeftovers();
  });
});

describe('presigned addresses', () => {
  const now = () => Math.floor(Date.now() / 1000);

  it('open one object, whole or in part, to everybody who has them', async () => {
    const store = await openStore();
    await store.put('v/480p/seg_00001.m4s', Readable.from(['0123456789']));
    const link = store.links.linker(now() - 60, now() + 600)('v/480p/seg_00001.m4s');
    expect(link.startsWith(`${swift.endpoint}/${BUCKET}/`)).toBe(true);
    const whole = await fetch(link);
    expect([whole.status, await whole.text()]).toEqual([200, '0123456789']);
    expect(whole.headers.get('content-type')).toBe('video/mp4');
    expect(whole.headers.get('cache-control')).toBe('private, max-age=31536000, immutable');
    const part = await fetch(link, { headers: { range: 'bytes=2-4' } });
    expect([part.status, await part.text()]).toEqual([206, '234']);
  });

  it('open no other object, with no other method, and no longer', async () => {
    const store = await openStore();
    for (const key of ['v/1', 'v/2']) await store.put(key, Readable.from([key]));
    const link = store.links.linker(now() - 60, now() + 600)('v/1');
    const refused = [
      link.replace('/v/1?', '/v/2?'),
      link.replace(/X-Amz-Expires=\d+/, 'X-Amz-Expires=604800'),
      link.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
      store.links.linker(now() - 600, now() - 1)('v/1'),
    ];
    for (const url of refused) expect((await fetch(url)).status).toBe(403);
    expect((await fetch(link, { method: 'PUT', body: 'mine now' })).status).toBe(403);
    expect((await fetch(link, { method: 'DELETE' })).status).toBe(403);
    expect((await fetch(link)).status).toBe(200);
  });
});

function* pieces(bytes: Buffer, size: number): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function sha256(chunks: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<string> {
  const digest = createHash('sha256');
  for await (const chunk of chunks) digest.update(chunk);
  return digest.digest('hex');
}
