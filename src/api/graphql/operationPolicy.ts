import type { ApolloServerPlugin } from '@apollo/server';
import { GraphQLError, Kind, OperationTypeNode, type GraphQLSchema, type OperationDefinitionNode } from 'graphql';

import type { Logger } from '../../logger.js';
import type { Admission } from './admission.js';
import type { GraphqlContext } from './context.js';
import { isAlarming, MAX_ERRORS, refusal } from './errors.js';
import { assertWithinLimits } from './limits.js';

/**
 * Rules for every operation at /graphql: its size, that it is not a subscription, what it costs the account, and which
 * errors are returned and logged.
 */
export function operationPolicy(
  schema: GraphQLSchema,
  admission: Pick<Admission, 'charge'>,
  logger: Logger,
  onOperation?: OnOperation,
): ApolloServerPlugin<GraphqlContext> {
  return {
    requestDidStart: () => {
      const startedAtMs = performance.now();
      return Promise.resolve({
        didResolveOperation: async ({ document, operation, request, contextValue }) => {
          // If the operation is ambiguous, graphql itself reports that on execution.
          if (operation === undefined) return;
          if (operation.operation === OperationTypeNode.SUBSCRIPTION) {
            throw new GraphQLError('Subscriptions are served at /graphql/stream.', {
              extensions: { code: 'BAD_REQUEST', http: { status: 400 } },
            });
          }
          if (operation.operation === OperationTypeNode.MUTATION) contextValue.beginWriting();
          const complexity = assertWithinLimits(schema, document, operation, request.variables ?? {});
          try {
            admission.charge(contextValue.viewer, complexity);
          } catch (error) {
            throw refusal(error);
          }
          await Promise.resolve();
        },
        didEncounterErrors: async ({ errors, contextValue, operationName }) => {
          logAlarming(logger, errors, contextValue.requestId, operationName ?? null);
          await Promise.resolve();
        },
        willSendResponse: async ({ response, contextValue, operation }) => {
          if (operation?.operation === OperationTypeNode.MUTATION) contextValue.hasWritten();
          if (response.body.kind !== 'single') return;
          const result = response.body.singleResult;
          const outcome = result.errors ? 'error' : 'success';
          onOperation?.(firstFieldOf(schema, operation), outcome, performance.now() - startedAtMs);
          if (result.errors) result.errors = result.errors.slice(0, MAX_ERRORS);
          for (const error of result.errors ?? []) {
            Object.assign(error.extensions ?? {}, { requestId: contextValue.requestId });
          }
          await Promise.resolve();
        },
      });
    },
  };
}

/** Counts an operation that was answered. */
export type OnOperation = (field: string, outcome: 'success' | 'error', durationMs: number) => void;

/** The first field of an operation if the schema has it, and `invalid` otherwise: callers must not add series. */
function firstFieldOf(schema: GraphQLSchema, operation: OperationDefinitionNode | undefined): string {
  const [first] = operation?.selectionSet.selections ?? [];
  if (operation === undefined || first?.kind !== Kind.FIELD) return 'invalid';
  const { value: name } = first.name;
  return schema.getRootType(operation.operation)?.getFields()[name] ? name : 'invalid';
}

/** Logs only errors that are worth waking somebody: a caller's mistakes are returned and do not fill the log. */
export function logAlarming(
  logger: Logger,
  errors: readonly GraphQLError[],
  requestId: string,
  operationName: string | null,
): void {
  for (const error of errors.slice(0, MAX_ERRORS)) {
    if (isAlarming(error)) {
      logger.error(
        { scope: 'request', requestId, operationName, path: error.path, err: error.originalError },
        'graphql',
      );
    }
  }
}
