/** A number in our own format. It may begin with a minus, but a spreadsheet cannot take it for a formula. */
const NUMBER = /^-?\d+(?:\.\d+)?$/;
/**
 * Text that a spreadsheet would run as a formula. Spreadsheets skip leading white space, and in some languages accept
 * the full-width forms of the characters.
 */
const FORMULA = /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/;
/** Includes semicolons and tabs: where these separate columns, the rest of the cell would become a new one. */
const NEEDS_QUOTES = /[",;\t\r\n]|^\s|\s$/;

/**
 * Without it, spreadsheets read UTF-8 as the local encoding and garble names in Devanagari. Programs that read CSV as
 * UTF-8 skip it.
 */
export const BYTE_ORDER_MARK = '\u{feff}';

/**
 * One record of RFC 4180 with its line end. Text that a spreadsheet would run as a formula is prefixed with an
 * apostrophe; numbers stay numbers.
 */
export function csvRecord(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(text: string): string {
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
