import { hash, randomBytes } from 'node:crypto';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const BASE = 58;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** 128 bits never need more than 22 base58 digits. */
const VIDEO_ID = /^vid_[1-9A-HJ-NP-Za-km-z]{1,22}$/;
const MAX_UUID = (1n << 128n) - 1n;

/**
 * Encodes two digits at a time, over 16-bit limbs in doubles. A list page encodes dozens of ids, and BigInt would be
 * most of its cost.
 */
const PAIRS = Array.from(
  { length: BASE ** 2 },
  (_, value) => ALPHABET.charAt(Math.floor(value / BASE)) + ALPHABET.charAt(value % BASE),
);
const PAIR = BASE ** 2;
/** Six digits: multiplied by 2^16 they still fit the 53 bits of a double. */
const CHUNK = BASE ** 6;
const CHUNKS = 4;
const LIMB_OFFSETS = [0, 4, 9, 14, 19, 24, 28, 32] as const;
const LIMBS = LIMB_OFFSETS.length;
const ZERO_DIGIT = ALPHABET.charCodeAt(0);

/** Nine digits fit a double exactly. */
const PARSED_DIGITS = 9;

/** Before every id in order: where a walk begins. */
export const LOWEST_ID = '00000000-0000-0000-0000-000000000000';

/** Owns everything that belongs to no account, where a column requires an account's id. */
export const SYSTEM_OWNER = LOWEST_ID;

/** A new UUIDv7 (RFC 9562). Ids sort by creation time. */
export function newId(nowMs: number = Date.now()): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(nowMs, 0, 6);
  bytes.writeUInt8(0x70 | (bytes.readUInt8(6) & 0x0f), 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  return formatUuid(bytes.toString('hex'));
}

/** A UUID (version 8) derived from these facts: the same facts always give the same id. */
export function idOf(...facts: readonly (string | number | boolean)[]): string {
  const bytes = hash('sha256', JSON.stringify(facts), 'buffer').subarray(0, 16);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(6) & 0x0f), 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  return formatUuid(bytes.toString('hex'));
}

/** `vid_<base58>`: the 128 bits of the UUID, written shorter. Pure and reversible. */
export function videoIdOf(uuid: string): string {
  for (let index = 0; index < LIMBS; index += 1) limbs[index] = limbAt(uuid, LIMB_OFFSETS[index] ?? 0);
  let digits = '';
  for (let chunk = 0; chunk < CHUNKS; chunk += 1) digits = sixDigits(divideByChunk(chunk * 2)) + digits;
  let start = 0;
  while (start < digits.length - 1 && digits.charCodeAt(start) === ZERO_DIGIT) start += 1;
  return `vid_${digits.slice(start)}`;
}

/** Returns the UUID (lower case) for `vid_…` or for a UUID in any case; `null` for anything else. */
export function parseVideoId(text: string): string | null {
  if (UUID.test(text)) return text.toLowerCase();
  if (!VIDEO_ID.test(text)) return null;
  let value = 0n;
  for (let at = 4; at < text.length; at += PARSED_DIGITS) {
    const digits = text.slice(at, at + PARSED_DIGITS);
    value = value * BigInt(BASE ** digits.length) + BigInt(numberOf(digits));
  }
  // Each id has one spelling: no leading zero digits, no more than 128 bits.
  if (value > MAX_UUID || (text.charAt(4) === '1' && text.length > 5)) return null;
  return formatUuid(value.toString(16).padStart(32, '0'));
}

/** True for a UUID in any case. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Scratch space of `videoIdOf`, which never yields: the number being encoded, most significant limb first. */
const limbs = new Float64Array(LIMBS);

/** Value of a hexadecimal character, by its code. */
const HEX = new Uint8Array(128);
for (let value = 0; value < 16; value += 1) {
  HEX[value.toString(16).charCodeAt(0)] = value;
  HEX[value.toString(16).toUpperCase().charCodeAt(0)] = value;
}

function limbAt(uuid: string, at: number): number {
  return (hexAt(uuid, at) << 12) | (hexAt(uuid, at + 1) << 8) | (hexAt(uuid, at + 2) << 4) | hexAt(uuid, at + 3);
}

function hexAt(uuid: string, at: number): number {
  return HEX[uuid.charCodeAt(at)] ?? 0;
}

/** Divides the scratch number in place and returns the remainder. Limbs before `from` are zero already. */
function divideByChunk(from: number): number {
  let remainder = 0;
  for (let index = from; index < LIMBS; index += 1) {
    const value = remainder * 0x10000 + (limbs[index] ?? 0);
    const quotient = Math.floor(value / CHUNK);
    limbs[index] = quotient;
    remainder = value - quotient * CHUNK;
  }
  return remainder;
}

function sixDigits(value: number): string {
  const high = Math.floor(value / PAIR ** 2);
  const rest = value - high * PAIR ** 2;
  const middle = Math.floor(rest / PAIR);
  return `${PAIRS[high]}${PAIRS[middle]}${PAIRS[rest - middle * PAIR]}`;
}

function numberOf(digits: string): number {
  let value = 0;
  for (const digit of digits) value = value * BASE + ALPHABET.indexOf(digit);
  return value;
}

function formatUuid(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
