import { once } from 'node:events';

import { extract, pack, type Pack } from 'tar-stream';

import { MoveError, type ArchiveEntry, type ArchiveReader, type ArchiveWriter } from '../../ports/accountArchive.js';

/** The same for every export: an archive says itself when it was made. */
const NO_TIME = new Date(0);

/** Writes a tar archive to a stream, at the speed of its reader. */
export class TarWriter implements ArchiveWriter {
  private readonly pack: Pack = pack();
  private readonly written: Promise<void>;

  constructor(private readonly output: NodeJS.WritableStream) {
    this.written = this.forward();
    // Whoever waits for it gets the error.
    this.written.catch(() => undefined);
  }

  async add({ path, sizeBytes, body }: ArchiveEntry): Promise<void> {
    const added = Promise.withResolvers<void>();
    const header = { name: path, size: sizeBytes, mode: 0o600, mtime: NO_TIME, type: 'file' } as const;
    const entry = this.pack.entry(header, (error) => (error ? added.reject(error) : added.resolve()));
    added.promise.catch(() => undefined);
    for await (const chunk of body) {
      if (!entry.write(chunk)) await Promise.race([once(entry, 'drain'), this.failure()]);
    }
    entry.end(null);
    await Promise.race([added.promise, this.failure()]);
  }

  async end(): Promise<void> {
    this.pack.finalize();
    await this.written;
  }

  /** Rejects if the output fails; never resolves. */
  private failure(): Promise<never> {
    return this.written.then(() => new Promise<never>(() => undefined));
  }

  private async forward(): Promise<void> {
    const failed = once(this.output, 'error').then(([error]) => Promise.reject(error as Error));
    failed.catch(() => undefined);
    for await (const chunk of this.pack) {
      if (!this.output.write(chunk as Buffer)) await Promise.race([once(this.output, 'drain'), failed]);
    }
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
    const closed = new Promise<void>((resolve) => tar.once('close', () => resolve()));
    for await (const chunk of this.input) {
      if (tar.destroyed) return;
      if (!tar.write(chunk))
        await Promise.race([new Promise<void>((resolve) => tar.once('drain', () => resolve())), closed]);
    }
    tar.end(null);
  }
}

async function* explainedBody(body: AsyncIterable<Uint8Array>, input: { error?: unknown }): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw explained(error, input);
  }
}

/** What the library says of a file that is no whole archive. */
const TAR_FAULT =
  /^(?:Invalid tar header|Invalid header|Unexpected end of data|Header exceeds max size|Stream was destroyed|Writable stream closed prematurely|Premature close)/;

/** An input that could not be read is another matter than an archive that is none. */
function explained(error: unknown, input: { error?: unknown }): unknown {
  if (input.error !== undefined) return input.error;
  if (!(error instanceof Error) || !TAR_FAULT.test(error.message)) return error;
  const message = 'The file is not an archive of an account, or it is cut off.';
  return new MoveError('ARCHIVE_UNREADABLE', message, { cause: error });
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 80));
}
