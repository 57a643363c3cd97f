import { DharaError } from './errors.js';
import type { DharaEvent } from './generated/events.js';

/**
 * What Dhara posts to your endpoint: one of the events of the event log. `id` is the same in every attempt; use it to
 * process each event once. Ignore types that you do not know: newer versions of Dhara have more.
 */
export type WebhookEvent = DharaEvent;

export interface VerifyOptions {
  /** How old, or how far ahead, a message may be; 300 by default. */
  readonly toleranceSeconds?: number;
  /** The current time; for tests. */
  readonly now?: Date;
}

/** The message was not sent by Dhara with this secret, or not recently. */
export class WebhookVerificationError extends DharaError {
  override readonly name = 'WebhookVerificationError';
}

const DEFAULT_TOLERANCE_SECONDS = 300;

/**
 * Checks a webhook by its signature (Standard Webhooks, symmetric) and returns its event.
 *
 * @param payload the body as it was received: parse it afterwards, not before
 * @param headers of the request; any case
 * @param secret `whsec_…`, or several while one is being rotated
 * @throws WebhookVerificationError
 */
export async function verifyWebhook<Event = WebhookEvent>(
  payload: string | Uint8Array,
  headers: Headers | Readonly<Record<string, string | string[] | undefined>>,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): Promise<Event> {
  const id = read(headers, 'webhook-id');
  const timestamp = read(headers, 'webhook-timestamp');
  checkAge(timestamp, options);
  const body = typeof payload === 'string' ? payload : new TextDecoder().decode(payload);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const signatures = read(headers, 'webhook-signature')
    .split(' ')
    .flatMap((entry) => (entry.startsWith('v1,') ? [bytesOf(entry.slice(3))] : []));
  for (const each of typeof secret === 'string' ? [secret] : secret) {
    const key = await keyOf(each);
    for (const signature of signatures) {
      // WebCrypto compares in constant time.
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) return JSON.parse(body) as Event;
    }
  }
  throw new WebhookVerificationError('No signature matches');
}

function read(headers: Headers | Readonly<Record<string, string | string[] | undefined>>, name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  if (typeof value !== 'string' || value === '') throw new WebhookVerificationError(`The header ${name} is missing`);
  return value;
}

function checkAge(
  timestamp: string,
  { toleranceSeconds = DEFAULT_TOLERANCE_SECONDS, now = new Date() }: VerifyOptions,
) {
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookVerificationError('The timestamp is not a number');
  const ageSeconds = now.getTime() / 1_000 - Number(timestamp);
  if (Math.abs(ageSeconds) > toleranceSeconds) throw new WebhookVerificationError('The message is too old or too new');
}

function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = bytesOf(secret.replace(/^whsec_/, ''));
  if (bytes.length === 0) throw new WebhookVerificationError('The secret is not valid');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

/** Decodes base64; empty if it is invalid. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
