import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { parseVideoId } from '../../src/domain/shared/ids.js';
import { addressOf } from './everyPage.js';
import { offersAt } from './offers.js';
import { routesOfDashboard } from './routes.js';
import type { Scene } from './scene.js';

/** What the service lets the owner of a suspended account do: sign in and out, download, revoke keys, and look around. */
const ALLOWED: readonly RegExp[] = [
  /^\/settings(\/profile)?: (Change email address|Name)$/,
  /^\/settings\/security: (Change password|Current password|New password|Turn on|Sign out|End|Revoke)/,
  /^\/settings\/danger: Download my data$/,
  /^(test mode )?\/(analytics|wallet\/ledger): Download CSV$/,
  /^\/wallet\/documents: .+ as (CSV|PDF)$/,
  /^\/videos\/:id: Download source$/,
  /^(test mode )?\/keys: Revoke$/,
  /^\/keys: Open test mode$/,
  /^(test mode )?\/docs\/explain: (Playback token, view or API key|Site)/,
  /^(test mode )?\/webhook-endpoints: State$/,
];

/** Whether the dashboard offers the owner of a suspended account only what the service lets them do. */
export function theSuspendedAccount(scene: () => Scene): void {
  describe('a suspended account', { timeout: 180_000 }, () => {
    let endpointId: string;
    let account: [string];
    beforeAll(async () => {
      const { createWebhookEndpoint } = await scene().ask<{ createWebhookEndpoint: { endpoint: { id: string } } }>(
        'mutation { createWebhookEndpoint(url: "http://127.0.0.1:9/suspended") { endpoint { id } } }',
      );
      endpointId = createWebhookEndpoint.endpoint.id;
      const { rows } = await scene().database.query<{ id: string }>(
        'select account_id as id from video where id = $1',
        [parseVideoId(scene().demo.videoId)],
      );
      account = [rows[0]!.id];
      const { page } = await scene().openWindow('/keys');
      await page.getByRole('button', { name: 'Open test mode' }).click();
      await page.getByRole('region', { name: 'Test mode' }).waitFor();
      await page.context().close();
      await suspend('now()');
    });
    afterAll(async () => {
      await suspend('null');
      await scene().ask('mutation ($id: ID!) { deleteWebhookEndpoint(id: $id) }', { id: endpointId });
    });

    /** In both modes. */
    const suspend = (at: 'now()' | 'null') =>
      scene().database.query(
        `update account set suspended_at = ${at} where id in
           (select $1::uuid union all select account_id from test_account where live_account_id = $1)`,
        account,
      );

    it('offers its owner nothing that the service refuses, in live mode and in test mode', async () => {
      const { page, complaints } = await scene().openWindow('/');
      await page.getByText('This account is suspended').first().waitFor();
      const examples = { '/videos/': scene().demo.videoId, '/wallet/top-ups/': 'top_nothing' };
      const routes = routesOfDashboard().filter((route) => !/^\/(support|docs|sign-|forgot|reset|watch)/.test(route));
      const offered: string[] = [];
      for (const route of [...routes, '/docs/explain']) {
        for (const name of await offersAt(page, addressOf(route, examples))) offered.push(`${route}: ${name}`);
      }
      await page.goto('/keys');
      await page.getByRole('button', { name: 'Open test mode' }).click();
      await page.getByRole('region', { name: 'Test mode' }).waitFor();
      for (const path of [
        '/keys',
        '/videos',
        '/upload',
        '/analytics',
        '/events',
        '/webhook-endpoints',
        '/docs/explain',
      ]) {
        for (const name of await offersAt(page, path)) offered.push(`test mode ${path}: ${name}`);
      }
      expect(offered).toContain('/keys: Revoke');
      expect(offered.filter((one) => !ALLOWED.some((allowed) => allowed.test(one)))).toEqual([]);
      expect(complaints).toEqual([]);
    });
  });
}
