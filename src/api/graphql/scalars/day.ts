import { GraphQLScalarType, Kind } from 'graphql';

import { isDay } from '../../../domain/shared/day.js';
import { AppError } from '../../../errors.js';

function parse(value: unknown): string {
  if (!isDay(value)) throw new AppError('INVALID_INPUT', 'A day is written YYYY-MM-DD.');
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
