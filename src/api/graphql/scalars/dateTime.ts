import { GraphQLScalarType, Kind } from 'graphql';

import { isDay } from '../../../domain/shared/day.js';
import { AppError } from '../../../errors.js';

/** RFC 3339 with an offset, because a time without one depends on the machine. */
const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

function parse(value: unknown): Date {
  const time = typeof value === 'string' && RFC_3339.test(value) && isDay(value.slice(0, 10)) ? new Date(value) : null;
  // The offset can lead into a year that has fewer or more than four digits, or is none.
  if (time === null || Number.isNaN(time.getTime()) || !isDay(time.toISOString().slice(0, 10))) {
    throw new AppError('INVALID_INPUT', 'DateTime is a point in time such as "2025-03-01T09:30:00Z".');
  }
  return time;
}

/** A point in time. Anything finer than milliseconds is cut off. */
export const DateTime = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  description: 'A point in time, RFC 3339 in UTC with milliseconds, such as "2025-03-01T09:30:00.000Z".',
  serialize: (value) => {
    if (!(value instanceof Date)) throw new TypeError('DateTime is a Date.');
    return value.toISOString();
  },
  parseValue: parse,
  parseLiteral: (node) => parse(node.kind === Kind.STRING ? node.value : null),
});
