import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { HookServer } from '../support/webhooks/hookServer.js';
import { look } from './look.js';
import { readsAgain } from './readsAgain.js';
import type { Scene } from './scene.js';

const LOOKS = [
  ['on a desktop', { width: 1280, height: 800 }],
  ['on a phone', { width: 390, height: 844 }],
] as const;

/** The page of webhooks, against a server that receives them. */
export function theWebhooks(scene: () => Scene): void {
  describe('the page of webhooks', () => {
    let server: HookServer;
    beforeAll(async () => {
      server = await HookServer.start();
    });
    afterAll(() => server?.stop());

    it.for(LOOKS)('adds an endpoint, tests it, shows its attempts, and sends again, %s', async ([, viewport]) => {
      const { page, complaints } = await scene().openWindow('/webhook-endpoints', { viewport });
      await page.getByRole('heading', { name: 'No webhook endpoints yet' }).waitFor();
      expect(await look(page, 'webhooks-none')).toEqual([]);

      await page.getByRole('button', { name: 'Add endpoint' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('URL').fill('https://10.0.0.1/');
      await dialog.getByRole('button', { name: 'Add endpoint' }).click();
      await dialog.getByRole('alert').waitFor();
      await dialog.getByLabel('URL').fill(server.url);
      await dialog.getByLabel('Only these').check();
      await dialog.getByLabel('key.created').check();
      expect(await look(page, 'webhooks-add')).toEqual([]);
      await dialog.getByRole('button', { name: 'Add endpoint' }).click();
      const secret = await dialog.locator('code').innerText();
      expect(secret).toMatch(/^whsec_/);
      expect(await look(page, 'webhooks-secret')).toEqual([]);
      await dialog.getByRole('button', { name: 'I’ve copied it' }).click();

      const before = server.received.length;
      server.answer = (_hook, res) => void res.writeHead(200).end('{"received":true}');
      const card = page.getByRole('article', { name: `Endpoint ${server.url}` });
      await card.getByRole('button', { name: 'Send test event' }).click();
      await server.until(before + 1);
      const { headers, body } = server.received[before]!;
      expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({
        type: 'webhook.test',
      });
      const rows = card.getByRole('list', { name: 'Deliveries' }).getByRole('listitem');
      await rows.filter({ hasText: 'Delivered' }).first().waitFor();

      server.answer = (_hook, res) => void res.writeHead(500).end('<b>broken</b>');
      await scene().ask('mutation { createApiKey(name: "Hooked") { key } }');
      await server.until(before + 2);
      await card.getByRole('button', { name: 'Refresh' }).click();
      const failed = rows.filter({ hasText: 'key.created' }).filter({ hasText: 'HTTP 500' }).first();
      await failed.waitFor();
      await failed.getByRole('button', { expanded: false }).click();
      await failed.getByText('<b>broken</b>').waitFor();
      await card.getByText(/Failing since|Enabled/).waitFor();
      expect(await look(page, 'webhooks')).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);

      server.answer = (_hook, res) => void res.writeHead(200).end();
      await failed.getByRole('button', { name: 'Send again' }).click();
      await server.until(before + 3);
      expect(server.ids[before + 2]).toBe(server.ids[before + 1]);

      await card.getByRole('button', { name: 'Send events again' }).click();
      await dialog.getByLabel('Until').fill('2020-01-01T00:00');
      await dialog.getByText('The range must end after it begins.').waitFor();
      await dialog.getByLabel('From').fill('2020-01-01T00:00');
      await dialog.getByLabel('Until').fill('2100-01-01T00:00');
      await dialog.getByLabel('Also those that were delivered').check();
      expect(await look(page, 'webhooks-replay')).toEqual([]);
      await dialog.getByRole('button', { name: 'Send again' }).click();
      const notices = page.getByRole('region', { name: 'Notices' });
      const count = Number.parseInt(await notices.getByText(/^\d+ events? will be sent$/).innerText(), 10);
      await server.until(before + 3 + count);
      expect(server.ids.slice(before + 3)).toContain(server.ids[before + 1]);

      await card.getByRole('button', { name: 'Disable', exact: true }).click();
      await card.getByText('Disabled', { exact: true }).waitFor();
      await card.getByRole('button', { name: 'Enable', exact: true }).click();
      await card.getByRole('button', { name: 'New secret' }).click();
      await page.getByRole('button', { name: 'Create secret' }).click();
      await page.getByRole('button', { name: 'I’ve copied it' }).click();
      await card.getByText(/The previous secret also signs until/).waitFor();
      await card.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('heading', { name: 'No webhook endpoints yet' }).waitFor();
      expect(complaints).toEqual([]);
    });

    it('says when endpoints cannot be read, and reads them again', async () => {
      const { page } = await scene().openWindow('/keys');
      await readsAgain(page, 'WebhookEndpoints', 'Webhooks', page.getByRole('button', { name: 'Add endpoint' }));
    });
  });
}
