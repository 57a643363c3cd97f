import type { DeclaredProperty, DeclaredType, Kind, Site } from './declared.js';
import type { DescribedColumn, Description } from './described.js';
import type { ReturnedAs } from './kinds.js';
import { isOuter } from './outerJoins.js';

interface Compared {
  readonly name: string;
  readonly text: string;
  readonly parameters: readonly string[];
}

/**
 * What is wrong with the declared types of a statement, one line each. Says only what is certain: an expression may be
 * null or not.
 */
export function differences(statement: Compared, site: Site, real: Description, returnedAs: ReturnedAs): string[] {
  return [
    ...parameterDifferences(statement, site, real, returnedAs),
    ...rowDifferences(statement, site, real, returnedAs),
  ];
}

function parameterDifferences(
  { parameters }: Compared,
  { params, name }: Site,
  real: Description,
  returnedAs: ReturnedAs,
): string[] {
  const found = parameters.flatMap((parameter, nth) => {
    const declared = params.get(parameter);
    if (!declared) return [`parameter ${parameter}: not declared`];
    const type = real.parameters[nth]!;
    return isAccepted(declared, type, returnedAs)
      ? []
      : [`parameter ${parameter}: declared ${declared.text}, is ${type}`];
  });
  // A statement that is put together from parts uses some of its parameters.
  const isWhole = typeof name === 'string';
  const unused = [...params.keys()].filter((parameter) => isWhole && !parameters.includes(parameter));
  return [...found, ...unused.map((parameter) => `parameter ${parameter}: declared, but not used`)];
}

/** Whether pg sends any value of the declared type as one that PostgreSQL takes for `type`. */
function isAccepted(declared: DeclaredType, type: string, returnedAs: ReturnedAs): boolean {
  if (type.startsWith('_')) {
    // Arrays of arrays go as texts of arrays.
    return (
      declared.kinds.length === 0 &&
      declared.elements.every((element) => isAccepted(element, type.slice(1), returnedAs))
    );
  }
  // An array would be sent as one of PostgreSQL's, which is no JSON.
  if (declared.elements.length > 0) return false;
  return declared.kinds.every((kind) => (ACCEPTED[type] ?? [returnedAs(type).kind]).includes(kind));
}

/** What a type takes besides, or instead of, what it returns. */
const ACCEPTED: Readonly<Record<string, readonly (Kind | null)[]>> = {
  int8: ['bigint', 'number', 'string'],
  numeric: ['bigint', 'number', 'string'],
  int2: ['number', 'string'],
  int4: ['number', 'string'],
  // A `Date` would be sent in the time zone of the process, and lose it as a `date` or `timestamp`.
  timestamptz: ['Date', 'string'],
  json: ['string', 'object'],
  jsonb: ['string', 'object'],
};

function rowDifferences(
  { text }: Compared,
  { row, name: site }: Site,
  real: Description,
  returnedAs: ReturnedAs,
): string[] {
  // A statement whose rows nobody reads.
  if (row.size === 0) return [];
  if (real.columns === null) return [`row: declared ${[...row.keys()].join(', ')}, returns no rows`];
  // A null that other statements of the same declaration return.
  const isShared = typeof site !== 'string';
  const columns = new Map(real.columns.map((column) => [column.name, column]));
  const missing = [...row]
    .filter(([name, { isOptional }]) => !isOptional && !columns.has(name))
    .map(([name, { text: declared }]) => `column ${name}: declared ${declared}, is not returned`);
  const differing = real.columns.flatMap((column) => {
    const declared = row.get(column.name);
    // An expression may be selected for what it does, such as telling others.
    if (!declared) return column.from ? [`column ${column.name}: ${column.type}, not declared`] : [];
    const isNullWanted = isShared || OUTER_JOIN.test(text);
    return columnDifferences(column, declared, { returnedAs, isNullWanted, text }).map(
      (difference) => `column ${column.name}: declared ${declared.text}, ${difference}`,
    );
  });
  return [...missing, ...differing];
}

const OUTER_JOIN = /\b(left|right|full)\s+(outer\s+)?join\b|\bgrouping sets\b|\b(rollup|cube)\s*\(/i;

function columnDifferences(
  { type, from }: DescribedColumn,
  declared: DeclaredProperty,
  {
    returnedAs,
    isNullWanted,
    text,
  }: { readonly returnedAs: ReturnedAs; readonly isNullWanted: boolean; readonly text: string },
): string[] {
  if (!isReturned(declared, type, returnedAs)) return [`is ${type}`];
  if (!from) return [];
  const found: string[] = [];
  if (from.isNullable && !declared.isNullable) found.push(`but ${from.name} can be null`);
  else if (!declared.isNullable && isOuter(text, from.table)) found.push(`but there may be no ${from.table}`);
  if (!from.isNullable && declared.isNullable && !declared.isOptional && !isNullWanted) {
    found.push(`but ${from.name} is never null`);
  }
  const { literals } = declared;
  if (literals && from.literals) {
    const unknown = from.literals.filter((literal) => !literals.includes(literal));
    const extra = literals.filter((literal) => !from.literals!.includes(literal));
    if (unknown.length > 0) found.push(`but ${from.name} can be ${unknown.join(', ')}`);
    if (extra.length > 0) found.push(`but ${from.name} is never ${extra.join(', ')}`);
  }
  return found;
}

function isReturned(declared: DeclaredType, type: string, returnedAs: ReturnedAs): boolean {
  const { isArray, kind } = returnedAs(type);
  if (!isArray) return (kind === null || declared.elements.length === 0) && isKind(declared, kind);
  return (
    declared.kinds.length === 0 &&
    declared.elements.length > 0 &&
    declared.elements.every((element) => element.elements.length === 0 && isKind(element, kind))
  );
}

function isKind({ kinds }: DeclaredType, kind: Kind | null): boolean {
  if (kind === null) return kinds.every((one) => one !== 'bigint' && one !== 'Buffer' && one !== 'Date');
  return kinds.every((one) => one === kind);
}
