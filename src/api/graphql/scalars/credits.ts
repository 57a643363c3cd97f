import { GraphQLScalarType, Kind } from 'graphql';

import { formatCredits, parseCredits } from '../../../domain/ledger/credits.js';

/** Refuses JSON numbers, because they may already have lost digits. */
function parse(value: unknown): bigint {
  return parseCredits(typeof value === 'string' ? value : '');
}

/** Money: `bigint` micro-credits internally, a decimal string of credits externally. */
export const Credits = new GraphQLScalarType<bigint, string>({
  name: 'Credits',
  description:
    'An amount of credits as an exact decimal string with at most six decimals, such as "12.5". One credit is one Indian rupee.',
  serialize: (value) => {
    if (typeof value !== 'bigint') throw new TypeError('Credits are micro-credits in a bigint.');
    return formatCredits(value);
  },
  parseValue: parse,
  parseLiteral: (node) => parse(node.kind === Kind.STRING ? node.value : null),
});
