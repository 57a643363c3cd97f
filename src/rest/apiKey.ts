import type { Request } from 'express';

import { hashKey } from '../domain/keys/keyFormat.js';
import { invalidApiKey } from '../domain/videos/videoRow.js';

/** The key as it was sent; empty where none was. A header sent twice arrives joined, and is no key. */
export function apiKeyOf(req: Request): string {
  const given = req.headers['x-service-key'];
  return typeof given === 'string' ? given : '';
}

/** The hash of the key that was sent. @throws INVALID_API_KEY for what cannot be one */
export function apiKeyHashOf(req: Request): Buffer {
  const hash = hashKey(apiKeyOf(req));
  if (!hash) throw invalidApiKey();
  return hash;
}
