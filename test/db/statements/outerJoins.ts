/**
 * Whether a table's rows can be missing: the text mentions it, and only on the side of a left join that may have no row.
 * A subquery that makes one row of none, such as a count, does not return the table's own columns.
 */
export function isOuter(text: string, table: string): boolean {
  const code = text.replaceAll(/--[^\n]*|'(?:[^']|'')*'/g, ' ');
  const places = [...code.matchAll(new RegExp(`(?<![\\w.])(?:\\w+\\.)?"?${table}"?(?![\\w(.])`, 'g'))]
    .map(({ index }) => code.slice(0, index))
    .filter((before) => /(?:\b(?:from|join|update|into|using|only)|,)\s+(?:\w+\.)?$/i.test(before));
  return places.length > 0 && places.every(isAfterLeftJoin);
}

/** Whether the text ends in a left join, or in parentheses that do. */
function isAfterLeftJoin(before: string): boolean {
  for (let at: number | null = before.length; at !== null; at = openParenthesis(before.slice(0, at))) {
    if (/\bleft\s+(?:outer\s+)?join\s+(?:lateral\s+)?$/i.test(before.slice(0, at))) return true;
  }
  return false;
}

function openParenthesis(before: string): number | null {
  let depth = 0;
  for (let at = before.length - 1; at >= 0; at -= 1) {
    if (before[at] === ')') depth += 1;
    if (before[at] === '(') depth -= 1;
    if (depth < 0) return at;
  }
  return null;
}
