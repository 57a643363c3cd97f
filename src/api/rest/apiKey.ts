import type { Request } from 'express';

import { hashKey } from '../../domain/accounts/keys/keyFormat.js';
import { invalidApiKey } from '../../domain/media/library/videoRow.js';

const HEADER = 'x-service-key';
/** Matches the start of a key in any text. Nothing else starts like this. */
const KEY_SOMEWHERE = /dk_(?:live|test)_[0-9A-Za-z]/;
/** Headers that other services use for keys. */
const OTHER_HEADERS = ['authorization', 'x-api-key', 'api-key', 'apikey', 'x-auth-token', 'x-access-token'];

/**
 * The key as it was sent, or an empty string. Node joins a header that was sent twice, so the result is not a valid
 * key.
 */
export function apiKeyOf(req: Request): string {
  const given = req.headers[HEADER];
  return typeof given === 'string' ? given : '';
}

/** Returns the hash of the key that was sent. @throws INVALID_API_KEY if it does not have the form of a key */
export function apiKeyHashOf(req: Request): Buffer {
  const hash = hashKey(apiKeyOf(req));
  if (!hash) throw invalidApiKey();
  return hash;
}

/**
 * Tells the caller how to fix a 401 if the request shows it, or `null` if the key itself is wrong. Never contains the
 * key.
 */
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

/** Says in words where the key was sent instead. */
function otherPlace(req: Request): string | null {
  const named = OTHER_HEADERS.find((name) => req.headers[name] !== undefined);
  const carrying = Object.entries(req.headers).find(([, value]) => KEY_SOMEWHERE.test(String(value)))?.[0];
  const header = carrying ?? named;
  if (header !== undefined) return header.length <= 40 ? header : 'another header';
  return KEY_SOMEWHERE.test(req.url) ? 'the address' : null;
}
