import type { Body } from './envelope.js';

/** In all, keys and bodies; a page of the usual 20 videos has about 12 kB. */
const MAX_BYTES = 32 * 1024 * 1024;
/** What an entry takes beside them. */
const ENTRY_BYTES = 400;
/** Pages asked for last whose names are remembered. */
const SEEN = 2_048;
/** Longer ones are those of nobody who walks a list, and would take more than the pages. */
const MAX_URL_LENGTH = 1_024;

/** A page as it was sent, and the version of the account's lists that it shows. */
export interface KeptPage {
  readonly version: string;
  readonly body: Body;
}

/**
 * Pages by key and query string: those that were asked for last, of which each was asked for twice within a while.
 * Keeping every page would cost more than it saves where thousands of keys ask in turn.
 */
export class KeptPages {
  private readonly pages = new Map<string, KeptPage>();
  private readonly seen = new Set<string>();
  private bytes = 0;

  constructor(private readonly maxBytes = MAX_BYTES) {}

  get(keyHash: Buffer, url: string): KeptPage | undefined {
    const name = nameOf(keyHash, url);
    const page = this.pages.get(name);
    if (page) {
      this.pages.delete(name);
      this.pages.set(name, page);
    }
    return page;
  }

  /** Whether this page is worth keeping, which asking about it may have made it. */
  isWanted(keyHash: Buffer, url: string): boolean {
    if (url.length > MAX_URL_LENGTH) return false;
    const name = nameOf(keyHash, url);
    if (this.pages.has(name) || this.seen.delete(name)) return true;
    this.seen.add(name);
    if (this.seen.size > SEEN) for (const oldest of this.seen) return !this.seen.delete(oldest);
    return false;
  }

  set(keyHash: Buffer, url: string, page: KeptPage): void {
    const name = nameOf(keyHash, url);
    const size = sizeOf(name, page);
    // One of them may not push out all others.
    if (size > this.maxBytes / 8) return;
    this.drop(name);
    this.pages.set(name, page);
    this.bytes += size;
    for (const oldest of this.pages.keys()) {
      if (this.bytes <= this.maxBytes) return;
      this.drop(oldest);
    }
  }

  private drop(name: string): void {
    const page = this.pages.get(name);
    if (!page) return;
    this.pages.delete(name);
    this.bytes -= sizeOf(name, page);
  }
}

function nameOf(keyHash: Buffer, url: string): string {
  return `${keyHash.toString('base64')} ${url}`;
}

function sizeOf(name: string, { body }: KeptPage): number {
  return 2 * name.length + body.bytes.length + ENTRY_BYTES;
}
