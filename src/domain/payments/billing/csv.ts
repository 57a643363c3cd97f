/** A number as we write them: nothing a spreadsheet could take for a formula, though it may begin with a minus. */
const NUMBER = /^-?\d+(?:\.\d+)?$/;
/**
 * What makes a spreadsheet read the rest as a formula: white space before it is dropped, and the wide forms of the
 * characters count in some languages.
 */
const FORMULA = /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/;
/** Semicolons and tabs, too: where they part columns, the rest of the cell would begin one of its own. */
const NEEDS_QUOTES = /[",;\t\r\n]|^\s|\s$/;

/**
 * Spreadsheets take UTF-8 for the local encoding without it, and names in Devanagari come out as rubbish; programs that
 * read CSV as UTF-8 are used to skip it.
 */
export const BYTE_ORDER_MARK = '\u{feff}';

/**
 * One record of RFC 4180, its line end included. A text that a spreadsheet would run as a formula gets an apostrophe in
 * front; numbers stay numbers.
 */
export function csvRecord(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(text: string): string {
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
