import type { ErrorCode } from './generated/api.js';
import type { RateLimit } from './rateLimit.js';

/** Everything that this client throws, besides the reason of an aborted signal. */
export class DharaError extends Error {
  override readonly name: string = 'DharaError';
}

/** The service refused the request, or could not serve it. */
export class DharaApiError extends DharaError {
  override readonly name = 'DharaApiError';

  constructor(
    message: string,
    /** Stable. Codes that are newer than this client are strings too. */
    readonly code: ErrorCode | (string & {}),
    /** The HTTP status. */
    readonly status: number,
    /** Quote it when you ask for help. */
    readonly requestId: string | null,
    /** When a retry makes sense; `null` if the service did not say. */
    readonly retryAfterSeconds: number | null,
    /** The key's quota; `null` unless a playback token was requested. */
    readonly rateLimit: RateLimit | null,
  ) {
    super(message);
  }
}

/** The service was not reached, or the connection broke. `cause` has the reason. */
export class DharaConnectionError extends DharaError {
  override readonly name: string = 'DharaConnectionError';
}

/** There was no response within `timeoutMs`. */
export class DharaTimeoutError extends DharaConnectionError {
  override readonly name = 'DharaTimeoutError';
}
