import { AppError } from '../../errors.js';

/** What may be said of a failed call: never a key, a header or a body of it. */
export interface CallFailure {
  /** `Razorpay`, `Stripe` */
  readonly provider: string;
  /** HTTP status; `null` where no answer came. */
  readonly status: number | null;
  /** The provider's own word for it, such as `BAD_REQUEST_ERROR`. */
  readonly code: string | null;
}

/** Statuses by which a provider says "no" to the request itself. Wrong keys (401, 403) are ours to mend: try again. */
const REFUSALS = new Set([400, 402, 404, 422]);

/**
 * INVALID_STATE where the provider refused, so that nothing happened; PROVIDER_UNAVAILABLE where it may have happened
 * or may still: no answer, a fault of theirs, too many calls, keys that do not work.
 */
export function providerError(failure: CallFailure): AppError {
  const { provider, status, code } = failure;
  // What libraries throw holds requests with keys in them: a cause is made of what is known to be harmless.
  const cause = new Error(
    `${provider}: ${status === null ? 'no answer' : `status ${status}`}${code ? `, ${code}` : ''}`,
  );
  if (status !== null && REFUSALS.has(status)) {
    return new AppError('INVALID_STATE', `${provider} refused this.`, {
      cause,
      ...(code === null ? {} : { details: { providerCode: code } }),
    });
  }
  return new AppError('PROVIDER_UNAVAILABLE', `${provider} cannot be reached right now. Please try again.`, { cause });
}

/** A code is a word; anything else could be anything. */
export function codeWord(value: unknown): string | null {
  return typeof value === 'string' && /^[\w.-]{1,60}$/.test(value) ? value : null;
}
