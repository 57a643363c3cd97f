import { GraphQLScalarType } from 'graphql';

/** A point in time. Output only: no operation takes one from the caller. */
export const DateTime = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  description: 'A point in time, RFC 3339 in UTC with milliseconds, such as "2025-03-01T09:30:00.000Z".',
  serialize: (value) => {
    if (!(value instanceof Date)) throw new TypeError('DateTime is a Date.');
    return value.toISOString();
  },
});
