import { createHash } from 'node:crypto';

import { MoveError, type ArchiveWriter } from '../../../ports/accountArchive.js';
import {
  BYTES_PER_PAGE,
  ENTRIES_PER_PAGE,
  HEADER,
  HEADER_SIGNATURE,
  type Header,
  type ListedEntry,
  pageName,
  pageText,
  sha256Of,
  shownPath,
} from './archiveFormat.js';
import type { ExportKey } from './exportKey.js';

export interface PagePosition {
  readonly pages: number;
  /** SHA-256 of the last page. */
  readonly previous: string;
}

/** Writes entries, and after every few of them a signed page that lists them with their hashes. */
export class ManifestWriter {
  /** Fewer for tests. */
  entriesPerPage = ENTRIES_PER_PAGE;
  private entries: ListedEntry[] = [];
  private bytes = 0;

  private constructor(
    private readonly archive: ArchiveWriter,
    private readonly key: ExportKey,
    private readonly archiveId: string,
    private pages: number,
    private previous: string,
  ) {}

  static async begin(archive: ArchiveWriter, key: ExportKey, header: Header): Promise<ManifestWriter> {
    const bytes = Buffer.from(`${JSON.stringify(header, null, 2)}\n`);
    await addBytes(archive, HEADER, bytes);
    await addBytes(archive, HEADER_SIGNATURE, key.sign('header', bytes));
    return new ManifestWriter(archive, key, header.archiveId, 0, '');
  }

  /** Continues after a page. */
  static resume(archive: ArchiveWriter, key: ExportKey, archiveId: string, at: PagePosition): ManifestWriter {
    return new ManifestWriter(archive, key, archiveId, at.pages, at.previous);
  }

  /** Where the archive can be continued; `null` within a page. */
  get position(): PagePosition | null {
    return this.entries.length === 0 ? { pages: this.pages, previous: this.previous } : null;
  }

  /** Ends a page before it is full. */
  endPage(): Promise<void> {
    return this.page(false);
  }

  addBytes(path: string, bytes: Buffer): Promise<void> {
    return this.add(path, bytes.length, [bytes]);
  }

  /** @throws MoveError if the body has another size */
  async add(path: string, sizeBytes: number, body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    const hash = createHash('sha256');
    async function* hashed() {
      let seen = 0;
      for await (const chunk of body) {
        seen += chunk.length;
        if (seen > sizeBytes) break;
        hash.update(chunk);
        yield chunk;
      }
      if (seen !== sizeBytes) {
        throw new MoveError('OBJECT_MISSING', `${shownPath(path)} changed its size while it was read.`);
      }
    }
    await this.archive.add({ path, sizeBytes, body: hashed() });
    this.entries.push({ path, sizeBytes, sha256: hash.digest('hex') });
    this.bytes += sizeBytes;
    if (this.entries.length >= this.entriesPerPage || this.bytes >= BYTES_PER_PAGE) await this.page(false);
  }

  /** Writes the last page. Only then is the archive complete. */
  async end(): Promise<void> {
    await this.page(true);
    await this.archive.end();
  }

  private async page(isLast: boolean): Promise<void> {
    this.pages += 1;
    const { archiveId, previous, entries, pages: number } = this;
    const bytes = pageText({ archiveId, number, previous, entries, isLast });
    await addBytes(this.archive, `${pageName(number)}.ndjson`, bytes);
    await addBytes(this.archive, `${pageName(number)}.sig`, this.key.sign('manifest', bytes));
    this.previous = sha256Of(bytes);
    this.entries = [];
    this.bytes = 0;
  }
}

function addBytes(archive: ArchiveWriter, path: string, bytes: Buffer): Promise<void> {
  async function* body() {
    yield bytes;
  }
  return archive.add({ path, sizeBytes: bytes.length, body: body() });
}
