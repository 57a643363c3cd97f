import { expect, it } from 'vitest';

import { openApiDocument } from '../../../src/api/rest/docs/openapi.js';
import { endpointsOf, errorCodesOf, type OpenApi } from '../../../src/dashboard/docs/openApi.js';

const document = openApiDocument('https://video.example') as unknown as OpenApi;

it('the page of the API lists every endpoint and every error code of the OpenAPI document', () => {
  const endpoints = endpointsOf(document);
  expect(endpoints.map(({ method, path }) => `${method} ${path}`)).toContain('GET /v1/video/{videoId}');

  const codes = errorCodesOf(document);
  const named = new Set(
    endpoints.flatMap(({ responses }) =>
      Object.entries(responses)
        .filter(([status]) => status >= '400')
        .flatMap(([, { description }]) => [...description.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, code]) => code)),
    ),
  );
  expect(new Set(codes.map(({ code }) => code))).toEqual(named);
  expect(codes.length).toBeGreaterThan(8);
  for (const { code, status, meaning, of } of codes) {
    expect(status, code).toMatch(/^[45]\d\d$/);
    expect(meaning, code).not.toMatch(/`[A-Z_]+`|[;,.]$/);
    expect(of.length, code).toBeGreaterThan(0);
  }
  expect(codes.map(({ status }) => status)).toEqual(codes.map(({ status }) => status).toSorted());
});

it('the longest description of a code is shown, and every endpoint that responds with it', () => {
  const operation = (summary: string, description: string) => ({
    operationId: summary,
    summary,
    description: '',
    security: [],
    responses: { 200: { description: '`NOT_AN_ERROR`' }, 404: { description } },
  });
  const paths = {
    '/a': { get: operation('One', '`GONE`: it is gone') },
    '/b': { post: operation('Two', '`GONE`: it is gone for good; `AWAY`, for a while') },
  };
  expect(errorCodesOf({ info: { description: '' }, paths })).toEqual([
    { code: 'AWAY', status: '404', meaning: 'For a while', of: ['Two'] },
    { code: 'GONE', status: '404', meaning: 'It is gone for good', of: ['One', 'Two'] },
  ]);
});
