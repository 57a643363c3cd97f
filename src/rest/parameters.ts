import type { z } from 'zod';

import { AppError } from '../errors.js';
import { listParameters, type ListParameters, MAX_PAGED_ROWS } from './schemas/listParameters.js';

const DIGITS = /^\d{1,9}$/;
const WHOLE_NUMBERS = new Set(['limit', 'page']);
const DEFAULTS: ListParameters = Object.freeze(listParameters.parse({}));

/**
 * The list's query parameters, checked.
 *
 * @param url path and query as requested
 * @throws INVALID_PARAMETER for an unknown, repeated or unusable one, naming it
 */
export function parseListParameters(url: string): ListParameters {
  const start = url.indexOf('?');
  if (start === -1 || start === url.length - 1) return DEFAULTS;

  const parsed = listParameters.safeParse(singleValues(new URLSearchParams(url.slice(start + 1))));
  if (!parsed.success) throw invalid(nameOf(parsed.error), whatIsWrong(parsed.error));
  const { page, cursor, limit } = parsed.data;
  if (page !== undefined && cursor !== undefined) throw invalid('page', 'cannot be used together with cursor');
  if (page !== undefined && page * limit > MAX_PAGED_ROWS) {
    throw invalid('page', `times limit is at most ${MAX_PAGED_ROWS}; walk further with the cursor`);
  }
  return parsed.data;
}

/** @param what goes on after the parameter's name, as a sentence */
export function invalid(name: string, what = 'is invalid'): AppError {
  return new AppError('INVALID_PARAMETER', `Parameter "${name}": ${what}`);
}

function singleValues(query: URLSearchParams): Record<string, string | number> {
  const values = new Map<string, string | number>();
  for (const [name, value] of query) {
    if (values.has(name)) throw invalid(shown(name), 'is given more than once');
    values.set(name, WHOLE_NUMBERS.has(name) && DIGITS.test(value) ? Number(value) : value);
  }
  // A parameter called __proto__ stays a parameter, an unknown one.
  return Object.fromEntries(values);
}

function nameOf(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue?.code === 'unrecognized_keys') return shown(issue.keys[0] ?? '');
  return String(issue?.path[0] ?? '');
}

/** Without the names of unknown parameters: those can be pages long. */
function whatIsWrong(error: z.ZodError): string | undefined {
  const [issue] = error.issues;
  return issue?.code === 'unrecognized_keys' ? 'is not known here' : issue?.message;
}

/** A caller's own words come back in the message, but not pages of them. */
function shown(name: string): string {
  return name.slice(0, 40);
}
