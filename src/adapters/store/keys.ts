const SEGMENT = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/;
const MAX_KEY_LENGTH = 1000;

/**
 * Thrown for a key or prefix that a file system could read in another way. Always our own mistake, never a caller's.
 */
export class InvalidKeyError extends Error {
  override readonly name = 'InvalidKeyError';
}

/**
 * Accepts only keys whose segments are all plain names. So no key can leave the store, hide in it, or alias another
 * one.
 */
export function checkKey(key: string): void {
  if (key.length > MAX_KEY_LENGTH || !key.split('/').every((segment) => SEGMENT.test(segment))) {
    throw new InvalidKeyError(`invalid object key ${JSON.stringify(key.slice(0, 80))}`);
  }
}

/** A prefix is the beginning of a key, with or without a trailing slash. The empty prefix would be the whole store. */
export function checkPrefix(prefix: string): void {
  checkKey(prefix.endsWith('/') ? prefix.slice(0, -1) : prefix);
}
