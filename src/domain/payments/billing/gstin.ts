const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const FORMAT = /^(\d{2})[A-Z]{5}\d{4}[A-Z][1-9A-Z]Z[0-9A-Z]$/;

/** Codes of Indian states and territories: 97 is "other territory", 25 and 28 predate mergers. */
const STATE_CODES = new Set([...Array.from({ length: 38 }, (_, n) => String(n + 1).padStart(2, '0')), '97']);

/** True for a two-digit code of an Indian state or territory. */
export function isStateCode(code: string): boolean {
  return STATE_CODES.has(code);
}

/** The state in which a GSTIN is registered. */
export function stateOfGstin(gstin: string): string {
  return gstin.slice(0, 2);
}

/** Checks state, format and check digit. Upper case only. Does not check whether the GSTIN is registered. */
export function isGstin(text: string): boolean {
  const match = FORMAT.exec(text);
  return match !== null && isStateCode(match[1]!) && checkDigit(text) === text.at(-1);
}

/** Base 36: every second digit counts twice, and the digits of each product are added up. */
function checkDigit(gstin: string): string {
  let sum = 0;
  for (let at = 0; at < 14; at += 1) {
    const product = DIGITS.indexOf(gstin.charAt(at)) * (at % 2 === 0 ? 1 : 2);
    sum += Math.floor(product / 36) + (product % 36);
  }
  return DIGITS.charAt((36 - (sum % 36)) % 36);
}
