import {
  createSourceEventStream,
  getOperationAST,
  GraphQLError,
  NoSchemaIntrospectionCustomRule,
  OperationTypeNode,
  specifiedRules,
  validate,
  type DocumentNode,
  type GraphQLSchema,
} from 'graphql';
import { z } from 'zod';

import { AppError } from '../../errors.js';
import type { GraphqlContext } from './context.js';
import { EXECUTION, MAX_TOKENS, parseBounded, VALIDATION } from './documentLimits.js';
import { assertWithinLimits } from './limits.js';

export interface SubscriptionRequest {
  readonly document: DocumentNode;
  readonly operationName: string | undefined;
  readonly variables: Record<string, unknown>;
  /** What each result costs the account. */
  readonly complexity: number;
}

/** The operation was refused before its first event. Has at least one error. */
export class Refused extends Error {
  override readonly name = 'Refused';

  constructor(readonly errors: readonly GraphQLError[]) {
    super('the subscription was refused');
  }
}

const bodySchema = z.object({
  query: z.string(),
  operationName: z.string().nullish(),
  variables: z.record(z.string(), z.unknown()).nullish(),
});

/**
 * Reads a request body as a subscription that is valid, known, and within the limits of /graphql.
 *
 * @throws AppError or Refused
 */
export function readSubscription(
  schema: GraphQLSchema,
  body: unknown,
  options: { readonly introspection: boolean; readonly production: boolean },
): SubscriptionRequest {
  const request = bodySchema.safeParse(body);
  if (!request.success) throw new AppError('INVALID_INPUT', 'Send { query, variables, operationName }.');
  const { query, operationName, variables } = request.data;
  try {
    const document = parseBounded(query, MAX_TOKENS.signedIn);
    const rules = options.introspection ? specifiedRules : [...specifiedRules, NoSchemaIntrospectionCustomRule];
    const errors = validate(schema, document, rules, {
      ...VALIDATION,
      hideSuggestions: options.production,
    });
    if (errors.length > 0) throw new Refused(errors);
    const operation = getOperationAST(document, operationName);
    if (operation?.operation !== OperationTypeNode.SUBSCRIPTION) {
      throw new AppError('INVALID_INPUT', 'Send one subscription here, and queries and mutations to /graphql.');
    }
    const complexity = assertWithinLimits(schema, document, operation, variables ?? {});
    return { document, operationName: operationName ?? undefined, variables: { ...variables }, complexity };
  } catch (error) {
    throw error instanceof GraphQLError ? new Refused([error]) : error;
  }
}

/**
 * The events of a subscription, each to be executed as the root value. Authorization happens here.
 *
 * @throws Refused
 */
export async function openSource(
  schema: GraphQLSchema,
  request: SubscriptionRequest,
  context: GraphqlContext,
): Promise<AsyncIterable<unknown>> {
  const source = await createSourceEventStream({
    schema,
    document: request.document,
    operationName: request.operationName,
    variableValues: request.variables,
    contextValue: context,
    options: EXECUTION,
  });
  if (Symbol.asyncIterator in source) return source;
  throw new Refused(source.errors ?? []);
}
