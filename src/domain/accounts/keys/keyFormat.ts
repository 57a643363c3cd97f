import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE = 62;
const SECRET_BYTES = 32;
/** 62^43 > 2^256, and 62^6 > 2^32. */
const SECRET_DIGITS = 43;
const CHECKSUM_DIGITS = 6;
const KEY_PREFIX = /^dk_(?:live|test)_$/;
const PREFIXED = /^([a-z_]+_)[0-9A-Za-z]{49}$/;
const PREFIX_LENGTH = 12;
const LAST_LENGTH = 4;

/** `test` for keys of test accounts, which see test videos only. */
export type KeyMode = 'live' | 'test';

export interface NewKey {
  /** The whole key. Only its owner keeps it; it is never stored. */
  readonly text: string;
  readonly hash: Buffer;
  readonly prefix: string;
  readonly last4: string;
}

/**
 * Generates an API key: `dk_live_` (or `dk_test_`), 256 random bits as 43 base62 digits, and their CRC-32 in six more.
 * Secret scanners find it by its prefix; the checksum tells a typo from a revoked key.
 */
export function generateKey(mode: KeyMode): NewKey {
  return generateSecret(`dk_${mode}_`);
}

/** The hash a key is stored under, or `null` if the text cannot be a key, which saves a database query. */
export function hashKey(text: string): Buffer | null {
  return hashSecret(text, KEY_PREFIX);
}

/** A whole key as it is listed: `dk_live_4f7a…9c1e`. */
export function shownKey(text: string): string {
  return `${text.slice(0, PREFIX_LENGTH)}…${text.slice(-LAST_LENGTH)}`;
}

/** Like {@link generateKey}, with another prefix: lower-case letters and underscores, with an underscore at the end. */
export function generateSecret(prefix: string): NewKey {
  const secret = base62(BigInt(`0x${randomBytes(SECRET_BYTES).toString('hex')}`), SECRET_DIGITS);
  const body = prefix + secret;
  const text = body + checksumOf(body);
  return {
    text,
    hash: hashOf(text),
    prefix: text.slice(0, PREFIX_LENGTH),
    last4: text.slice(-LAST_LENGTH),
  };
}

/** The hash a secret is stored under, or `null` if its prefix, form or checksum is wrong. */
export function hashSecret(text: string, prefix: RegExp): Buffer | null {
  const found = PREFIXED.exec(text)?.[1];
  if (found === undefined || !prefix.test(found)) return null;
  const body = text.slice(0, -CHECKSUM_DIGITS);
  return checksumOf(body) === text.slice(-CHECKSUM_DIGITS) ? hashOf(text) : null;
}

/** 256 random bits cannot be guessed, so a slow hash is not needed. */
function hashOf(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

function checksumOf(body: string): string {
  let value = crc32(body);
  let digits = '';
  for (let index = 0; index < CHECKSUM_DIGITS; index += 1) {
    digits = ALPHABET.charAt(value % BASE) + digits;
    value = Math.floor(value / BASE);
  }
  return digits;
}

function base62(value: bigint, length: number): string {
  let rest = value;
  let digits = '';
  while (digits.length < length) {
    digits = ALPHABET.charAt(Number(rest % BigInt(BASE))) + digits;
    rest /= BigInt(BASE);
  }
  return digits;
}
