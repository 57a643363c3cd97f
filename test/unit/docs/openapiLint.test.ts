import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { describe, expect, it } from 'vitest';

import { openApiDocument } from '../../../src/api/rest/docs/openapi.js';

const DOCUMENT = JSON.stringify(openApiDocument('https://video.dhara.test'));

describe('the OpenAPI document', () => {
  it('passes the recommended rules of Redocly without a warning', async () => {
    expect(await redocly(DOCUMENT)).toEqual([]);
  });

  it('passes the recommended rules of Spectral without a warning', async () => {
    expect(await spectralOf(DOCUMENT)).toEqual([]);
  });

  it('fails without a license or a contact, and with an example that its schema refuses', async () => {
    const { info, ...rest } = JSON.parse(DOCUMENT) as { info: object };
    const bare = JSON.stringify({ ...rest, info: { title: 'Dhara API', version: '1' } }).replaceAll(
      '"durationSeconds":90.5',
      '"durationSeconds":"90.5"',
    );
    expect(info).toHaveProperty('license');
    expect(await redocly(bare)).toContain('info-license');
    expect(await spectralOf(bare)).toEqual(expect.arrayContaining(['info-contact', 'oas3-valid-media-example']));
  });
});

async function redocly(source: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  return problems.map(({ ruleId }) => ruleId);
}

async function spectralOf(source: string): Promise<string[]> {
  const linter = new spectral.Spectral();
  linter.setRuleset(rulesets.oas as Parameters<typeof linter.setRuleset>[0]);
  const problems = await linter.run(JSON.parse(source) as Record<string, unknown>);
  return problems.map(({ code }) => String(code));
}
