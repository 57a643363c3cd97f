import { SizedLru } from '../../domain/shared/sizedLru.js';
import type { Body } from './envelope.js';

/** Total of keys and bodies. A page of the usual 20 videos has about 12 kB. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Overhead of an entry, beside its key and body. */
const ENTRY_BYTES = 400;
/** How many recently requested pages are remembered by name. */
const SEEN = 2_048;
/** Nobody who walks a list sends longer URLs, and remembering them would take more memory than the pages. */
const MAX_URL_LENGTH = 1_024;

/** A page as it was sent, with the version of the account's lists that it shows. */
export interface KeptPage {
  readonly version: string;
  readonly body: Body;
}

/**
 * Keeps recently requested pages, by key and query string. A page is kept only after its second request within a while:
 * keeping every page would cost more than it saves when thousands of keys take turns.
 */
export class KeptPages {
  private readonly pages: SizedLru<KeptPage>;
  private readonly seen = new SizedLru<true>(SEEN);

  constructor(private readonly maxBytes = MAX_BYTES) {
    this.pages = new SizedLru(maxBytes);
  }

  get(keyHash: Buffer, url: string): KeptPage | undefined {
    return this.pages.get(nameOf(keyHash, url));
  }

  /** Tells whether this page is worth keeping. The call counts as a request, so a second call may return true. */
  isWanted(keyHash: Buffer, url: string): boolean {
    if (url.length > MAX_URL_LENGTH) return false;
    const name = nameOf(keyHash, url);
    if (this.pages.has(name) || this.seen.delete(name)) return true;
    this.seen.set(name, true, 1);
    return false;
  }

  set(keyHash: Buffer, url: string, page: KeptPage): void {
    const name = nameOf(keyHash, url);
    const size = sizeOf(name, page);
    // A single page may not push out all others.
    if (size <= this.maxBytes / 8) this.pages.set(name, page, size);
  }
}

function nameOf(keyHash: Buffer, url: string): string {
  return `${keyHash.toString('base64')} ${url}`;
}

function sizeOf(name: string, { body }: KeptPage): number {
  return 2 * name.length + body.bytes.length + ENTRY_BYTES;
}
