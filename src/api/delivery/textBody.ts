import { createHash } from 'node:crypto';

import { SizedLru } from '../../domain/shared/sizedLru.js';
import { gzipped } from './compression.js';

/** A text in the forms it is sent in. */
export class TextBody {
  readonly bytes: Buffer;
  /** Hash of the content. */
  readonly hash: string;
  /** Compressed with gzip, once somebody asked for it. */
  compressedNow: Buffer | null = null;

  constructor(text: string) {
    this.bytes = Buffer.from(text);
    this.hash = createHash('sha256').update(this.bytes).digest('base64url').slice(0, 32);
  }

  async compressed(): Promise<Buffer> {
    return (this.compressedNow ??= await gzipped(this.bytes));
  }
}

/** Estimated memory per character: the text, its bytes, and their compressed form. */
const BYTES_PER_CHARACTER = 4;

/** Keeps the bodies of recently sent texts, such as playlists that thousands request. */
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
