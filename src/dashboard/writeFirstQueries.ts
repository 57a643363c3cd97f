import { InMemoryCache } from '@apollo/client';
import {
  Kind,
  print,
  stripIgnoredCharacters,
  validate,
  visit,
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionNode,
} from 'graphql';

/** The queries of the frame around every page. */
const FRAME = ['Viewer', 'Wallet', 'PaymentSandbox', 'RunningJobs'];
/** The queries that a page sends when it is opened, above the fold. Each page's become one request. */
const PAGES: Readonly<Record<string, readonly string[]>> = {
  home: [...FRAME, 'Home', 'NewestVideos', 'Spending'],
  videos: [...FRAME, 'Videos', 'VideoTags'],
  video: [...FRAME, 'Video', 'VideoPoster'],
  // Its other tabs read their own part when they are opened.
  videoTab: [...FRAME, 'Video'],
  wallet: [...FRAME, 'WalletUse'],
  other: FRAME,
};

interface Modules {
  /** The names of the queries that are merged. */
  readonly operations: ReadonlySet<string>;
  /** Queries as text, which can be sent without the GraphQL library. */
  readonly queries: string;
  /** What each of them answers: the documents of the queries that it merges. */
  readonly documents: string;
}

/** Merges the queries of each page into one query. */
export function writeFirstQueries(schema: GraphQLSchema, documents: readonly DocumentNode[]): Modules {
  const pages = Object.entries(PAGES);
  const texts = pages.map(([page, names]) => {
    const query = merge(schema, documents, names);
    return `  ${page}: ${JSON.stringify(stripIgnoredCharacters(print(query)))},\n`;
  });
  const operations = new Set(pages.flatMap(([, names]) => names));
  const used = [...operations].map(documentOf).sort();
  const lists = pages.map(([page, names]) => `  ${page}: [${names.map(documentOf).join(', ')}],\n`);
  return {
    operations,
    queries: `export const FIRST_QUERIES = {\n${texts.join('')}} as const;\n`,
    documents:
      `import { ${used.join(', ')} } from './graphql.js';\n\n` +
      `export const FIRST_DOCUMENTS = {\n${lists.join('')}} as const;\n`,
  };
}

/** The name of a query's document in the generated modules. */
function documentOf(name: string): string {
  return `${name}Document`;
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
      selections: withoutRepeats(operations.flatMap(({ selectionSet }) => selectionSet.selections)),
    },
  };
  // Adds the type names, as the client does to each query.
  const document = new InMemoryCache().transformDocument(withFragments(operation, definitions));
  const [fault] = validate(schema, document);
  if (fault) throw new Error(`${names.join(', ')} cannot be merged: ${fault.message}`);
  return document;
}

/** Merges root fields that several queries select: an operation may have only ten. */
function withoutRepeats(selections: readonly SelectionNode[]): SelectionNode[] {
  const fields = new Map<string, FieldNode>();
  for (const one of selections) {
    if (one.kind !== Kind.FIELD) throw new Error('A query of a page has a fragment at its root.');
    const head = print({ ...one, selectionSet: undefined });
    const parts = [...(fields.get(head)?.selectionSet?.selections ?? []), ...(one.selectionSet?.selections ?? [])];
    const once = new Map(parts.map((part) => [print(part), part]));
    fields.set(head, { ...one, selectionSet: { kind: Kind.SELECTION_SET, selections: [...once.values()] } });
  }
  return [...fields.values()];
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
