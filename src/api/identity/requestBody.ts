import { AppError } from '../../errors.js';
import { checkedLine } from '../../readableText.js';

export type Body = Readonly<Record<string, unknown>>;

const MAX_NAME_CHARACTERS = 100;
const MAX_EMAIL_LENGTH = 254;
const MAX_CALLBACK_LENGTH = 512;
/** Where a response or a link may lead: a path of this site, without any ambiguous character. */
const CALLBACK = /^\/(?!\/)[\w~.\-/]*(?:\?[\w~.\-=&]*)?$/;
const CALLBACK_PARAMETER = /callback|redirect/i;

/**
 * The body of a request as better-auth gets it: JSON, an object or nothing, with readable text.
 *
 * @throws INVALID_INPUT
 */
export function readBody(bytes: Uint8Array | null, contentType: string | undefined): Body | null {
  if (bytes === null || bytes.length === 0) return null;
  if (!/^application\/json\s*(?:;|$)/i.test(contentType ?? '')) throw invalid('Send JSON, with its content type.');
  const body = parsed(bytes);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalid('Send a JSON object.');
  const { name, email } = body as Body;
  if (email !== undefined && (typeof email !== 'string' || email.length > MAX_EMAIL_LENGTH)) {
    throw invalid(`An email address has at most ${MAX_EMAIL_LENGTH} characters.`);
  }
  if (name === undefined) return body as Body;
  if (typeof name !== 'string') throw invalid('A name is text.');
  return { ...body, name: checkedLine('A name', name, { min: 1, max: MAX_NAME_CHARACTERS }) };
}

/** @throws FORBIDDEN if a parameter, in the query or the body, would lead the browser off this site */
export function checkCallbacks(query: URLSearchParams, body: Body | null): void {
  for (const [name, value] of [...query, ...Object.entries(body ?? {})]) {
    if (!CALLBACK_PARAMETER.test(name)) continue;
    const isPath = typeof value === 'string' && value.length <= MAX_CALLBACK_LENGTH && CALLBACK.test(value);
    if (!isPath || value.includes('//')) throw new AppError('FORBIDDEN', `${name} must be a path of this site.`);
  }
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw invalid('The body is not valid JSON.');
  }
}

function invalid(message: string): AppError {
  return new AppError('INVALID_INPUT', message);
}
