/**
 * `npm run client:types` writes the types of `@dhara/client` from the OpenAPI document; with `--check` it only says whether
 * the file is stale.
 */
import { readFile, writeFile } from 'node:fs/promises';

import type { JsonSchema } from './components.js';
import { openApiDocument } from './openapi.js';
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

/** TypeScript for one of the schemas that the document uses. */
function typeOf(schema: JsonSchema, indent = ''): string {
  if (typeof schema['$ref'] === 'string') return schema['$ref'].slice(schema['$ref'].lastIndexOf('/') + 1);
  const either = schema['anyOf'] as JsonSchema[] | undefined;
  if (either) return either.map((one) => typeOf(one, indent)).join(' | ');
  if ('const' in schema) return literal(schema['const']);
  const words = schema['enum'] as unknown[] | undefined;
  if (words) return words.map(literal).join(' | ');
  const types = schema['type'];
  if (Array.isArray(types)) return types.map((type) => typeOf({ ...schema, type: type as string }, indent)).join(' | ');
  switch (types) {
    case 'object':
      return objectType(schema, indent);
    case 'array':
      return `readonly ${wrapped(typeOf(schema['items'] as JsonSchema, indent))}[]`;
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
    case 'boolean':
    case 'null':
      return types;
    default:
      throw new Error(`no type for ${JSON.stringify(schema)}`);
  }
}

function objectType(schema: JsonSchema, indent: string): string {
  const properties = schema['properties'] as Record<string, JsonSchema> | undefined;
  if (properties === undefined) {
    return `Readonly<Record<string, ${typeOf(schema['additionalProperties'] as JsonSchema, indent)}>>`;
  }
  const required = new Set(schema['required'] as string[] | undefined);
  const inner = `${indent}  `;
  const lines = Object.entries(properties).flatMap(([name, property]) => [
    ...(typeof property['description'] === 'string' ? [`${inner}/** ${property['description']} */`] : []),
    `${inner}readonly ${name}${required.has(name) ? '' : '?'}: ${typeOf(property, inner)}${required.has(name) ? '' : ' | undefined'};`,
  ]);
  return `{\n${lines.join('\n')}\n${indent}}`;
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
}

function wrapped(type: string): string {
  return type.includes(' | ') ? `(${type})` : type;
}

const wanted = typesText(openApiDocument('https://video.example'));
if (!process.argv.includes('--check')) await writeFile(TYPES_FILE, wanted);
else if ((await readFile(TYPES_FILE, 'utf8').catch(() => '')) !== wanted) {
  process.stderr.write('The types of the client are stale: run `npm run client:types` and commit them.\n');
  process.exitCode = 1;
}
