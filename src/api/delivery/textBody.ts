import { createHash } from 'node:crypto';

import { SizedLru } from '../../domain/shared/sizedLru.js';
import { gzipped } from './compression.js';

/** A text as it is sent. */
export class TextBody {
  readonly bytes: Buffer;
  /** Of its content. */
  readonly hash: string;
  /** By gzip, once somebody asked for it. */
  compressedNow: Buffer | null = null;

  constructor(text: string) {
    this.bytes = Buffer.from(text);
    this.hash = createHash('sha256').update(this.bytes).digest('base64url').slice(0, 32);
  }

  async compressed(): Promise<Buffer> {
    return (this.compressedNow ??= await gzipped(this.bytes));
  }
}

/** Beside the text itself, for its bytes and what becomes of them. */
const BYTES_PER_CHARACTER = 4;

/** The bodies of texts that were sent last: those of playlists, which thousands ask for. */
export class TextBodies {
  private readonly bodies: SizedLru<TextBody>;

  constructor(maxBytes: number) {
    this.bodies = new SizedLru(maxBytes);
  }

  of(text: string): TextBody {
    const known = this.bodies.get(text);
    if (known) return known;
    const body = new TextBody(text);
    this.bodies.set(text, body, text.length * BYTES_PER_CHARACTER);
    return body;
  }
}
