import { createHash } from 'node:crypto';

import { z } from 'zod';

import { AppError } from '../../errors.js';

const MAX_EVENT_ID_LENGTH = 100;

/** The same error for every invalid signature, so that a caller learns nothing about the cause. */
export function invalidSignature(): AppError {
  return new AppError('INVALID_SIGNATURE', 'The signature does not match the body.');
}

/** The value of a header that may occur once; `null` if it is missing, empty or repeated. */
export function singleHeader(value: string | string[] | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** The provider's event id if it is well-formed; otherwise the body's hash: the same body is the same event. */
export function eventIdOf(given: string | null, rawBody: Buffer): string {
  if (given !== null && given.length <= MAX_EVENT_ID_LENGTH && /^[\w.:-]+$/.test(given)) return given;
  return `sha256:${createHash('sha256').update(rawBody).digest('hex')}`;
}

/**
 * Parses a stored body by its schema.
 *
 * @throws Error that names the fields that are not as documented, without their values
 */
export function readBody<Schema extends z.ZodType>(rawBody: Buffer, schema: Schema): z.output<Schema> {
  const parsed = schema.safeParse(jsonOf(rawBody));
  if (parsed.success) return parsed.data;
  const wrong = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'body'}: ${issue.code}`);
  throw new Error(`The event is not as documented (${wrong.slice(0, 5).join('; ')}).`);
}

/** The body as JSON; `null` if it is not JSON. */
export function jsonOf(rawBody: Buffer): unknown {
  try {
    return JSON.parse(rawBody.toString('utf8'));
  } catch {
    return null;
  }
}

/** Whole and exact: a fraction of a paisa, or a number that a double rounds, is not an amount. */
export const minorAmount = z
  .number()
  .int()
  .refine((amount) => Number.isSafeInteger(amount) && amount >= 0)
  .transform(BigInt);

export const currencyCode = z
  .string()
  .regex(/^[A-Za-z]{3}$/)
  .transform((code) => code.toUpperCase());

export const epochSeconds = z
  .number()
  .int()
  .positive()
  .max(100_000_000_000)
  .transform((seconds) => new Date(seconds * 1000));
