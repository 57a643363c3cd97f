import { pipeline } from 'node:stream/promises';

import type { Request, Response } from 'express';

import { parseRange } from '../../domain/shared/byteRange.js';
import type { SourceFile } from '../../domain/media/library/source.service.js';

/** Sends an uploaded file, or the requested part of it, so that browsers can continue a download that was cut. */
export async function sendOriginal(req: Request, res: Response, file: SourceFile): Promise<void> {
  const { sizeBytes, etag, modifiedAt } = file.info;
  const tag = `"${etag}"`;
  res.setHeader('Accept-Ranges', 'bytes');
  res.setHeader('ETag', tag);
  res.setHeader('Last-Modified', modifiedAt.toUTCString());
  // A part of another version must not be joined to what the browser has. A date is no proof: then it gets everything.
  const condition = req.headers['if-range'];
  const fits = req.method === 'GET' && (condition === undefined || condition === tag);
  const range = parseRange(fits ? req.headers.range : undefined, sizeBytes);
  if (range === 'unsatisfiable') {
    res.status(416).setHeader('Content-Range', `bytes */${sizeBytes}`).end();
    return;
  }
  res.setHeader('Content-Type', file.mediaType);
  res.setHeader('Content-Disposition', attachment(file.fileName));
  const part = range === 'whole' ? { start: 0, end: sizeBytes - 1 } : range;
  res.setHeader('Content-Length', part.end - part.start + 1);
  if (range !== 'whole') res.status(206).setHeader('Content-Range', `bytes ${part.start}-${part.end}/${sizeBytes}`);
  if (req.method === 'HEAD') {
    res.end();
    return;
  }
  const { body } = await file.read(range === 'whole' ? undefined : range);
  try {
    await pipeline(body, res);
  } finally {
    // If the response closed before it began, `pipeline` does not close the body.
    body.destroy();
  }
}

/** The name in every script (RFC 6266), and one for programs that read only ASCII. */
function attachment(fileName: string): string {
  const plain = fileName.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const full = encodeURIComponent(fileName).replaceAll(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${full}`;
}
