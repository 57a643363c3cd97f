import { AppError } from '../../errors.js';
import { listParameters, type ListParameters, MAX_PAGED_ROWS, PARAMETER_RULES } from './schemas/listParameters.js';

const DIGITS = /^\d{1,9}$/;
const WHOLE_NUMBERS = new Set(['limit', 'page']);
const DEFAULTS: ListParameters = Object.freeze(listParameters.parse({}));

/**
 * Parses and checks the query parameters of the list.
 *
 * @param url path and query as requested
 * @throws INVALID_PARAMETER for an unknown, repeated or invalid parameter; the message names it
 */
export function parseListParameters(url: string): ListParameters {
  const query = queryOf(url);
  if (query === null) return DEFAULTS;

  const parsed = listParameters.safeParse(singleValues(query));
  if (!parsed.success) {
    // Every issue concerns one parameter: `singleValues` has refused unknown ones.
    const name = String(parsed.error.issues[0]?.path[0]) as keyof ListParameters;
    throw invalid(name, PARAMETER_RULES[name]);
  }
  const { page, cursor, limit } = parsed.data;
  if (page !== undefined && cursor !== undefined) throw invalid('page', 'cannot be used together with cursor');
  if (page !== undefined && page * limit > MAX_PAGED_ROWS) {
    throw invalid('page', `times limit must be at most ${MAX_PAGED_ROWS}; walk further with the cursor`);
  }
  return parsed.data;
}

/** For requests that take no parameters. @param url path and query as requested. @throws INVALID_PARAMETER for any */
export function refuseParameters(url: string): void {
  const [name] = queryOf(url)?.keys() ?? [];
  if (name !== undefined) throw unknown(name);
}

/** @param what completes the sentence that starts with the parameter's name */
export function invalid(name: string, what: string): AppError {
  return new AppError('INVALID_PARAMETER', `Parameter "${shown(name)}" ${what}.`);
}

function unknown(name: string): AppError {
  return invalid(name, 'is not known here');
}

/** Returns `null` if there is no query or an empty one. */
function queryOf(url: string): URLSearchParams | null {
  const start = url.indexOf('?');
  return start === -1 || start === url.length - 1 ? null : new URLSearchParams(url.slice(start + 1));
}

function singleValues(query: URLSearchParams): Record<string, string | number> {
  const values = new Map<string, string | number>();
  for (const [name, value] of query) {
    if (values.has(name)) throw invalid(name, 'is given more than once');
    if (!Object.hasOwn(PARAMETER_RULES, name)) throw unknown(name);
    values.set(name, WHOLE_NUMBERS.has(name) && DIGITS.test(value) ? Number(value) : value);
  }
  return Object.fromEntries(values);
}

/** Makes a caller's text fit for a message: short, and without invisible characters. */
function shown(name: string): string {
  return name.slice(0, 40).replaceAll(/[^ -~]/g, '?');
}
