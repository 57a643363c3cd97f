import { describe, expect, it } from 'vitest';

import { look } from './look.js';
import { readsAgain } from './readsAgain.js';
import type { Scene } from './scene.js';

const PHONE = { width: 390, height: 844 };

interface Created {
  readonly createApiKey: { readonly apiKey: { readonly id: string } };
}

/** The page of the event log. */
export function theEvents(scene: () => Scene): void {
  describe('the page of events', () => {
    const createKey = (name: string) =>
      scene().ask<Created>('mutation ($name: String!) { createApiKey(name: $name) { apiKey { id } } }', { name });

    it('lists events, shows new ones at once, and filters by type', async () => {
      await createKey('Before');
      const { page, complaints } = await scene().openWindow('/events');
      const rows = page.getByRole('list', { name: 'Events' }).getByRole('button');
      await rows.filter({ hasText: 'Before' }).waitFor();

      const { createApiKey } = await createKey('Live <b>key</b>');
      await rows.filter({ hasText: 'Live <b>key</b>' }).waitFor();
      expect(await rows.first().innerText()).toContain('key.created');

      await page.getByLabel('Type').selectOption('key.revoked');
      // Until the filter holds, a new event of this type appears among all the others.
      await rows.filter({ hasText: 'key.created' }).first().waitFor({ state: 'detached' });
      await scene().ask('mutation ($id: ID!) { revokeApiKey(id: $id) { id } }', { id: createApiKey.apiKey.id });
      await rows.filter({ hasText: 'key.revoked' }).first().waitFor();
      expect(await rows.filter({ hasText: 'key.created' }).count()).toBe(0);
      expect(new URL(page.url()).search).toBe('?type=key.revoked');

      await page.getByLabel('Type').selectOption('dispute.opened');
      await page.getByRole('heading', { name: 'No matching events' }).waitFor();
      expect(await look(page, 'events-none')).toEqual([]);
      await page.getByRole('button', { name: 'Show all types' }).click();
      await rows.filter({ hasText: 'Live <b>key</b>' }).first().waitFor();
      expect(complaints).toEqual([]);
    });

    it.for([
      ['on a desktop', { width: 1280, height: 800 }],
      ['on a phone', PHONE],
    ] as const)('opens an event by keyboard, with its payload to copy, %s', async ([place, viewport]) => {
      await createKey(`Read ${place}`);
      const { page, complaints } = await scene().openWindow('/events', {
        viewport,
        permissions: ['clipboard-read', 'clipboard-write'],
      });
      const row = page.getByRole('button', { name: new RegExp(`Read ${place}`) });
      await row.waitFor();
      expect(await look(page, 'events')).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);

      await row.focus();
      await page.keyboard.press('Enter');
      const panel = page.getByRole('dialog');
      await panel.getByText('"type": "key.created"').waitFor();
      expect(await look(page, 'events-detail')).toEqual([]);
      await panel.getByRole('button', { name: 'Copy: Payload' }).click();
      const copied = JSON.parse(await page.evaluate(() => navigator.clipboard.readText())) as { type: string };
      expect(copied).toMatchObject({ type: 'key.created', data: { name: `Read ${place}` } });

      await page.keyboard.press('Escape');
      await panel.waitFor({ state: 'hidden' });
      expect(await row.evaluate((element) => element === document.activeElement)).toBe(true);
      expect(complaints).toEqual([]);
    });

    it('says when events cannot be read, and reads them again', async () => {
      const { page } = await scene().openWindow('/keys');
      await readsAgain(page, 'Events', 'Events', page.getByRole('list', { name: 'Events' }));
    });

    it('is documented with every type, and publishes their schemas', async () => {
      const { page } = await scene().openWindow('/docs/events');
      await page.getByRole('heading', { name: /^Events/, level: 2 }).waitFor();
      await page.getByText('Example: wallet.low').click();
      await page.getByText('"threshold": "50"').waitFor();
      const links = await page
        .getByRole('link', { name: 'Version 1' })
        .evaluateAll((all) => all.map((a) => (a as HTMLAnchorElement).href));
      expect(links.length).toBeGreaterThanOrEqual(16);
      const schema = (await (await fetch(links[0]!)).json()) as { $id: string; title: string };
      expect(schema).toMatchObject({ $id: new URL(links[0]!).pathname, title: 'video.uploaded' });
    });
  });
}
