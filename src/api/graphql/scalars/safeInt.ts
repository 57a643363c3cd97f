import { GraphQLScalarType, Kind } from 'graphql';

import { AppError } from '../../../errors.js';

function parse(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
    throw new AppError('INVALID_INPUT', 'SafeInt is a whole number below 2^53.');
  }
  return value;
}

/** Sizes in bytes exceed GraphQL's 32-bit Int. */
export const SafeInt = new GraphQLScalarType<number, number>({
  name: 'SafeInt',
  description: 'A whole number between -(2^53 - 1) and 2^53 - 1, such as a size in bytes.',
  serialize: parse,
  parseValue: parse,
  parseLiteral: (node) => parse(node.kind === Kind.INT ? Number(node.value) : null),
});
