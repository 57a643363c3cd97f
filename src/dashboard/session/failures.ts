import { words } from '#words/errors.js';
import { showCredits } from '../lib/credits.js';
import { AuthError } from './authClient.js';

/** A failure in words: what happened, and what to do next. */
export interface Words {
  readonly code: string;
  readonly title: string;
  readonly advice: string;
}

/** Other codes use the service's own message. */
const SENTENCES: Readonly<Record<string, readonly [title: string, advice: string]>> = words.sentences;

/** Describes any thrown value. */
export function wordsOf(error: unknown): Words {
  const { code, message, missing } = factsOf(error);
  const isShort = code === 'INSUFFICIENT_CREDITS' || code === 'UPLOAD_ALLOWANCE_EXCEEDED';
  if (isShort && missing) {
    const [title, advice] = words.missing[code](showCredits(missing));
    return { code, title, advice };
  }
  const [title, advice] = SENTENCES[code] ?? [message || words.unknown.title, words.unknown.advice];
  return { code, title, advice };
}

interface Facts {
  readonly code: string;
  readonly message: string;
  readonly missing?: string;
}

/** The GraphQL client's errors, recognized by name, so that the sign-in page does not load its code. */
interface ClientError extends Error {
  readonly errors?: readonly { readonly message: string; readonly extensions?: Record<string, unknown> }[];
  readonly statusCode?: number;
  readonly bodyText?: string;
}

function factsOf(error: unknown): Facts {
  if (error instanceof AuthError) return { code: error.code, message: error.message };
  // In every browser, `fetch` throws a TypeError if the server does not respond.
  if (error instanceof TypeError) return { code: 'NETWORK', message: '' };
  const { name, errors, statusCode } = (error ?? {}) as ClientError;
  if (name === 'CombinedGraphQLErrors') {
    const { message = '', extensions = {} } = errors?.[0] ?? {};
    const { code = 'INTERNAL_ERROR', details } = extensions as { code?: string; details?: { missing?: string } };
    return { code, message, ...(details?.missing === undefined ? {} : { missing: details.missing }) };
  }
  if (name === 'ServerError' || name === 'ServerParseError') {
    if (statusCode === 429) return { code: 'RATE_LIMIT_EXCEEDED', message: '' };
    // The only conflict that is found before an operation runs.
    if (statusCode === 409) return { code: 'VIEW_CHANGED', message: '' };
    return { code: statusCode === 401 ? 'UNAUTHENTICATED' : 'SERVICE_UNAVAILABLE', message: '' };
  }
  // Routes outside GraphQL throw errors with the service's own codes.
  if (name === 'PosterError') return error as Facts;
  return { code: 'INTERNAL_ERROR', message: '' };
}

/** Whether the service refused with this code. */
export function isCode(error: unknown, code: string): boolean {
  return factsOf(error).code === code;
}

const LOST: ReadonlySet<string> = new Set(['NETWORK', 'SERVICE_UNAVAILABLE', 'INTERNAL_ERROR']);

/** Whether what was asked for may have been done: the response was lost, or the service failed after it. */
export function isLost(error: unknown): boolean {
  return LOST.has(factsOf(error).code);
}

/** Codes of request limits and access rules. A mutation returns them only before it changes anything. */
const REFUSED_AT_ONCE: ReadonlySet<string> = new Set([
  'ACCOUNT_SUSPENDED',
  'EMAIL_NOT_VERIFIED',
  'FORBIDDEN',
  'LIVE_MODE_ONLY',
  'RATE_LIMIT_EXCEEDED',
  'TWO_FACTOR_REQUIRED',
  'UNAUTHENTICATED',
  'VIEW_CHANGED',
  'VIEW_ENDED',
  'VIEW_READ_ONLY',
]);

/** Whether the request was refused as a whole, before anything was done. */
export function isRefusedAtOnce(error: unknown): boolean {
  return REFUSED_AT_ONCE.has(factsOf(error).code);
}

/** Too many visitors, or too many requests of this address. Signed-in users are still served. */
export function isBusyForVisitors(error: unknown): boolean {
  return (
    isCode(error, 'RATE_LIMIT_EXCEEDED') && (error as ClientError).bodyText?.includes('"askedAs":"visitor"') === true
  );
}

/** Both sentences in one line, for a field or a notification. */
export function lineOf(error: unknown): string {
  const { title, advice } = wordsOf(error);
  // The service's own messages end with a full stop.
  return `${title.replace(/\.$/, '')}. ${advice}`;
}
