/** Nobody is logged in, or the token no longer works: exit code 3. */
export class NotLoggedInError extends Error {
  override readonly name = 'NotLoggedInError';
}

/** Ctrl-C at a question: exit code 130, which shells report for a program that Ctrl-C has ended. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
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
