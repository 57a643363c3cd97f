import { HeaderMap } from '@apollo/server';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';

import { AppError, toAppError } from '../../errors.js';

/** The error inside GraphQL's wrappers: ours or unexpected; `null` if GraphQL itself refused the operation. */
export function causeOf(error: unknown): Error | null {
  let cause = error;
  while (cause instanceof GraphQLError) cause = cause.originalError;
  return cause instanceof Error ? cause : null;
}

/**
 * The public view of any error: an AppError with its code, status and details; anything unexpected as a bare
 * INTERNAL_ERROR (or SERVICE_UNAVAILABLE); and GraphQL's own errors as they are. Never a stack.
 */
export function errorView(error: unknown, formatted?: GraphQLFormattedError): GraphQLFormattedError {
  const cause = causeOf(error);
  if (cause === null) return ownComplaint(error, formatted);
  const { code, status, message, details } = toAppError(cause);
  return {
    message: cut(message),
    ...(formatted?.locations && { locations: formatted.locations }),
    ...(formatted?.path && { path: formatted.path }),
    extensions: { code, status, ...(Object.keys(details).length > 0 && { details }) },
  };
}

/**
 * Maximum number of errors of one response that are returned and logged: a page of a hundred rows may have the same one
 * a hundred times.
 */
export const MAX_ERRORS = 20;

/** Views of several errors, where Apollo does not call the formatter. */
export function errorViews(errors: readonly unknown[], requestId: string): GraphQLFormattedError[] {
  return errors.slice(0, MAX_ERRORS).map((error) => {
    const view = errorView(error, error instanceof GraphQLError ? error.toJSON() : undefined);
    return { ...view, extensions: { ...view.extensions, requestId } };
  });
}

/** An error to throw outside resolvers, where Apollo decides the HTTP status. */
export function refusal(error: unknown): GraphQLError {
  const appError = toAppError(error);
  const retryAfter = appError.details['retryAfterSeconds'];
  const headers = new HeaderMap(retryAfter === undefined ? [] : [['retry-after', retryAfter]]);
  return new GraphQLError(appError.message, {
    originalError: appError,
    extensions: { http: { status: appError.status, headers } },
  });
}

/** Whether an error belongs in the log: unexpected ones, and those marked as worth waking somebody. */
export function isAlarming(error: unknown): boolean {
  const cause = causeOf(error);
  return cause !== null && toAppError(cause).wake;
}

/** Apollo's code for errors without one; GraphQL's own checks of values produce it. */
const WITHOUT_CODE = 'INTERNAL_SERVER_ERROR';

function ownComplaint(error: unknown, formatted?: GraphQLFormattedError): GraphQLFormattedError {
  if (formatted === undefined) {
    if (!(error instanceof GraphQLError))
      return errorView(new AppError('INTERNAL_ERROR', 'Something went wrong on our side.'));
    return ownComplaint(error, error.toJSON());
  }
  const code = formatted.extensions?.['code'];
  return {
    message: cut(formatted.message),
    ...(formatted.locations && { locations: formatted.locations }),
    ...(formatted.path && { path: formatted.path }),
    extensions: {
      code: typeof code === 'string' && code !== WITHOUT_CODE ? code : 'GRAPHQL_VALIDATION_FAILED',
      status: 400,
    },
  };
}

/** GraphQL's messages repeat names and values of the input. */
const MAX_MESSAGE_CHARACTERS = 300;

function cut(message: string): string {
  return message.length > MAX_MESSAGE_CHARACTERS ? `${message.slice(0, MAX_MESSAGE_CHARACTERS)}…` : message;
}
