/**
 * The catalog of all errors that callers see.
 *
 * One row per code: the HTTP status, and whether to wake somebody for it. Codes are part of the public contract and
 * never change. Messages may.
 */
const CATALOGUE = {
  INVALID_PARAMETER: { status: 400, wake: false },
  INVALID_INPUT: { status: 400, wake: false },
  INVALID_SIGNATURE: { status: 400, wake: false },
  INVALID_API_KEY: { status: 401, wake: false },
  INVALID_PLAYBACK_TOKEN: { status: 401, wake: false },
  PLAYBACK_TOKEN_EXPIRED: { status: 401, wake: false },
  UNAUTHENTICATED: { status: 401, wake: false },
  INSUFFICIENT_CREDITS: { status: 402, wake: false },
  DEBT_OUTSTANDING: { status: 402, wake: false },
  UPLOAD_ALLOWANCE_EXCEEDED: { status: 402, wake: false },
  ACCOUNT_SUSPENDED: { status: 403, wake: false },
  DOMAIN_NOT_ALLOWED: { status: 403, wake: false },
  EMAIL_NOT_VERIFIED: { status: 403, wake: false },
  FORBIDDEN: { status: 403, wake: false },
  TWO_FACTOR_REQUIRED: { status: 403, wake: false },
  APPROVAL_REQUIRED: { status: 403, wake: false },
  LIVE_MODE_ONLY: { status: 403, wake: false },
  VIEW_READ_ONLY: { status: 403, wake: false },
  VIEW_ENDED: { status: 403, wake: false },
  VIDEO_NOT_FOUND: { status: 404, wake: false },
  API_KEY_NOT_FOUND: { status: 404, wake: false },
  ACCESS_TOKEN_NOT_FOUND: { status: 404, wake: false },
  WEBHOOK_ENDPOINT_NOT_FOUND: { status: 404, wake: false },
  ACCOUNT_NOT_FOUND: { status: 404, wake: false },
  NOT_FOUND: { status: 404, wake: false },
  METHOD_NOT_ALLOWED: { status: 405, wake: false },
  VIDEO_NOT_READY: { status: 409, wake: false },
  INVALID_STATE: { status: 409, wake: false },
  BRAND_MISSING: { status: 409, wake: false },
  QUOTE_EXPIRED: { status: 409, wake: false },
  IDEMPOTENCY_CONFLICT: { status: 409, wake: false },
  LIMIT_REACHED: { status: 409, wake: false },
  VIEW_CHANGED: { status: 409, wake: false },
  UPLOAD_EXPIRED: { status: 410, wake: false },
  FILE_TOO_LARGE: { status: 413, wake: false },
  UPLOAD_BUSY: { status: 423, wake: false },
  RATE_LIMIT_EXCEEDED: { status: 429, wake: false },
  INTERNAL_ERROR: { status: 500, wake: true },
  PROVIDER_UNAVAILABLE: { status: 502, wake: true },
  RATE_UNAVAILABLE: { status: 503, wake: true },
  SERVICE_UNAVAILABLE: { status: 503, wake: false },
  STORE_FULL: { status: 507, wake: true },
} as const satisfies Record<string, { status: number; wake: boolean }>;

export type ErrorCode = keyof typeof CATALOGUE;

/** Facts that the caller gets with the message, such as `{ missing: "12.5" }`. Strings only, even for money. */
export type ErrorDetails = Readonly<Record<string, string>>;

/** An error that the caller sees: a stable `code`, its HTTP `status`, and a sentence without internals. */
export class AppError extends Error {
  readonly status: number;
  readonly wake: boolean;
  readonly details: ErrorDetails;

  constructor(
    readonly code: ErrorCode,
    message: string,
    options: { details?: ErrorDetails; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.status = CATALOGUE[code].status;
    this.wake = CATALOGUE[code].wake;
    this.details = options.details ?? {};
  }
}

/**
 * SQLSTATE classes and codes that mean "the database is unavailable", not "the statement is wrong". 25006 comes from a
 * server that was the primary.
 */
const UNAVAILABLE_SQLSTATE = /^(08|25006|53|57P0|58000)/;
/** A socket that was refused, lost or not found. A missing *file* also has ENOENT, but another system call. */
const UNAVAILABLE_SOCKET = /^(ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH)$/;

/** What pg reports without a code. */
const UNAVAILABLE_MESSAGE =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed)/;

/** True if the cause is a lost or refused database connection, so the request may be sent again. */
export function isDatabaseUnavailable(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
    if (UNAVAILABLE_SQLSTATE.test(code) || UNAVAILABLE_SOCKET.test(code)) return true;
    if (code === 'ENOENT' && 'syscall' in cause && cause.syscall === 'connect') return true;
    if (UNAVAILABLE_MESSAGE.test(cause.message)) return true;
  }
  return false;
}

/** Text with a NUL, plain or in JSON. PostgreSQL stores neither. */
const UNSTORABLE_SQLSTATE = /^(22021|22P05)$/;

function isUnstorableText(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string' && UNSTORABLE_SQLSTATE.test(cause.code)) return true;
  }
  return false;
}

/**
 * Converts any thrown value for callers: keeps an AppError, and turns a lost database into 503 and the rest into a
 * bare 500.
 */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (isDatabaseUnavailable(error)) {
    return new AppError('SERVICE_UNAVAILABLE', 'The service is temporarily unavailable. Try again.', {
      cause: error,
    });
  }
  // A check of the text should have refused it. If none did, it is still the caller's mistake.
  if (isUnstorableText(error)) {
    return new AppError('INVALID_INPUT', 'The text contains an unsupported character.', { cause: error });
  }
  return new AppError('INTERNAL_ERROR', 'Something went wrong on our side.', { cause: error });
}

/** The JSON that every endpoint but GraphQL sends for an error. @param status sent instead of the code's own */
export function errorBody(error: Pick<AppError, 'code' | 'message' | 'status'>, status: number = error.status): object {
  return { success: false, error: { code: error.code, message: error.message, status } };
}
