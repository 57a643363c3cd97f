import type { ApolloServerPlugin } from '@apollo/server';
import { GraphQLError, OperationTypeNode, type GraphQLSchema } from 'graphql';

import type { Logger } from '../logger.js';
import type { GraphqlContext } from './context.js';
import { isAlarming } from './errors.js';
import { assertWithinLimits } from './limits.js';

/** What holds for every operation at /graphql: its size, that it is no subscription, and what is logged of its errors. */
export function operationPolicy(schema: GraphQLSchema, logger: Logger): ApolloServerPlugin<GraphqlContext> {
  return {
    requestDidStart: () =>
      Promise.resolve({
        didResolveOperation: async ({ document, operation, request }) => {
          // Which operation is meant, graphql itself complains about when it executes.
          if (operation === undefined) return;
          if (operation.operation === OperationTypeNode.SUBSCRIPTION) {
            throw new GraphQLError('Subscriptions are served at /graphql/stream.', {
              extensions: { code: 'BAD_REQUEST', http: { status: 400 } },
            });
          }
          assertWithinLimits(schema, document, operation, request.variables ?? {});
          await Promise.resolve();
        },
        didEncounterErrors: async ({ errors, contextValue, operationName }) => {
          logAlarming(logger, errors, contextValue.requestId, operationName ?? null);
          await Promise.resolve();
        },
        willSendResponse: async ({ response, contextValue }) => {
          if (response.body.kind !== 'single') return;
          for (const error of response.body.singleResult.errors ?? []) {
            Object.assign(error.extensions ?? {}, { requestId: contextValue.requestId });
          }
          await Promise.resolve();
        },
      }),
  };
}

/** Only what is worth waking somebody for: whoever asks wrongly is told, and fills no log. */
export function logAlarming(
  logger: Logger,
  errors: readonly GraphQLError[],
  requestId: string,
  operationName: string | null,
): void {
  for (const error of errors) {
    if (isAlarming(error)) {
      logger.error(
        { scope: 'request', requestId, operationName, path: error.path, err: error.originalError },
        'graphql',
      );
    }
  }
}
