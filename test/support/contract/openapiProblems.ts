import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';

/** What the recommended rules of Redocly and Spectral find in an OpenAPI document, as lines. Warnings count. */
export async function openapiProblems(source: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'] });
  const redocly = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  const linter = new spectral.Spectral();
  linter.setRuleset(rulesets.oas as Parameters<typeof linter.setRuleset>[0]);
  const found = await linter.run(JSON.parse(source) as Record<string, unknown>);
  return [
    ...redocly.map(({ ruleId, message, location }) => `Redocly ${ruleId}: ${message} (${location[0]?.pointer})`),
    ...found.map(({ code, message, path }) => `Spectral ${code}: ${message} (${path.join('/')})`),
  ];
}
