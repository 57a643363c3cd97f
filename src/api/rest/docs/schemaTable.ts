import { escapeHtml } from '../../../escapeHtml.js';
import type { JsonSchema } from './components.js';
import { inline } from './html.js';

type Schemas = Readonly<Record<string, JsonSchema>>;

/** Renders a schema's fields as rows: name, type, meaning. Returns an empty string for schemas that are not objects. */
export function schemaTable(schema: JsonSchema, schemas: Schemas): string {
  const resolved = resolve(schema, schemas);
  const properties = resolved['properties'] as Record<string, JsonSchema> | undefined;
  if (!properties) return '';
  const rows = Object.entries(properties).map(
    ([name, property]) =>
      `<tr><td><code>${escapeHtml(name)}</code></td><td>${typeOf(property)}</td>` +
      `<td>${inline(textOf(property['description']))}</td></tr>`,
  );
  return (
    '<div class="scroll" tabindex="0" role="group" aria-label="Fields"><table><thead><tr><th>Field</th><th>Type</th><th>Meaning</th></tr></thead>' +
    `<tbody>${rows.join('')}</tbody></table></div>`
  );
}

/** Describes briefly what a schema allows, with a link if it has its own section. */
export function typeOf(schema: JsonSchema): string {
  if (typeof schema['$ref'] === 'string') {
    const name = nameOf(schema['$ref']);
    return `<a href="#${escapeHtml(name)}">${escapeHtml(name)}</a>`;
  }
  const either = schema['anyOf'] as JsonSchema[] | undefined;
  if (either) return either.map(typeOf).join(' or ');
  if ('const' in schema) return `<code>${escapeHtml(JSON.stringify(schema['const']))}</code>`;
  const words = schema['enum'] as unknown[] | undefined;
  if (words) return words.map((word) => `<code>${escapeHtml(textOf(word))}</code>`).join(' ');
  if (schema['type'] === 'array') return `list of ${typeOf((schema['items'] as JsonSchema | undefined) ?? {})}`;
  const properties = schema['properties'] as Record<string, JsonSchema> | undefined;
  if (properties) {
    const fields = Object.entries(properties).map(
      ([name, field]) => `<code>${escapeHtml(name)}</code> ${typeOf(field)}`,
    );
    return `{ ${fields.join(', ')} }`;
  }
  return escapeHtml([textOf(schema['type']), rangeOf(schema)].filter((part) => part !== '').join(', '));
}

function resolve(schema: JsonSchema, schemas: Schemas): JsonSchema {
  return typeof schema['$ref'] === 'string' ? (schemas[nameOf(schema['$ref'])] ?? {}) : schema;
}

function nameOf(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1);
}

/** Shows only meaningful bounds: zod puts JavaScript's largest safe integer into every integer schema. */
function rangeOf({ minimum, maximum }: JsonSchema): string {
  if (typeof minimum === 'number' && typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER) {
    return `${minimum} to ${maximum}`;
  }
  return '';
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(' or ');
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
