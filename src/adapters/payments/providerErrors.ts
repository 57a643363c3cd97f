import { AppError } from '../../errors.js';

/** What may be reported about a failed call: never a key, a header or its body. */
export interface CallFailure {
  /** `Razorpay`, `Stripe` */
  readonly provider: string;
  /** HTTP status; `null` if there was no response. */
  readonly status: number | null;
  /** The provider's own error code, such as `BAD_REQUEST_ERROR`. */
  readonly code: string | null;
}

/**
 * Statuses with which a provider refuses the request itself. Wrong keys (401, 403) are for us to fix, so they can be
 * retried.
 */
const REFUSALS = new Set([400, 402, 404, 422]);

/**
 * INVALID_STATE if the provider refused, so that nothing happened. PROVIDER_UNAVAILABLE if it may have happened or may
 * still: no response, a server error, too many calls, invalid keys.
 */
export function providerError(failure: CallFailure): AppError {
  const { provider, status, code } = failure;
  // Errors of the libraries contain requests with keys, so the cause is built from harmless facts only.
  const cause = new Error(
    `${provider}: ${status === null ? 'no response' : `status ${status}`}${code ? `, ${code}` : ''}`,
  );
  if (status !== null && REFUSALS.has(status)) {
    return new AppError('INVALID_STATE', `${provider} refused this.`, {
      cause,
      ...(code === null ? {} : { details: { providerCode: code } }),
    });
  }
  return new AppError('PROVIDER_UNAVAILABLE', `${provider} cannot be reached right now. Please try again.`, { cause });
}

/** Accepts only a single word as a code, because anything else might hold secrets. */
export function codeWord(value: unknown): string | null {
  return typeof value === 'string' && /^[\w.-]{1,60}$/.test(value) ? value : null;
}
