import type { JsonSchema } from './components.js';

/** TypeScript for a JSON Schema, of the kinds that the OpenAPI document and the events use. */
export function typeOf(schema: JsonSchema, indent = ''): string {
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

export function objectType(schema: JsonSchema, indent = ''): string {
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
