import { describe, expect, it } from 'vitest';

import { openApiDocument } from '../../../src/api/rest/docs/openapi.js';
import { openapiProblems } from '../../support/contract/openapiProblems.js';

const DOCUMENT = JSON.stringify(openApiDocument('https://video.dhara.test'));

describe('the OpenAPI document', () => {
  it('passes the recommended rules of Redocly and Spectral without a warning', async () => {
    expect(await openapiProblems(DOCUMENT)).toEqual([]);
  });

  it('fails without a license or a contact, and with an example that its schema refuses', async () => {
    const { info, ...rest } = JSON.parse(DOCUMENT) as { info: object };
    const bare = JSON.stringify({ ...rest, info: { title: 'Dhara API', version: '1' } }).replaceAll(
      '"durationSeconds":90.5',
      '"durationSeconds":"90.5"',
    );
    expect(info).toHaveProperty('license');
    const problems = (await openapiProblems(bare)).join('\n');
    for (const rule of ['Redocly info-license', 'Spectral info-contact', 'Spectral oas3-valid-media-example']) {
      expect(problems).toContain(rule);
    }
  });
});
