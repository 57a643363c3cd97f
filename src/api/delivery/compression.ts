import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

import type { Request, Response } from 'express';

export const gzipped = promisify(gzip);

/** Remembers the choice for each `Accept-Encoding`. Browsers send only a handful of them. */
const choices = new Map<string, boolean>();
const MAX_CHOICES = 100;
const MAX_CHOICE_LENGTH = 200;

/**
 * Tells whether a text is sent compressed. Playlists are, to every player that accepts gzip: a playlist of two hours
 * shrinks to a tenth. Byte ranges of a text, which no known player requests, refer to the uncompressed text.
 */
export function isGzipped(req: Request, res: Response, { isText }: { readonly isText?: boolean }): boolean {
  if (!isText) return false;
  res.vary('Accept-Encoding');
  if (req.headers.range !== undefined) return false;
  const isChosen = req.acceptsEncodings('gzip', 'identity') === 'gzip';
  const header = req.headers['accept-encoding'];
  if (header !== undefined && header.length <= MAX_CHOICE_LENGTH) {
    // A client that keeps sending new values costs other clients one lookup each at most.
    if (choices.size >= MAX_CHOICES) choices.clear();
    choices.set(header, isChosen);
  }
  return isChosen;
}

/** Returns the remembered choice for a header, or `undefined` for one that has not been seen. */
export function knownChoice(acceptEncoding: string | undefined): boolean | undefined {
  return acceptEncoding === undefined ? false : choices.get(acceptEncoding);
}

/** Each of the two representations of one content has its own entity tag (RFC 9110, 8.8.3.3). */
export function entityTag(content: string, { isCompressed }: { isCompressed: boolean }): string {
  return `"${content}${isCompressed ? '-gzip' : ''}"`;
}
