/**
 * Writes `generated/graphql.ts`: the types of every operation the dashboard sends, from schema.graphql.
 *
 * `--check` writes nothing and fails when the committed file is stale.
 */
import { codegen } from '@graphql-codegen/core';
import * as typedDocumentNode from '@graphql-codegen/typed-document-node';
import * as operations from '@graphql-codegen/typescript-operations';
import { buildSchema, parse } from 'graphql';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const HERE = import.meta.dirname;
const OUTPUT = join(HERE, 'generated/graphql.ts');
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

const body = await codegen({
  filename: OUTPUT,
  schema: parse(schemaText),
  schemaAst: buildSchema(schemaText),
  documents,
  config,
  plugins: [{ operations: config }, { typedDocumentNode: config }],
  pluginMap: { operations, typedDocumentNode },
});
const text = `// Written by writeTypes.ts from schema.graphql and the .graphql files beside it. Do not edit.\n${body}`;

if (!process.argv.includes('--check')) writeFileSync(OUTPUT, text);
else if (readFileSync(OUTPUT, 'utf8') !== text) {
  process.stderr.write('src/dashboard/generated/graphql.ts is stale: run `npm run dashboard:types`.\n');
  process.exitCode = 1;
}
