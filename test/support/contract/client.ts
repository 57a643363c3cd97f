import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';

import { openApiDocument } from '../../../src/api/rest/docs/openapi.js';
import { PUBLIC_URL, type RestService } from './service.js';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Checked against the OpenAPI document; each test knows its content. */
  readonly body: ReturnType<typeof JSON.parse>;
}

export interface Call {
  readonly method?: string;
  readonly key?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

export const document = openApiDocument(PUBLIC_URL);
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
// A field that the document does not name is a mistake of ours.
ajv.addSchema({ $id: 'api', ...(JSON.parse(JSON.stringify(document), closed) as object) });
const validators = new Map<string, ValidateFunction>();

function closed(_name: string, value: unknown): unknown {
  const isObject = typeof value === 'object' && value !== null && 'properties' in value && 'type' in value;
  return isObject ? { ...value, additionalProperties: false } : value;
}

/**
 * Calls the service and checks what every response must have: the documented envelope for its path and status, the
 * content type, a request id, and the quota headers on the token endpoint.
 */
export async function call(service: RestService, path: string, options: Call = {}): Promise<Answer> {
  const method = options.method ?? 'GET';
  const res = await fetch(service.url + path, {
    method,
    headers: { ...(options.key === undefined ? {} : { 'x-service-key': options.key }), ...options.headers },
    ...(options.body === undefined ? {} : { body: options.body }),
  });
  const text = await res.text();
  expect(res.headers.get('x-request-id')).toMatch(/^[\w.:-]{8,128}$/);
  expect(res.headers.get('x-powered-by')).toBeNull();
  if (/^\/v1\/video\/[^/]*\/playback-token\/?(?:\?|$)/.test(path)) expectRateLimitHeaders(res.headers);
  if (res.status === 204) return { status: 204, headers: res.headers, body: null };

  expect(res.headers.get('content-type')).toBe('application/json; charset=utf-8');
  if (method === 'HEAD') return { status: res.status, headers: res.headers, body: null };
  const body = JSON.parse(text) as Envelope;
  expectDocumented(path.replace(/\?.*/, ''), method, res.status, body);
  return { status: res.status, headers: res.headers, body };
}

function expectRateLimitHeaders(headers: Headers): void {
  expect(headers.get('x-ratelimit-limit')).toMatch(/^\d+$/);
  expect(headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/);
  expect(Number(headers.get('x-ratelimit-reset')) % 86_400).toBe(86_399);
}

interface Envelope {
  readonly success: boolean;
  readonly error?: { readonly status: number };
}

/** Compares a response with the document for its path, method and status. @param path without a query */
export function expectDocumented(path: string, method: string, status: number, body: Envelope): void {
  expect(body.success).toBe(status === 200);
  if (!body.success) expect(body.error?.status).toBe(status);
  const template = templateOf(path);
  const operation = template ? document.paths[template]?.[method.toLowerCase()] : undefined;
  // Responses outside all operations, such as for a wrong path or method, are errors as well.
  const schema = operation?.responses[status]?.content?.['application/json']?.schema ?? {
    $ref: '#/components/schemas/Error',
  };
  if (operation && template) expect(Object.keys(operation.responses)).toContain(String(status));
  const ref = `api${String(schema['$ref'])}`;
  const validate = validators.get(ref) ?? ajv.compile({ $ref: ref });
  validators.set(ref, validate);
  validate(body);
  expect(validate.errors ?? []).toEqual([]);
}

function templateOf(path: string): string | undefined {
  if (/^\/v1\/video\/?$/.test(path)) return '/v1/video';
  if (/^\/v1\/video\/playback\/manifest\/[^/]+$/.test(path)) return '/v1/video/playback/manifest/{token}';
  if (/^\/v1\/video\/[^/]+\/playback-token$/.test(path)) return '/v1/video/{videoId}/playback-token';
  return /^\/v1\/video\/[^/]+$/.test(path) ? '/v1/video/{videoId}' : undefined;
}
