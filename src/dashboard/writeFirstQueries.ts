import { InMemoryCache } from '@apollo/client';
import {
  Kind,
  parse,
  print,
  stripIgnoredCharacters,
  validate,
  visit,
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';

/** The queries of the frame around every page. */
const FRAME = ['Viewer', 'Wallet', 'PaymentSandbox', 'RunningJobs'];
/** The queries that a page sends when it is opened, above the fold. Each page's become one request. */
const PAGES: Readonly<Record<string, readonly string[]>> = {
  home: [...FRAME, 'Home', 'NewestVideos'],
  videos: [...FRAME, 'Videos'],
  video: [...FRAME, 'Video', 'VideoPoster'],
  // Its other tabs read their own part when they are opened.
  videoTab: [...FRAME, 'Video'],
  wallet: [...FRAME, 'WalletUse'],
  other: FRAME,
};

interface Modules {
  /** Queries as text, which can be sent without the GraphQL library. */
  readonly queries: string;
  /** The same queries as documents, for the cache. */
  readonly documents: string;
}

/** Merges the queries of each page into one query. */
export function writeFirstQueries(schema: GraphQLSchema, documents: readonly DocumentNode[]): Modules {
  const pages = Object.entries(PAGES).map(([page, names]) => ({ page, query: merge(schema, documents, names) }));
  const texts = pages.map(({ page, query }) => `  ${page}: ${JSON.stringify(stripIgnoredCharacters(print(query)))},\n`);
  // Parsed from text, because the cache's own documents also contain positions in their files.
  const nodes = pages.map(
    ({ page, query }) => `  ${page}: ${JSON.stringify(parse(print(query), { noLocation: true }))},\n`,
  );
  return {
    queries: `export const FIRST_QUERIES = {\n${texts.join('')}} as const;\n`,
    documents:
      "import type { DocumentNode } from 'graphql';\nimport type { FIRST_QUERIES } from './firstQueries.js';\n\n" +
      `export const FIRST_DOCUMENTS = {\n${nodes.join('')}} as unknown as Record<keyof typeof FIRST_QUERIES, DocumentNode>;\n`,
  };
}

/** @throws if there is no such query, or if the queries do not fit together */
function merge(schema: GraphQLSchema, documents: readonly DocumentNode[], names: readonly string[]): DocumentNode {
  const definitions = documents.flatMap((document) => document.definitions);
  const operations = names.map((name) => {
    const found = definitions.find(
      (one): one is OperationDefinitionNode => one.kind === Kind.OPERATION_DEFINITION && one.name?.value === name,
    );
    if (!found) throw new Error(`There is no query ${name}.`);
    return found;
  });
  const [first] = operations;
  if (!first) throw new Error('A page has no queries.');
  const variables = operations.flatMap(({ variableDefinitions = [] }) => variableDefinitions);
  const operation: OperationDefinitionNode = {
    ...first,
    name: { kind: Kind.NAME, value: 'FirstPage' },
    variableDefinitions: variables.filter(
      ({ variable }, nth) => variables.findIndex((one) => one.variable.name.value === variable.name.value) === nth,
    ),
    selectionSet: {
      kind: Kind.SELECTION_SET,
      selections: operations.flatMap(({ selectionSet }) => selectionSet.selections),
    },
  };
  // Adds the type names, as the client does to each query.
  const document = new InMemoryCache().transformDocument(withFragments(operation, definitions));
  const [fault] = validate(schema, document);
  if (fault) throw new Error(`${names.join(', ')} cannot be merged: ${fault.message}`);
  return document;
}

function withFragments(operation: OperationDefinitionNode, definitions: DocumentNode['definitions']): DocumentNode {
  const used = new Set<DocumentNode['definitions'][number]>([operation]);
  // The set grows meanwhile, because fragments use fragments.
  for (const definition of used) {
    visit(definition, {
      FragmentSpread({ name }) {
        for (const one of definitions) {
          if (one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === name.value) used.add(one);
        }
      },
    });
  }
  return { kind: Kind.DOCUMENT, definitions: [...used] };
}
