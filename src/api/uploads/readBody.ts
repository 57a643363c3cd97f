import type { IncomingMessage } from 'node:http';

import type { AppError } from '../../errors.js';

/** @throws `tooLarge` before more than `maxBytes` are read */
export async function readBody(req: IncomingMessage, maxBytes: number, tooLarge: () => AppError): Promise<Buffer> {
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  const parts: Buffer[] = [];
  let sizeBytes = 0;
  for await (const part of req as AsyncIterable<Buffer>) {
    sizeBytes += part.length;
    if (sizeBytes > maxBytes) throw tooLarge();
    parts.push(part);
  }
  return Buffer.concat(parts);
}
