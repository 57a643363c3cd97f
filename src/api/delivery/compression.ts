import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

import type { Request, Response } from 'express';

export const gzipped = promisify(gzip);

/** What each kind of `Accept-Encoding` was found to want; browsers have a handful of them. */
const choices = new Map<string, boolean>();
const MAX_CHOICES = 100;
const MAX_CHOICE_LENGTH = 200;

/**
 * Whether a text goes out compressed, as playlists do for every player that takes it: two hours of segments are a tenth
 * then. A part of a text, which nobody has asked for yet, is a part of what it is uncompressed.
 */
export function isGzipped(req: Request, res: Response, { isText }: { readonly isText?: boolean }): boolean {
  if (!isText) return false;
  res.vary('Accept-Encoding');
  if (req.headers.range !== undefined) return false;
  const isChosen = req.acceptsEncodings('gzip', 'identity') === 'gzip';
  const header = req.headers['accept-encoding'];
  if (header !== undefined && header.length <= MAX_CHOICE_LENGTH) {
    // Whoever makes up new ones all the time costs others a look each, not more.
    if (choices.size >= MAX_CHOICES) choices.clear();
    choices.set(header, isChosen);
  }
  return isChosen;
}

/** The same of a header that was looked at before; `undefined` of any other. */
export function knownChoice(acceptEncoding: string | undefined): boolean | undefined {
  return acceptEncoding === undefined ? false : choices.get(acceptEncoding);
}

/** Of the two representations of one content, each has a tag of its own (RFC 9110, 8.8.3.3). */
export function entityTag(content: string, { isCompressed }: { isCompressed: boolean }): string {
  return `"${content}${isCompressed ? '-gzip' : ''}"`;
}
