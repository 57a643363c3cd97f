import { GraphQLScalarType, Kind } from 'graphql';

import { AppError } from '../../../errors.js';

const DAY = /^\d{4}-\d{2}-\d{2}$/;

function parse(value: unknown): string {
  const isDay = typeof value === 'string' && DAY.test(value) && !Number.isNaN(Date.parse(value));
  // JavaScript parses the 30th of February as the 2nd of March.
  if (!isDay || new Date(value).toISOString().slice(0, 10) !== value) {
    throw new AppError('INVALID_INPUT', 'A day is written YYYY-MM-DD.');
  }
  return value;
}

/** A calendar day, as text internally and externally. */
export const Day = new GraphQLScalarType<string, string>({
  name: 'Day',
  description: 'A calendar day in UTC, such as "2025-03-01".',
  serialize: parse,
  parseValue: parse,
  parseLiteral: (node) => parse(node.kind === Kind.STRING ? node.value : null),
});
