import { afterAll, beforeAll, expect, it } from 'vitest';

import type { OpenApiDocument } from '../../../src/api/rest/docs/openapiTypes.js';
import { type RestService, startRestService } from '../../support/contract/service.js';

let service: RestService;
beforeAll(async () => {
  service = await startRestService();
});
afterAll(() => service.stop());

it('/openapi.json describes all of /v1, and every reference in it resolves', async () => {
  const res = await fetch(`${service.url}/openapi.json`);
  const text = await res.text();
  const document = JSON.parse(text) as OpenApiDocument;
  expect(document.openapi).toBe('3.1.0');
  expect(Object.keys(document.paths).sort()).toEqual([
    '/v1/video',
    '/v1/video/playback/manifest/{token}',
    '/v1/video/{videoId}',
    '/v1/video/{videoId}/playback-token',
  ]);
  for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    expect(Object.keys(document.components.schemas)).toContain(name);
  }
});

it('/docs/api loads nothing but its own script', async () => {
  const res = await fetch(`${service.url}/docs/api`);
  const page = await res.text();
  expect(res.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(res.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(page).not.toMatch(/<(link|img|iframe)\b|@import|url\(/i);
  expect(page.match(/<script[^>]*>/gi)).toEqual(['<script type="module" src="/docs/api.js">']);
  const script = await fetch(`${service.url}/docs/api.js`);
  expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  for (const path of ['/v1/video/{videoId}/playback-token', 'x-service-key', 'RATE_LIMIT_EXCEEDED']) {
    expect(page).toContain(path);
  }
  for (const [, id = ''] of page.matchAll(/href="#([\w-]+)"/g)) expect(page).toContain(`id="${id}"`);
});
