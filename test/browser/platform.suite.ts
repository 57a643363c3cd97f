import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { CHROME } from '../support/analytics/watching.js';
import { HookServer } from '../support/webhooks/hookServer.js';
import { look } from './look.js';
import type { Scene } from './scene.js';
import { DURATION_MS, exchangeToken, watchUntil } from './viewer.js';

const LOOKS = [
  ['on a desktop', { width: 1280, height: 800 }],
  ['on a phone', { width: 390, height: 844 }],
] as const;

const DOCS = ['/docs/explain', '/docs/analytics', '/docs/events', '/docs/test-mode', '/docs/errors', '/docs/webhooks'];

/** What developers build on: each page with something on it, in light and in dark, on a desktop and on a phone. */
export function thePlatformPages(scene: () => Scene): void {
  describe('the pages for developers', { timeout: 120_000 }, () => {
    let hooks: HookServer;
    let endpointId: string;
    let tokenId: string;
    beforeAll(async () => {
      hooks = await HookServer.start();
      hooks.answer = (_hook, res) => void res.writeHead(500).end('<b>broken</b>');
      await watchUntil(scene().demo, CHROME, DURATION_MS);
      // Midnight may come while the view is written.
      const [from, to] = [1, 0].map((days) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10));
      await scene().running.service.until(async () => {
        const { analytics } = await scene().ask<{ analytics: { totals: { plays: number } } }>(
          'query ($input: AnalyticsInput!) { analytics(input: $input) { totals { plays } } }',
          { input: { from, to } },
        );
        return analytics.totals.plays > 0;
      }, 'the view is counted');
      const { createWebhookEndpoint } = await scene().ask<{ createWebhookEndpoint: { endpoint: { id: string } } }>(
        'mutation ($url: String!) { createWebhookEndpoint(url: $url) { endpoint { id } } }',
        { url: hooks.url },
      );
      endpointId = createWebhookEndpoint.endpoint.id;
      const { createAccessToken } = await scene().ask<{ createAccessToken: { accessToken: { id: string } } }>(
        'mutation { createAccessToken(name: "Every page", scopes: [READ]) { accessToken { id } } }',
      );
      tokenId = createAccessToken.accessToken.id;
      // An event for the page of events, and for the endpoint.
      await scene().ask('mutation { createApiKey(name: "Every page") { key } }');
      await hooks.until(1);
    });
    afterAll(async () => {
      await scene().ask('mutation ($id: ID!) { deleteWebhookEndpoint(id: $id) }', { id: endpointId });
      await scene().ask('mutation ($id: ID!) { revokeAccessToken(id: $id) }', { id: tokenId });
      await hooks.stop();
    });

    const faultsOn = (page: Page, name: string) => look(page, `platform-${name}`, { schemes: ['dark', 'light'] });

    it.for(LOOKS)('show analytics, of all videos and of one, %s', async ([, viewport]) => {
      const { page } = await scene().openWindow('/analytics?days=7', { viewport });
      await page.getByRole('heading', { name: 'Quality of experience' }).waitFor();
      const faults = await faultsOn(page, 'analytics');
      await page.getByRole('region', { name: 'Breakdown' }).getByRole('link').first().click();
      await page.getByRole('region', { name: 'Retention' }).waitFor();
      expect([...faults, ...(await faultsOn(page, 'analytics-video'))]).toEqual([]);
    });

    it.for(LOOKS)('show events and what each says, %s', async ([, viewport]) => {
      const { page } = await scene().openWindow('/events', { viewport });
      const row = page.getByRole('list', { name: 'Events' }).getByRole('button', { name: /Every page/ });
      await row.first().waitFor();
      const faults = await faultsOn(page, 'events');
      await row.first().click();
      await page.getByRole('dialog').getByText('"type": "key.created"').waitFor();
      expect([...faults, ...(await faultsOn(page, 'events-detail'))]).toEqual([]);
    });

    it.for(LOOKS)('show webhook endpoints and the attempts of a delivery, %s', async ([, viewport]) => {
      const { page } = await scene().openWindow('/webhook-endpoints', { viewport });
      const card = page.getByRole('article', { name: `Endpoint ${hooks.url}` });
      const failed = card.getByRole('listitem').filter({ hasText: 'HTTP 500' }).first();
      await expect
        .poll(async () => {
          await card.getByRole('button', { name: 'Refresh' }).click();
          return failed.count();
        })
        .toBe(1);
      await failed.getByRole('button', { expanded: false }).click();
      await failed.getByText('<b>broken</b>').first().waitFor();
      expect(await faultsOn(page, 'webhooks')).toEqual([]);
    });

    it.for(LOOKS)('explain a token, %s', async ([, viewport]) => {
      const { token } = await exchangeToken(scene().demo, CHROME);
      const { page } = await scene().openWindow('/docs/explain', { viewport });
      const panel = page.getByRole('region', { name: 'Explain a token, a view or a key' });
      await panel.getByLabel('Playback token, view or API key').fill(token);
      await panel.getByRole('button', { name: 'Explain', exact: true }).click();
      await panel.getByText('The token can be exchanged, and the video plays.').waitFor();
      expect(await faultsOn(page, 'explain')).toEqual([]);
    });

    it.for(LOOKS)('show access tokens, %s', async ([, viewport]) => {
      const { page } = await scene().openWindow('/settings/security', { viewport });
      await page.getByText('Every page').first().waitFor();
      expect(await faultsOn(page, 'access-tokens')).toEqual([]);
    });

    it.for(LOOKS)('show test mode, %s', async ([, viewport]) => {
      const { page } = await scene().openWindow('/keys', { viewport });
      await page.getByRole('button', { name: 'Open test mode' }).click();
      await page.getByRole('region', { name: 'Test mode' }).waitFor();
      const faults: string[] = [];
      for (const path of ['/keys', '/videos', '/upload', '/analytics', '/events', '/webhook-endpoints']) {
        await page.goto(path);
        await page.getByRole('region', { name: 'Test mode' }).waitFor();
        faults.push(...(await faultsOn(page, `test-mode${path.replaceAll('/', '-')}`)));
      }
      expect(faults).toEqual([]);
    });

    // `thePages` looks at the others on a phone. The API reference is no page of the router.
    it('document the API, events, webhooks and test mode', async () => {
      const { page } = await scene().openWindow('/docs');
      const faults: string[] = [];
      for (const path of ['/docs/api', ...DOCS]) {
        await page.goto(path);
        faults.push(...(await faultsOn(page, path.slice(1).replaceAll('/', '-'))));
      }
      await page.setViewportSize({ width: 390, height: 844 });
      await page.goto('/docs/api');
      faults.push(...(await faultsOn(page, 'docs-api-phone')));
      expect(faults).toEqual([]);
    });

    it.for(LOOKS)('play a video for anyone with its link, %s', async ([, viewport]) => {
      const { token } = await exchangeToken(scene().demo, CHROME);
      const { page } = await scene().openWindow(`/watch#${token}`, { viewport });
      await page.getByRole('heading', { name: 'Twenty seconds of colour' }).waitFor();
      expect(await faultsOn(page, 'watch')).toEqual([]);
    });
  });
}
