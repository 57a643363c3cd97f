import { EmbeddedPostgresError } from '../errors.js';

/** A file or folder of a POSIX ustar archive, which `tar` can list and unpack. */
export interface TarEntry {
  /** Relative, with slashes, shorter than 100 characters. A folder's name ends with a slash. */
  readonly name: string;
  readonly sizeBytes: number;
}

const BLOCK_BYTES = 512;
const NAME_BYTES = 100;
const SIZE_AT = 124;
const CHECKSUM_AT = 148;
const TYPE_AT = 156;

/** The header that precedes an entry's bytes. */
export function tarHeader({ name, sizeBytes }: TarEntry): Buffer {
  if (Buffer.byteLength(name) > NAME_BYTES) throw new Error(`${name} is too long a name for the archive`);
  const isFolder = name.endsWith('/');
  const header = Buffer.alloc(BLOCK_BYTES);
  header.write(name, 0);
  header.write(isFolder ? '0000700\0' : '0000600\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${sizeBytes.toString(8).padStart(11, '0')}\0`, SIZE_AT);
  header.write('00000000000\0', 136);
  header.write(isFolder ? '5' : '0', TYPE_AT);
  header.write('ustar\u000000', 257);
  header.write(`${checksumOf(header).toString(8).padStart(6, '0')}\0 `, CHECKSUM_AT);
  return header;
}

/** The padding that follows an entry's bytes. */
export function tarPadding(sizeBytes: number): Buffer {
  return Buffer.alloc((BLOCK_BYTES - (sizeBytes % BLOCK_BYTES)) % BLOCK_BYTES);
}

export const TAR_END = Buffer.alloc(2 * BLOCK_BYTES);

/** Reads an archive from a stream. Holds at most one chunk of the input. */
export class TarReader {
  private pending: Buffer = Buffer.alloc(0);
  private readonly input: AsyncIterator<Buffer>;

  constructor(input: AsyncIterable<Buffer>) {
    this.input = input[Symbol.asyncIterator]();
  }

  /**
   * Yields one entry after another. Read the bytes of one before requesting the next.
   * @throws EmbeddedPostgresError if `dhara backup` did not write the archive
   */
  async *entries(): AsyncGenerator<TarEntry & { bytes(): AsyncGenerator<Buffer> }> {
    for (;;) {
      const header = await this.exactly(BLOCK_BYTES);
      if (header.every((byte) => byte === 0)) return;
      const entry = entryOf(header);
      yield { ...entry, bytes: () => this.bytesOf(entry.sizeBytes) };
      await this.exactly(tarPadding(entry.sizeBytes).length);
    }
  }

  private async *bytesOf(sizeBytes: number): AsyncGenerator<Buffer> {
    for (let left = sizeBytes; left > 0;) {
      if (this.pending.length === 0) await this.more();
      const chunk = this.pending.subarray(0, left);
      this.pending = this.pending.subarray(chunk.length);
      left -= chunk.length;
      yield chunk;
    }
  }

  private async exactly(bytes: number): Promise<Buffer> {
    while (this.pending.length < bytes) await this.more();
    const head = this.pending.subarray(0, bytes);
    this.pending = this.pending.subarray(bytes);
    return head;
  }

  private async more(): Promise<void> {
    const next = await this.input.next();
    if (next.done) throw damaged('it ends in the middle');
    this.pending = this.pending.length === 0 ? next.value : Buffer.concat([this.pending, next.value]);
  }
}

/** A one-line error for the person at the terminal. */
export function damaged(why: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(`This is not a complete backup: ${why}.`);
}

function entryOf(header: Buffer): TarEntry {
  const stored = Number.parseInt(header.toString('latin1', CHECKSUM_AT, CHECKSUM_AT + 6), 8);
  const name = header.toString('utf8', 0, NAME_BYTES).replace(/\0.*$/s, '');
  const sizeBytes = Number.parseInt(header.toString('latin1', SIZE_AT, SIZE_AT + 11), 8);
  const type = header.toString('latin1', TYPE_AT, TYPE_AT + 1);
  const isFolder = name.endsWith('/');
  // We never write links, devices or names that lead out of the archive.
  const isOurs =
    stored === checksumOf(header) &&
    Number.isSafeInteger(sizeBytes) &&
    type === (isFolder ? '5' : '0') &&
    /^(?:[\w.-]+\/)*[\w.-]*$/.test(name) &&
    !name.split('/').some((part) => part === '.' || part === '..');
  if (!isOurs || name === '') throw damaged('it is not in the form that `dhara backup` writes');
  return { name, sizeBytes: isFolder ? 0 : sizeBytes };
}

/** The sum of all bytes, counting the checksum field itself as blanks. */
function checksumOf(header: Buffer): number {
  let sum = 0;
  for (let at = 0; at < BLOCK_BYTES; at += 1) {
    sum += at >= CHECKSUM_AT && at < CHECKSUM_AT + 8 ? 0x20 : header[at]!;
  }
  return sum;
}
