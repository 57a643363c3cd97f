import { createHash, randomInt } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Lengths as in the providers' own ids. All ids are unguessable, because an order's id opens its pay page. */
const LENGTHS = {
  order: 14,
  pay: 14,
  rfnd: 14,
  disp: 14,
  cs_test: 58,
  pi: 24,
  re: 24,
  du: 24,
  evt: 24,
} as const;

/** A random id such as `pay_DESlfW9H8K9uqM`. */
export function sandboxId(prefix: keyof typeof LENGTHS): string {
  return `${prefix}_${randomLetters(LENGTHS[prefix])}`;
}

/** Razorpay's event ids have no prefix. */
export function razorpayEventId(): string {
  return randomLetters(14);
}

/** Always the same id for the same thing, such as a payment's charge. */
export function derivedId(prefix: string, from: string, length: number): string {
  const digest = createHash('sha256').update(`${prefix}:${from}`).digest();
  const letters = Array.from({ length }, (_, index) => ALPHABET[digest.readUInt8(index) % ALPHABET.length]);
  return `${prefix}_${letters.join('')}`;
}

/** Digits derived from the payer, so that two payers never share a telephone number. */
export function derivedDigits(from: string, length: number): string {
  const digest = createHash('sha256').update(from).digest();
  return Array.from({ length }, (_, index) => digest.readUInt8(index) % 10).join('');
}

function randomLetters(length: number): string {
  return Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}
