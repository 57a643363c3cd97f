import { ApolloServer } from '@apollo/server';
import { ApolloServerPluginLandingPageDisabled } from '@apollo/server/plugin/disabled';
import { expressMiddleware } from '@as-integrations/express5';
import express, { type Router } from 'express';

import type { Viewer } from '../domain/accounts/viewer.js';
import type { Logger } from '../logger.js';
import { createContext, type GraphqlContext } from './context.js';
import { errorView, refusal } from './errors.js';
import { bodyErrors, BODY_LIMIT, jsonOnly, postOnly } from './http.js';
import { MAX_TOKENS } from './limits.js';
import { operationPolicy } from './operationPolicy.js';
import { buildGraphqlSchema } from './schema.js';
import type { GraphqlServices } from './services.js';
import { createStreams, type StreamOptions } from './stream.js';

export interface GraphqlDeps {
  readonly services: GraphqlServices;
  /** Who sends a request, by its session cookie; `null` for nobody. Asked for each request, cached nowhere. */
  readonly viewerOf: (req: express.Request) => Promise<Viewer | null>;
  readonly logger: Logger;
  /** Hides the schema (introspection, "did you mean") unless `introspection` asks for it. */
  readonly production: boolean;
  /** Default: on outside production. */
  readonly introspection?: boolean;
  readonly streams?: Partial<StreamOptions>;
}

export interface GraphqlFace {
  /** Mounted at the root: it answers /graphql and /graphql/stream, and nothing else. */
  readonly router: Router;
  /** Ends open streams and refuses new ones, so that the HTTP server can drain; queries are still answered. */
  stop(): Promise<void>;
}

/** GraphQL for the dashboard and for support: POST /graphql, and subscriptions as server-sent events beside it. */
export async function createGraphqlRouter(deps: GraphqlDeps): Promise<GraphqlFace> {
  const introspection = deps.introspection ?? !deps.production;
  const schema = buildGraphqlSchema();
  const server = new ApolloServer<GraphqlContext>({
    schema,
    introspection,
    hideSchemaDetailsFromClientErrors: deps.production,
    includeStacktraceInErrorResponses: false,
    allowBatchedHttpRequests: false,
    csrfPrevention: true,
    persistedQueries: false,
    stopOnTerminationSignals: false,
    parseOptions: { maxTokens: MAX_TOKENS, noLocation: false },
    formatError: (formatted, error) => errorView(error, formatted),
    plugins: [ApolloServerPluginLandingPageDisabled(), operationPolicy(schema, deps.logger)],
    logger: deps.logger,
  });
  await server.start();

  const streams = createStreams({ ...deps, schema, introspection });
  const router = express.Router();
  const guards = [postOnly, jsonOnly, express.json({ limit: BODY_LIMIT, type: () => true })];
  router.all('/graphql', ...guards);
  router.all('/graphql/stream', ...guards, streams.handler);
  router.all(
    '/graphql',
    expressMiddleware(server, {
      context: async ({ req }) => {
        try {
          return createContext(deps.services, { viewer: await deps.viewerOf(req), requestId: req.id });
        } catch (error) {
          throw refusal(error);
        }
      },
    }),
  );
  router.use(['/graphql', '/graphql/stream'], bodyErrors);

  return {
    router,
    // Apollo itself holds nothing that would need an end, and stopping it would fail requests that are in flight.
    stop: () => Promise.resolve(streams.stop()),
  };
}
