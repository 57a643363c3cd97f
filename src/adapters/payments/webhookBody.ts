import { createHash } from 'node:crypto';

import { z } from 'zod';

import { AppError } from '../../errors.js';

const MAX_EVENT_ID_LENGTH = 100;

/** The one answer to whatever does not hold: what exactly is wrong is nobody's business but the sender's. */
export function invalidSignature(): AppError {
  return new AppError('INVALID_SIGNATURE', 'The signature does not match the body.');
}

/** The one value of a header that may come once; `null` where it is missing, empty or came more often. */
export function singleHeader(value: string | string[] | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** The provider's id of the event where it has a sane one; else what stands for it: the same body is the same event. */
export function eventIdOf(given: string | null, rawBody: Buffer): string {
  if (given !== null && given.length <= MAX_EVENT_ID_LENGTH && /^[\w.:-]+$/.test(given)) return given;
  return `sha256:${createHash('sha256').update(rawBody).digest('hex')}`;
}

/**
 * Reads a stored body by its schema.
 *
 * @throws Error that names the fields that are not as documented, without their values.
 */
export function readBody<Schema extends z.ZodType>(rawBody: Buffer, schema: Schema): z.output<Schema> {
  const parsed = schema.safeParse(jsonOf(rawBody));
  if (parsed.success) return parsed.data;
  const wrong = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'body'}: ${issue.code}`);
  throw new Error(`The event is not as documented (${wrong.slice(0, 5).join('; ')}).`);
}

/** What the body says as JSON; `null` where it is none. */
export function jsonOf(rawBody: Buffer): unknown {
  try {
    return JSON.parse(rawBody.toString('utf8'));
  } catch {
    return null;
  }
}

/** Whole and exact: a fraction of a paisa, or what a double rounds, is no amount. */
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
