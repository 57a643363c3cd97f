import { ApolloServer } from '@apollo/server';
import { ApolloServerPluginLandingPageDisabled } from '@apollo/server/plugin/disabled';
import { expressMiddleware } from '@as-integrations/express5';
import express, { type Router } from 'express';
import type { GraphQLSchema } from 'graphql';

import type { Viewer } from '../../domain/accounts/viewer.js';
import { actAs } from '../../domain/shared/actor.js';
import type { Logger } from '../../logger.js';
import { Admission, type AdmissionDeps } from './admission.js';
import { createContext, type GraphqlContext } from './context.js';
import { EXECUTION, MAX_TOKENS, VALIDATION } from './documentLimits.js';
import { errorView } from './errors.js';
import { bodyErrors, jsonOnly, postOnly } from './http.js';
import { type OnOperation, operationPolicy } from './operationPolicy.js';
import { buildGraphqlSchema } from './schema.js';
import type { GraphqlServices, Reads } from './services.js';
import { createStreams, type StreamOptions } from './stream.js';

export interface GraphqlDeps {
  readonly services: GraphqlServices;
  /** Who sends a request, by its session cookie; `null` for a visitor. Called for each request, never cached. */
  readonly viewerOf: (req: express.Request) => Promise<Viewer | null>;
  readonly logger: Logger;
  /** Hides the schema (introspection, "did you mean") unless `introspection` is set. */
  readonly production: boolean;
  /** On by default outside production. */
  readonly introspection?: boolean;
  /** Who may read from a replica of the database instead. */
  readonly replica?: {
    readsFor(viewer: Viewer, req: express.Request): Reads | null;
    wrote(viewer: Viewer, res: express.Response): void;
  };
  /** Counts an operation, by its first field. */
  readonly onOperation?: OnOperation;
  readonly streams?: Partial<StreamOptions>;
  /** Rate budgets of visitors and accounts. */
  readonly budgets?: AdmissionDeps['budgets'];
}

export interface GraphqlEntryPoint {
  /** Mount at the root. Serves /graphql and /graphql/stream, and nothing else. */
  readonly router: Router;
  /** Ends open streams and refuses new ones, so that the HTTP server can drain. Queries still work. */
  stop(): Promise<void>;
}

/** Takes a third of a second to build, and is the same for every service of a process. */
let builtSchema: GraphQLSchema | undefined;

/** GraphQL for the dashboard and for support: POST /graphql, and subscriptions as server-sent events. */
export async function createGraphqlRouter(deps: GraphqlDeps): Promise<GraphqlEntryPoint> {
  const introspection = deps.introspection ?? !deps.production;
  const schema = (builtSchema ??= buildGraphqlSchema());
  const admission = new Admission({ viewerOf: deps.viewerOf, ...(deps.budgets && { budgets: deps.budgets }) });
  const server = new ApolloServer<GraphqlContext>({
    schema,
    introspection,
    hideSchemaDetailsFromClientErrors: deps.production,
    includeStacktraceInErrorResponses: false,
    allowBatchedHttpRequests: false,
    csrfPrevention: true,
    persistedQueries: false,
    stopOnTerminationSignals: false,
    parseOptions: { maxTokens: MAX_TOKENS.signedIn, noLocation: false },
    validationOptions: VALIDATION,
    executionOptions: EXECUTION,
    formatError: (formatted, error) => errorView(error, formatted),
    plugins: [
      ApolloServerPluginLandingPageDisabled(),
      operationPolicy(schema, admission, deps.logger, deps.onOperation),
    ],
    logger: deps.logger,
  });
  await server.start();

  const streams = createStreams({ ...deps, schema, introspection, admission });
  const router = express.Router();
  router.all(['/graphql', '/graphql/stream'], postOnly, jsonOnly);
  router.all('/graphql', admission.identify);
  router.all('/graphql/stream', admission.identifySignedIn);
  router.all(['/graphql', '/graphql/stream'], admission.readBody, admission.checkOperation);
  router.all('/graphql/stream', streams.handler);
  router.all('/graphql', (req, _res, next) => actAs(admission.viewerOf(req), next));
  router.all(
    '/graphql',
    expressMiddleware(server, {
      context: ({ req, res }) => Promise.resolve(contextOf(deps, admission.viewerOf(req), req, res)),
    }),
  );
  router.use(['/graphql', '/graphql/stream'], bodyErrors);

  return {
    router,
    // Do not stop Apollo: it holds nothing that needs to be closed, and stopping it would fail requests in flight.
    stop: () => Promise.resolve(streams.stop()),
  };
}

function contextOf(
  { services, replica }: Pick<GraphqlDeps, 'services' | 'replica'>,
  viewer: Viewer | null,
  req: express.Request,
  res: express.Response,
): GraphqlContext {
  const request = { viewer, requestId: req.id };
  if (!replica || viewer === null) return createContext(services, request);
  return createContext(services, {
    ...request,
    chooseReads: () => replica.readsFor(viewer, req) ?? services,
    onWritten: () => replica.wrote(viewer, res),
  });
}
