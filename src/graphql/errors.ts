import { GraphQLError, type GraphQLFormattedError } from 'graphql';

import { AppError, toAppError } from '../errors.js';

/** The error below GraphQL's wrappings: ours or unexpected; `null` where GraphQL itself refused the operation. */
export function causeOf(error: unknown): Error | null {
  let cause = error;
  while (cause instanceof GraphQLError) cause = cause.originalError;
  return cause instanceof Error ? cause : null;
}

/**
 * What goes out for any error: an AppError with its code, status and details, anything unexpected as a bare
 * INTERNAL_ERROR (or SERVICE_UNAVAILABLE), and GraphQL's own complaints as they are. Never a stack.
 */
export function errorView(error: unknown, formatted?: GraphQLFormattedError): GraphQLFormattedError {
  const cause = causeOf(error);
  if (cause === null) return ownComplaint(error, formatted);
  const { code, status, message, details } = toAppError(cause);
  return {
    message,
    ...(formatted?.locations && { locations: formatted.locations }),
    ...(formatted?.path && { path: formatted.path }),
    extensions: { code, status, ...(Object.keys(details).length > 0 && { details }) },
  };
}

/** An error to throw where Apollo decides the HTTP status: outside resolvers. */
export function refusal(error: unknown): GraphQLError {
  const appError = toAppError(error);
  return new GraphQLError(appError.message, {
    originalError: appError,
    extensions: { http: { status: appError.status } },
  });
}

/** Unexpected, or marked as worth waking somebody: belongs in the log. */
export function isAlarming(error: unknown): boolean {
  const cause = causeOf(error);
  return cause !== null && toAppError(cause).wake;
}

/** Apollo's name for "thrown without a code": GraphQL's own checks of values come out like that. */
const WITHOUT_CODE = 'INTERNAL_SERVER_ERROR';

function ownComplaint(error: unknown, formatted?: GraphQLFormattedError): GraphQLFormattedError {
  if (formatted === undefined) {
    if (!(error instanceof GraphQLError))
      return errorView(new AppError('INTERNAL_ERROR', 'Something went wrong on our side.'));
    return ownComplaint(error, error.toJSON());
  }
  const code = formatted.extensions?.['code'];
  return {
    message: formatted.message,
    ...(formatted.locations && { locations: formatted.locations }),
    ...(formatted.path && { path: formatted.path }),
    extensions: {
      code: typeof code === 'string' && code !== WITHOUT_CODE ? code : 'GRAPHQL_VALIDATION_FAILED',
      status: 400,
    },
  };
}
