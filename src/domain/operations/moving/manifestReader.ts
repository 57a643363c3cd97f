import { createHash } from 'node:crypto';

import { MoveError, type ArchiveEntry, type ArchiveReader } from '../../../ports/accountArchive.js';
import {
  ENTRIES_PER_PAGE,
  HEADER,
  HEADER_SIGNATURE,
  type Header,
  type ListedEntry,
  MAX_HEADER_BYTES,
  MAX_PAGE_BYTES,
  pageName,
  pageText,
  parseHeader,
  readSmall,
  sha256Of,
  SIGNATURE_BYTES,
  shownPath,
} from './archiveFormat.js';
import { isSignedBy } from './exportKey.js';

/** Reads the entries of an archive, and checks them page by page. What is read counts only once `entries` has ended. */
export class ManifestReader {
  private read: ListedEntry[] = [];
  private pages = 0;
  private previous = '';
  private isComplete = false;

  private constructor(
    private readonly rest: AsyncIterator<ArchiveEntry>,
    private readonly trustedKey: string,
    readonly header: Header,
  ) {}

  /**
   * Reads the header.
   *
   * @throws MoveError if another key signed it, or if it is not an archive
   */
  static async begin(archive: ArchiveReader, trustedKey: string): Promise<ManifestReader> {
    const rest = archive.entries()[Symbol.asyncIterator]();
    const bytes = await readNext(rest, HEADER, MAX_HEADER_BYTES);
    const header = parseHeader(bytes);
    if (header.publicKey !== trustedKey) {
      throw new MoveError(
        'ARCHIVE_UNTRUSTED',
        `The archive was signed with the key ${header.publicKey}, and you trust ${trustedKey}.`,
      );
    }
    const signature = await readNext(rest, HEADER_SIGNATURE, SIGNATURE_BYTES);
    if (!isSignedBy(trustedKey, 'header', bytes, signature)) throw notSigned(HEADER);
    return new ManifestReader(rest, trustedKey, header);
  }

  /** Each entry must be read to its end before the next. @throws MoveError for anything that is not as it was signed */
  async *entries(): AsyncGenerator<ArchiveEntry> {
    for (;;) {
      const { value: entry, done } = await this.rest.next();
      if (done === true) break;
      if (this.isComplete)
        throw new MoveError('ARCHIVE_REFUSED', `${shownPath(entry.path)} follows the end of the archive.`);
      if (entry.path === `${pageName(this.pages + 1)}.ndjson`) {
        await this.checkPage(entry);
        continue;
      }
      if (this.read.length === ENTRIES_PER_PAGE)
        throw new MoveError('ARCHIVE_REFUSED', 'A page of the manifest is missing.');
      const listed = this.hashed(entry);
      yield listed.entry;
      this.read.push(listed.result());
    }
    if (!this.isComplete)
      throw new MoveError('ARCHIVE_UNREADABLE', 'The archive is cut off: its last page is missing.');
  }

  /** Closes the archive, also if it was not read to its end. */
  async close(): Promise<void> {
    await this.rest.return?.();
  }

  private hashed({ path, sizeBytes, body }: ArchiveEntry): { entry: ArchiveEntry; result: () => ListedEntry } {
    const hash = createHash('sha256');
    let seen = 0;
    async function* watched() {
      for await (const chunk of body) {
        hash.update(chunk);
        seen += chunk.length;
        yield chunk;
      }
    }
    return {
      entry: { path, sizeBytes, body: watched() },
      result: () => {
        if (seen !== sizeBytes) throw new Error(`${path} was not read to its end`);
        return { path, sizeBytes, sha256: hash.digest('hex') };
      },
    };
  }

  private async checkPage(entry: ArchiveEntry): Promise<void> {
    const bytes = await readSmall(entry, MAX_PAGE_BYTES);
    this.pages += 1;
    const signature = await readNext(this.rest, `${pageName(this.pages)}.sig`, SIGNATURE_BYTES);
    if (!isSignedBy(this.trustedKey, 'manifest', bytes, signature)) throw notSigned(entry.path);
    const { archiveId } = this.header;
    const page = { archiveId, number: this.pages, previous: this.previous, entries: this.read };
    this.isComplete = pageText({ ...page, isLast: true }).equals(bytes);
    if (!this.isComplete && !pageText({ ...page, isLast: false }).equals(bytes)) {
      throw new MoveError('ARCHIVE_DAMAGED', `${this.firstWrong(bytes)} is not what was exported.`);
    }
    this.previous = sha256Of(bytes);
    this.read = [];
  }

  /** The first entry that the signed page lists otherwise. */
  private firstWrong(page: Buffer): string {
    const [, ...lines] = page.toString('utf8').split('\n');
    const { archiveId } = this.header;
    const [, ...ours] = pageText({ archiveId, number: 1, previous: '', entries: this.read, isLast: false })
      .toString('utf8')
      .split('\n');
    const at = ours.findIndex((line, nth) => line !== lines[nth]);
    return shownPath(this.read[at]?.path ?? `page ${this.pages}`);
  }
}

async function readNext(rest: AsyncIterator<ArchiveEntry>, path: string, maxBytes: number): Promise<Buffer> {
  const { value: entry, done } = await rest.next();
  if (done === true) throw new MoveError('ARCHIVE_UNREADABLE', `The archive is cut off before ${path}.`);
  if (entry.path !== path) {
    throw new MoveError('ARCHIVE_UNREADABLE', `${shownPath(entry.path)} stands where ${path} must be.`);
  }
  return readSmall(entry, maxBytes);
}

function notSigned(path: string): MoveError {
  return new MoveError('ARCHIVE_UNTRUSTED', `The signature of ${path} is wrong: somebody changed the archive.`);
}
