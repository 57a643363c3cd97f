/**
 * Writes modules of `generated/` from schema.graphql and the dashboard's .graphql files: the types of all operations; the
 * operations, a module for each file, so that no page loads those of others; those of the first queries apart, since
 * every page loads them; and the first query of each page.
 *
 * `--check` writes nothing and fails if a committed module is stale.
 */
import { codegen } from '@graphql-codegen/core';
import * as typedDocumentNode from '@graphql-codegen/typed-document-node';
import * as operations from '@graphql-codegen/typescript-operations';
import {
  buildSchema,
  Kind,
  parse,
  type DocumentNode,
  type FragmentDefinitionNode,
  type NameNode,
  type OperationDefinitionNode,
} from 'graphql';
import { globSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { writeFirstQueries } from './writeFirstQueries.js';

const HERE = import.meta.dirname;
const FOLDER = join(HERE, 'generated');
/** The first line of every module that this program writes. */
const HEAD = '// Written by writeTypes.ts from schema.graphql and the .graphql files of the dashboard. Do not edit.\n';
const schemaText = readFileSync(join(HERE, '../../schema.graphql'), 'utf8');

const documents = globSync('**/*.graphql', { cwd: HERE })
  .sort()
  .map((location) => ({ location, document: parse(readFileSync(join(HERE, location), 'utf8')) }));

const config = {
  scalars: { Credits: 'string', DateTime: 'string', Day: 'string', SafeInt: 'number' },
  strictScalars: false,
  useTypeImports: true,
  enumType: 'string-literal',
  optimizeDocumentNode: true,
};

const schema = buildSchema(schemaText);
const shared = { filename: 'graphql.ts', schema: parse(schemaText), schemaAst: schema, documents, config };
const types = await codegen({
  ...shared,
  plugins: [{ operations: config }],
  pluginMap: { operations },
});
const constants = await codegen({
  ...shared,
  plugins: [{ typedDocumentNode: config }],
  pluginMap: { typedDocumentNode },
});

const first = writeFirstQueries(
  schema,
  documents.map(({ document }) => document),
);
if (new Set(documents.map(({ location }) => basename(location))).size < documents.length)
  throw new Error('Two .graphql files have the same name.');
const isFirst = ({ name }: NamedNode): boolean => first.operations.has(name.value);
const files = new Map([
  ['types.ts', types],
  ['firstOperations.ts', moduleOf(documents.flatMap(({ document }) => namedOf(document)).filter(isFirst))],
  ...documents.flatMap(({ location, document }) => {
    const rest = namedOf(document).filter((one) => !isFirst(one));
    return rest.length > 0 ? [[`${basename(location, '.graphql')}.ts`, moduleOf(rest)] as const] : [];
  }),
]);
// All other modules import from here. Bundles contain only the operations that they name.
files.set('graphql.ts', [...files.keys()].map((name) => `export * from './${name.replace('.ts', '.js')}';\n`).join(''));
files.set('firstQueries.ts', first.queries);
files.set('firstDocuments.ts', first.documents);

const stale = [...files].filter(([name, text]) => !written().includes(name) || read(name) !== HEAD + text);
const left = written().filter((name) => !files.has(name));
if (!process.argv.includes('--check')) {
  for (const name of left) rmSync(join(FOLDER, name));
  for (const [name, text] of stale) writeFileSync(join(FOLDER, name), HEAD + text);
} else if (stale.length + left.length > 0) {
  const names = [...stale.map(([name]) => name), ...left].join(', ');
  process.stderr.write(`src/dashboard/generated is stale (${names}): run \`npm run dashboard:types\`.\n`);
  process.exitCode = 1;
}

/** The modules in the folder that this program has written. */
function written(): string[] {
  return readdirSync(FOLDER).filter((name) => name.endsWith('.ts') && read(name).startsWith(HEAD));
}

function read(name: string): string {
  return readFileSync(join(FOLDER, name), 'utf8');
}

type NamedNode = (OperationDefinitionNode | FragmentDefinitionNode) & { readonly name: NameNode };

function namedOf({ definitions }: DocumentNode): NamedNode[] {
  return definitions.map((definition) => {
    if (!('name' in definition) || !definition.name) throw new Error('An operation has no name.');
    return definition as NamedNode;
  });
}

/** One line for each operation and fragment. */
function moduleOf(definitions: readonly NamedNode[]): string {
  const lines = definitions.map(({ name: { value }, kind }) => {
    const name = `${value}${kind === Kind.FRAGMENT_DEFINITION ? 'FragmentDoc' : 'Document'}`;
    const line = constants.split('\n').find((one) => one.startsWith(`export const ${name} = `));
    if (!line) throw new Error(`There is no line for ${name}.`);
    return line;
  });
  const types = lines.flatMap((line) => /DocumentNode<(\w+), (\w+)>;$/.exec(line)?.slice(1) ?? []);
  return [
    "import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';",
    `import type { ${[...new Set(types)].filter((name) => name !== 'unknown').join(', ')} } from './types.js';`,
    '',
    ...lines,
    '',
  ].join('\n');
}
