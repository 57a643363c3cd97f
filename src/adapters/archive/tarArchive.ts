import { once } from 'node:events';

import { extract, pack, type Pack } from 'tar-stream';

import { MoveError, type ArchiveEntry, type ArchiveReader, type ArchiveWriter } from '../../ports/accountArchive.js';

/** The same for every export: an archive says itself when it was made. */
const NO_TIME = new Date(0);

/** Two empty blocks end an archive. */
const END_BYTES = 1024;

/** Writes a tar archive to a stream, at the speed of its reader. */
export class TarWriter implements ArchiveWriter {
  private pack!: Pack;
  private written!: Promise<void>;

  constructor(private readonly output: NodeJS.WritableStream) {
    // So that a caller who is writing an entry learns of it.
    output.on('error', (error: Error) => this.pack.destroy(error));
    this.begin();
  }

  async add({ path, sizeBytes, body }: ArchiveEntry): Promise<void> {
    const added = Promise.withResolvers<void>();
    const header = { name: path, size: sizeBytes, mode: 0o600, mtime: NO_TIME, type: 'file' } as const;
    const entry = this.pack.entry(header, (error) => (error ? added.reject(error) : added.resolve()));
    added.promise.catch(() => undefined);
    // `added` reports it, too.
    entry.on('error', () => undefined);
    for await (const chunk of body) {
      // Rejects if the output fails, like the end of the entry.
      if (!entry.write(chunk)) await once(entry, 'drain');
    }
    entry.end(null);
    await added.promise;
  }

  async flush(): Promise<void> {
    this.pack.finalize();
    await this.written;
    this.begin();
  }

  async end(): Promise<void> {
    this.pack.finalize();
    await this.written;
    await this.write(Buffer.alloc(END_BYTES));
  }

  private begin(): void {
    this.pack = pack();
    this.written = this.forward(this.pack);
    // Its reader gets the error.
    this.written.catch(() => undefined);
  }

  /** Everything but the end, which is the library's last chunk: what follows a flush continues the archive. */
  private async forward(from: Pack): Promise<void> {
    let held: Uint8Array | null = null;
    for await (const chunk of from) {
      if (held !== null && !this.output.write(held)) await once(this.output, 'drain');
      held = chunk as Uint8Array;
    }
    if (held?.length !== END_BYTES) throw new Error('The archive has another end than expected.');
    await this.write(Buffer.alloc(0));
  }

  /** Resolves when it, and all before it, has left. */
  private write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.output.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
  }
}

/** Reads a tar archive from a stream. Only plain files are let through. */
export class TarReader implements ArchiveReader {
  constructor(private readonly input: AsyncIterable<Uint8Array>) {}

  async *entries(): AsyncGenerator<ArchiveEntry> {
    const tar = extract();
    const input: { error?: unknown } = {};
    const fed = this.feed(tar).catch((error: unknown) => {
      input.error = error;
      tar.destroy(error as Error);
    });
    try {
      for await (const entry of tar) {
        const { name, size, type } = entry.header;
        if (type !== 'file') {
          const what = `The archive contains a ${type ?? 'thing'} (${shown(name)}), not only files.`;
          throw new MoveError('ARCHIVE_REFUSED', what);
        }
        yield { path: name, sizeBytes: size, body: explainedBody(entry as AsyncIterable<Uint8Array>, input) };
      }
      await fed;
    } catch (error) {
      throw explained(error, input);
    } finally {
      tar.destroy();
    }
    if (input.error !== undefined) throw explained(input.error, input);
  }

  private async feed(tar: ReturnType<typeof extract>): Promise<void> {
    const closed = new AbortController();
    tar.once('close', () => closed.abort());
    for await (const chunk of this.input) {
      if (tar.destroyed) return;
      // The reader of the entries learns why it was closed.
      if (!tar.write(chunk)) await once(tar, 'drain', { signal: closed.signal }).catch(() => undefined);
    }
    if (!tar.destroyed) tar.end(null);
  }
}

async function* explainedBody(body: AsyncIterable<Uint8Array>, input: { error?: unknown }): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw explained(error, input);
  }
}

/** The library's messages for a file that is not a complete archive. */
const TAR_FAULT =
  /^(?:Invalid tar header|Invalid header|Unexpected end of data|Header exceeds max size|Stream was destroyed|Writable stream closed prematurely|Premature close)/;

/** An input that cannot be read fails as such, not as a damaged archive. */
function explained(error: unknown, input: { error?: unknown }): unknown {
  if (input.error !== undefined) return input.error;
  if (!(error instanceof Error) || !TAR_FAULT.test(error.message)) return error;
  const message = 'The file is not an archive of an account, or it is cut off.';
  return new MoveError('ARCHIVE_UNREADABLE', message, { cause: error });
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 80));
}
