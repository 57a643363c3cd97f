import type { Request } from 'express';

import { hashKey } from '../../domain/accounts/keys/keyFormat.js';
import { invalidApiKey } from '../../domain/media/library/videoRow.js';

const HEADER = 'x-service-key';
/** What only a key begins with, wherever it was put. */
const KEY_SOMEWHERE = /dk_(?:live|test)_[0-9A-Za-z]/;
/** Where callers of other services put a key. */
const OTHER_HEADERS = ['authorization', 'x-api-key', 'api-key', 'apikey', 'x-auth-token', 'x-access-token'];

/** The key as it was sent; empty where none was. A header sent twice arrives joined, and is no key. */
export function apiKeyOf(req: Request): string {
  const given = req.headers[HEADER];
  return typeof given === 'string' ? given : '';
}

/** The hash of the key that was sent. @throws INVALID_API_KEY for what cannot be one */
export function apiKeyHashOf(req: Request): Buffer {
  const hash = hashKey(apiKeyOf(req));
  if (!hash) throw invalidApiKey();
  return hash;
}

/** How the caller mends a 401, where the request shows it; `null` where the key itself is wrong. Never the key. */
export function keyHint(req: Request): string | null {
  const given = apiKeyOf(req);
  if (given !== '') {
    const isWrapped = KEY_SOMEWHERE.test(given) && !hashKey(given);
    return isWrapped ? `The API key is invalid. Send ${HEADER} once, with the whole key and nothing else.` : null;
  }
  const place = otherPlace(req);
  return place === null
    ? `No API key was sent. Send it in the ${HEADER} header.`
    : `Send the API key in the ${HEADER} header, not in ${place}.`;
}

/** Where a key was sent instead, in words. */
function otherPlace(req: Request): string | null {
  const named = OTHER_HEADERS.find((name) => req.headers[name] !== undefined);
  const carrying = Object.entries(req.headers).find(([, value]) => KEY_SOMEWHERE.test(String(value)))?.[0];
  const header = carrying ?? named;
  if (header !== undefined) return header.length <= 40 ? header : 'another header';
  return KEY_SOMEWHERE.test(req.url) ? 'the address' : null;
}
