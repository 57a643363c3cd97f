import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

import type { Request, Response } from 'express';

export const gzipped = promisify(gzip);

/**
 * Whether a text goes out compressed, as playlists do for every player that takes it: two hours of segments are a tenth
 * then. A part of a text, which nobody has asked for yet, is a part of what it is uncompressed.
 */
export function isGzipped(req: Request, res: Response, { isText }: { readonly isText?: boolean }): boolean {
  if (!isText) return false;
  res.vary('Accept-Encoding');
  return req.headers.range === undefined && req.acceptsEncodings('gzip', 'identity') === 'gzip';
}

/** Of the two representations of one content, each has a tag of its own (RFC 9110, 8.8.3.3). */
export function entityTag(content: string, { isCompressed }: { isCompressed: boolean }): string {
  return `"${content}${isCompressed ? '-gzip' : ''}"`;
}
