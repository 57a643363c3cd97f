import { GraphQLError, Kind, Lexer, parse, Source, TokenKind, visit, type ASTNode, type DocumentNode } from 'graphql';

import { AppError } from '../../errors.js';

/**
 * Lexical tokens of a document. graphql's validation takes time quadratic in what a document repeats, so this limits it
 * before anything is looked up. The dashboard's largest operation has 220 tokens, a visitor's largest 40.
 */
export const MAX_TOKENS = { visitor: 200, signedIn: 1_000 } as const;

/** Length of a document's text. Long values belong in variables. */
const MAX_CHARACTERS = 16_000;

/** Limits on a document, including parts that no operation uses. */
const DOCUMENT_LIMITS = {
  operations: 5,
  fragments: 20,
  selections: 300,
  aliases: 40,
  directives: 20,
  variables: 40,
  /** Nesting of selections, lists and objects. */
  nesting: 20,
  /** How often the same name may be selected anywhere: graphql compares each one with all others. */
  duplicates: 50,
} as const;

/** graphql stops after this many errors: each repeats parts of the input and searches for similar names. */
export const VALIDATION = { maxErrors: 5 } as const;
export const EXECUTION = { maxCoercionErrors: 1 } as const;

type Counts = { -readonly [Limit in keyof typeof DOCUMENT_LIMITS]: number };

/**
 * Parses a document that is small enough to be validated.
 *
 * @throws GraphQLError QUERY_TOO_COMPLEX (HTTP 400) that names the limit, GRAPHQL_PARSE_FAILED for invalid GraphQL
 */
export function parseBounded(query: string, maxTokens: number): DocumentNode {
  if (query.length > MAX_CHARACTERS) throw tooComplex('characters', MAX_CHARACTERS);
  try {
    assertTokens(query, maxTokens);
    const document = parse(query);
    assertCounts(document);
    return document;
  } catch (error) {
    if (error instanceof GraphQLError && error.extensions['code'] === undefined) {
      error.extensions['code'] = 'GRAPHQL_PARSE_FAILED';
    }
    throw error;
  }
}

/** The operations that take a long text. All other requests are far smaller. */
const TAKE_LONG_TEXTS: ReadonlySet<string> = new Set(['uploadCaptions', 'setChapters']);

/** @throws INVALID_INPUT if a large body contains operations that take no long text */
export function assertMayBeLarge(document: DocumentNode): void {
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    for (const root of definition.selectionSet.selections) {
      if (root.kind === Kind.FIELD && TAKE_LONG_TEXTS.has(root.name.value)) continue;
      throw new AppError('INVALID_INPUT', 'The variables of this operation are too large.');
    }
  }
}

export function tooComplex(limit: string, allowed: number, given?: number): GraphQLError {
  const shown = given === undefined ? '' : `, and is ${given}`;
  return new GraphQLError(`This operation is too large: ${limit} may be ${allowed}${shown}.`, {
    extensions: { code: 'QUERY_TOO_COMPLEX', http: { status: 400 } },
  });
}

function assertTokens(query: string, maxTokens: number): void {
  const lexer = new Lexer(new Source(query));
  for (let tokens = 0; lexer.advance().kind !== TokenKind.EOF; tokens += 1) {
    if (tokens === maxTokens) throw tooComplex('tokens', maxTokens);
  }
}

function assertCounts(document: DocumentNode): void {
  const counts: Counts = { ...NONE };
  const names = new Map<string, number>();
  let nesting = 0;
  visit(document, {
    enter(node) {
      if (isNest(node)) counts.nesting = Math.max(counts.nesting, (nesting += 1));
      const kind = COUNTED[node.kind];
      if (kind !== undefined) counts[kind] += 1;
      if (node.kind !== Kind.FIELD) return;
      if (node.alias) counts.aliases += 1;
      const name = (node.alias ?? node.name).value;
      const times = (names.get(name) ?? 0) + 1;
      names.set(name, times);
      counts.duplicates = Math.max(counts.duplicates, times);
    },
    leave(node) {
      if (isNest(node)) nesting -= 1;
    },
  });
  for (const limit of Object.keys(DOCUMENT_LIMITS) as (keyof Counts)[]) {
    if (counts[limit] > DOCUMENT_LIMITS[limit]) throw tooComplex(limit, DOCUMENT_LIMITS[limit], counts[limit]);
  }
}

const NONE: Readonly<Counts> = {
  operations: 0,
  fragments: 0,
  selections: 0,
  aliases: 0,
  directives: 0,
  variables: 0,
  nesting: 0,
  duplicates: 0,
};

const COUNTED: Partial<Record<ASTNode['kind'], keyof Counts>> = {
  [Kind.OPERATION_DEFINITION]: 'operations',
  [Kind.FRAGMENT_DEFINITION]: 'fragments',
  [Kind.FIELD]: 'selections',
  [Kind.FRAGMENT_SPREAD]: 'selections',
  [Kind.INLINE_FRAGMENT]: 'selections',
  [Kind.DIRECTIVE]: 'directives',
  [Kind.VARIABLE_DEFINITION]: 'variables',
};

function isNest({ kind }: ASTNode): boolean {
  return kind === Kind.SELECTION_SET || kind === Kind.LIST || kind === Kind.OBJECT || kind === Kind.LIST_TYPE;
}
