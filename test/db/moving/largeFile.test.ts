import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { ScratchFiles } from '../../../src/adapters/archive/scratchFiles.js';
import { TarReader, TarWriter } from '../../../src/adapters/archive/tarArchive.js';
import { exportAccount } from '../../../src/domain/operations/moving/exportAccount.js';
import { importAccount } from '../../../src/domain/operations/moving/importAccount.js';
import { StatementService } from '../../../src/domain/payments/billing/statement.service.js';
import type { ObjectStore } from '../../../src/ports/objectStore.js';
import { addVideo } from '../../support/moving/library.js';
import { Side } from '../../support/moving/side.js';

const MB = 2 ** 20;
const CHUNK = Buffer.alloc(MB, 'a chunk of a source ');
const CHUNKS = 400;
/** Of buffers between a store and an archive, each of which has a limit of its own. */
const HELD_MAX = 8 * MB;

/** How many bytes have been read at one end and not written at the other. */
class Flow {
  most = 0;
  total = 0;
  #held = 0;

  read(bytes: number): void {
    this.#held += bytes;
    this.total += bytes;
    this.most = Math.max(this.most, this.#held);
  }

  written(bytes: number): void {
    this.#held -= bytes;
  }
}

/** The store, with some operations of its own. */
function withOwn(store: ObjectStore, own: Partial<ObjectStore>): ObjectStore {
  return new Proxy(store, {
    get: (target, name) => (Object.hasOwn(own, name) ? Reflect.get(own, name) : Reflect.get(target, name).bind(target)),
  });
}

/** A store in which one source has 400 MB, which exist only while they are read. */
function withLargeSource(store: ObjectStore, source: string, flow: Flow): ObjectStore {
  async function* content(): AsyncGenerator<Buffer> {
    for (let at = 0; at < CHUNKS; at += 1) {
      flow.read(CHUNK.length);
      yield CHUNK;
    }
  }
  const get: ObjectStore['get'] = async (key, range) => {
    const object = await store.get(key, range);
    if (key !== source || object === null) return object;
    object.body.destroy();
    const body = Readable.from(content(), { objectMode: false });
    return { info: { ...object.info, sizeBytes: CHUNKS * CHUNK.length }, body };
  };
  return withOwn(store, { get });
}

describe('an account with a source of 400 MB', () => {
  let from: Side;
  let to: Side;
  let accountId: string;
  let source: string;

  beforeAll(async () => {
    [from, to] = await Promise.all([Side.open('https://old.example'), Side.open('https://new.example')]);
    accountId = await from.account();
    const videoId = await addVideo(from, accountId, { status: 'uploaded', title: 'Long', renditions: [] });
    source = `sources/${accountId}/${videoId}/upload`;
  });
  afterAll(async () => {
    await from?.close();
    await to?.close();
  });

  /** Writes the archive at the speed of its reader. */
  async function exportTo(output: Writable, flow: Flow): Promise<void> {
    await using scratch = await ScratchFiles.open(join(from.dir, 'moving'));
    const { db, masterKeys, key, origin } = from;
    const statements = new StatementService({ db, wallet: from.wallet });
    const store = withLargeSource(from.store, source, flow);
    const archive = new TarWriter(output);
    await exportAccount(
      { db, store, masterKeys, key, origin, statements },
      { accountId, passphrase: null, archive, scratch },
    );
    output.end();
  }

  it('is exported with a few megabytes of it in memory at a time, however slow the output is', async () => {
    const flow = new Flow();
    const slow = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        setImmediate(() => {
          flow.written(chunk.length);
          done();
        });
      },
    });
    await exportTo(slow, flow);
    expect(flow.total).toBe(CHUNKS * CHUNK.length);
    expect(flow.most).toBeLessThan(HELD_MAX);
  });

  it('is imported from a pipe in the same way, and arrives whole', async () => {
    const flow = new Flow();
    const arrived = createHash('sha256');
    const put: ObjectStore['put'] = async (key, body, options) => {
      if (key !== source) return to.store.put(key, body, options);
      let sizeBytes = 0;
      for await (const chunk of body as AsyncIterable<Buffer>) {
        await nextTurn();
        arrived.update(chunk);
        sizeBytes += chunk.length;
        flow.written(chunk.length);
      }
      return { sizeBytes };
    };
    const store = withOwn(to.store, { put });
    const pipe = new TransformStream<Uint8Array, Uint8Array>();
    const exporting = exportTo(Writable.fromWeb(pipe.writable), flow);
    await using scratch = await ScratchFiles.open(join(to.dir, 'moving'));
    const archive = new TarReader(pipe.readable);
    const { db, masterKeys } = to;
    const importing = importAccount(
      { db, store, masterKeys, wallet: to.wallet },
      {
        archive,
        trustedKey: from.key.publicKey,
        passphrase: null,
        scratch,
      },
    );
    await Promise.all([exporting, importing]);

    const sent = createHash('sha256');
    for (let at = 0; at < CHUNKS; at += 1) sent.update(CHUNK);
    expect(arrived.digest('hex')).toBe(sent.digest('hex'));
    expect(flow.total).toBe(CHUNKS * CHUNK.length);
    expect(flow.most).toBeLessThan(HELD_MAX);
  });
});
