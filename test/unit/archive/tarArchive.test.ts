import { Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { TarReader, TarWriter } from '../../../src/adapters/archive/tarArchive.js';

const CHUNK = 64 * 1024;
const CHUNKS = 500;
/** Far less than all of it. */
const MOST_IN_MEMORY = 2 * 1024 * 1024;

async function* chunks(count: number, onChunk: (bytes: number) => void = () => undefined): AsyncGenerator<Buffer> {
  for (let nth = 0; nth < count; nth += 1) {
    onChunk(CHUNK);
    yield Buffer.alloc(CHUNK, nth);
  }
}

describe('the writer of an archive', () => {
  it('keeps little in memory while its reader is slow', async () => {
    let [made, taken, most] = [0, 0, 0];
    const output = new Writable({
      async write(chunk: Buffer, _encoding, done) {
        await turn();
        taken += chunk.length;
        done();
      },
    });
    const tar = new TarWriter(output);
    const body = chunks(CHUNKS, (bytes) => {
      made += bytes;
      most = Math.max(most, made - taken);
    });
    await tar.add({ path: 'objects/large', sizeBytes: CHUNK * CHUNKS, body });
    await tar.end();
    expect(taken).toBe(512 + CHUNK * CHUNKS + 1024);
    expect(most).toBeLessThan(MOST_IN_MEMORY);
  });

  it.each([0, 1, 5])('tells if the output fails after %i writes', async (writes) => {
    let written = 0;
    const output = new Writable({
      write: (_chunk, _encoding, done) => done((written += 1) > writes ? new Error('the disk is full') : null),
    });
    const tar = new TarWriter(output);
    const write = async () => {
      for (let nth = 0; nth < 20; nth += 1) await tar.add({ path: `a/${nth}`, sizeBytes: CHUNK, body: chunks(1) });
      await tar.end();
    };
    await expect(write()).rejects.toThrow('the disk is full');
  });

  it('tells if an entry has another size', async () => {
    const tar = new TarWriter(new Writable({ write: (_chunk, _encoding, done) => done() }));
    await expect(tar.add({ path: 'a', sizeBytes: 5, body: chunks(1) })).rejects.toThrow('Size mismatch');
  });

  it('continues after a flush as if there had been none', async () => {
    const parts: Buffer[] = [];
    const output = new Writable({ write: (chunk: Buffer, _encoding, done) => (parts.push(chunk), done()) });
    const tar = new TarWriter(output);
    for (const path of ['a', 'b', 'c']) {
      await tar.add({ path, sizeBytes: CHUNK, body: chunks(1) });
      await tar.flush();
    }
    await tar.end();
    const found: string[] = [];
    const input = (async function* () {
      yield* parts;
    })();
    for await (const { path, body } of new TarReader(input).entries()) {
      let bytes = 0;
      for await (const chunk of body) bytes += chunk.length;
      found.push(`${path} ${bytes}`);
    }
    expect(found).toEqual([`a ${CHUNK}`, `b ${CHUNK}`, `c ${CHUNK}`]);
  });
});

describe('the reader of an archive', () => {
  it('keeps little in memory while its entries are read slowly, and stops its input when it is left', async () => {
    const parts: Buffer[] = [];
    const tar = new TarWriter(new Writable({ write: (chunk: Buffer, _encoding, done) => (parts.push(chunk), done()) }));
    await tar.add({ path: 'large', sizeBytes: CHUNK * CHUNKS, body: chunks(CHUNKS) });
    await tar.end();
    let [sent, read, most] = [0, 0, 0];
    let isInputOver = false;
    async function* input() {
      try {
        for (const part of parts) {
          sent += part.length;
          most = Math.max(most, sent - read);
          yield part;
        }
      } finally {
        isInputOver = true;
      }
    }
    for await (const { body } of new TarReader(input()).entries()) {
      for await (const chunk of body) {
        await turn();
        read += chunk.length;
        if (read > (CHUNK * CHUNKS) / 2) break;
      }
      break;
    }
    expect(most).toBeLessThan(MOST_IN_MEMORY);
    expect(sent).toBeLessThan(CHUNK * CHUNKS);
    await expect.poll(() => isInputOver).toBe(true);
  });
});
