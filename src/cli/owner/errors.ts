/** The command was typed wrongly: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Nobody is logged in, or the token no longer works: exit code 3. */
export class NotLoggedInError extends Error {
  override readonly name = 'NotLoggedInError';
}

/** The service refused or was not reached: exit code 1. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';

  constructor(
    message: string,
    /** Stable, such as `VIDEO_NOT_FOUND`; `NETWORK` if the service was not reached. */
    readonly code: string,
  ) {
    super(message);
  }
}
