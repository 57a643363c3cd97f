import { AppError } from '../../errors.js';

/** Bodies up to this size may be any JSON: parsing 64 kB is quick in any case. */
const ANY_JSON_BYTES = 64_000;
/** Larger bodies must be mostly long texts, with at most this many bytes outside strings. */
const LOOSE_BYTES = 16_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Parses a JSON body. A million empty lists in two megabytes take a hundred times as long to parse as one text of that
 * length, so large bodies must be mostly text.
 *
 * @throws INVALID_INPUT
 */
export function parseJsonBody(body: Buffer): unknown {
  if (isLarge(body) && !isMostlyText(body)) {
    throw new AppError('INVALID_INPUT', `A request above ${ANY_JSON_BYTES} bytes may only hold long texts.`);
  }
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    throw new AppError('INVALID_INPUT', 'The request body is not readable JSON.', { cause: error });
  }
}

/** Whether only operations that take long texts may have sent it. */
export function isLarge(body: Buffer): boolean {
  return body.length > ANY_JSON_BYTES;
}

function isMostlyText(body: Buffer): boolean {
  let loose = 0;
  let isInString = false;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === QUOTE) isInString = !isInString;
    else if (isInString && byte === BACKSLASH) at += 1;
    else if (!isInString && (loose += 1) > LOOSE_BYTES) return false;
  }
  return true;
}
