import { randomBytes } from 'node:crypto';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const DIGIT_OF = new Map([...ALPHABET].map((character, index) => [character, BigInt(index)]));
const BASE = 58n;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** 128 bits never need more than 22 base58 digits. */
const VIDEO_ID = /^vid_[1-9A-HJ-NP-Za-km-z]{1,22}$/;
const MAX_UUID = (1n << 128n) - 1n;

/** A new UUIDv7 (RFC 9562): ids sort by the time they were made. */
export function newId(nowMs: number = Date.now()): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(nowMs, 0, 6);
  bytes[6] = 0x70 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  return formatUuid(bytes.toString('hex'));
}

/** `vid_<base58>`: the same 128 bits as the UUID, written shorter. Pure and reversible. */
export function videoIdOf(uuid: string): string {
  let rest = BigInt(`0x${uuid.replaceAll('-', '')}`);
  let digits = '';
  do {
    digits = ALPHABET[Number(rest % BASE)]! + digits;
    rest /= BASE;
  } while (rest > 0n);
  return `vid_${digits}`;
}

/** The UUID (lower case) behind `vid_…` or a UUID in any case; `null` for what is neither. */
export function parseVideoId(text: string): string | null {
  if (UUID.test(text)) return text.toLowerCase();
  if (!VIDEO_ID.test(text)) return null;
  let value = 0n;
  for (const character of text.slice(4)) value = value * BASE + DIGIT_OF.get(character)!;
  // One spelling per id: leading zero digits or more than 128 bits name no video.
  if (value > MAX_UUID || (text[4] === '1' && text.length > 5)) return null;
  return formatUuid(value.toString(16).padStart(32, '0'));
}

/** True for a UUID in any case. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

function formatUuid(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
