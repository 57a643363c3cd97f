import type { OpenApiDocument, Parameter } from './openapiTypes.js';
import { objectType, typeOf } from './schemaTypes.js';

/** The types of `@dhara/client`, as a module: what the operations take and return, and the codes of their errors. */
export function typesText({ paths, components }: OpenApiDocument): string {
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
