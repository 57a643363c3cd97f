/**
 * `npm run client:types` writes the types of `@dhara/client` from the OpenAPI document; with `--check` it only says whether
 * the file is stale.
 */
import { readFile, writeFile } from 'node:fs/promises';

import { openApiDocument } from './openapi.js';
import { objectType, typeOf } from './schemaTypes.js';
import type { OpenApiDocument, Parameter } from './openapiTypes.js';

const TYPES_FILE = new URL('../../../client/generated/api.ts', import.meta.url);

function typesText({ paths, components }: OpenApiDocument): string {
  const { parameters } = paths['/v1/video']!['get']!;
  const declarations = [
    '/** Written by `npm run client:types` from the OpenAPI document. */',
    codesText(paths),
    parametersText('ListVideosParameters', parameters),
    ...Object.entries(components.schemas)
      // Errors are thrown; its name is that of JavaScript's own.
      .filter(([name]) => name !== 'Error')
      .map(([name, schema]) => `export interface ${name} ${typeOf(schema)}`),
  ];
  return `${declarations.join('\n\n')}\n`;
}

/** The codes of all documented errors. */
function codesText(paths: OpenApiDocument['paths']): string {
  const responses = Object.values(paths).flatMap((methods) =>
    Object.values(methods).flatMap((operation) => Object.entries(operation.responses)),
  );
  const codes = responses.flatMap(([status, { content }]) =>
    status === '200' ? [] : Object.keys(content?.['application/json']?.examples ?? {}),
  );
  return `export type ErrorCode =\n${[...new Set(codes)]
    .sort()
    .map((code) => `  | '${code}'`)
    .join('\n')};`;
}

function parametersText(name: string, parameters: readonly Parameter[]): string {
  const properties = Object.fromEntries(
    parameters.map(({ name: key, description, schema }) => [key, { ...schema, description }]),
  );
  return `export interface ${name} ${objectType({ properties }, '')}`;
}

const wanted = typesText(openApiDocument('https://video.example'));
if (!process.argv.includes('--check')) await writeFile(TYPES_FILE, wanted);
else if ((await readFile(TYPES_FILE, 'utf8').catch(() => '')) !== wanted) {
  process.stderr.write('The types of the client are stale: run `npm run client:types` and commit them.\n');
  process.exitCode = 1;
}
