import { describe, expect, it } from 'vitest';

import { look } from './look.js';
import type { Scene } from './scene.js';
import { openPage } from './window.js';

const LOOKS = [
  ['on a desktop', { width: 1280, height: 800 }],
  ['on a phone', { width: 390, height: 844 }],
] as const;

export function theApiReference(scene: () => Scene): void {
  describe('the API reference', () => {
    it('shows every operation of the OpenAPI document', async () => {
      const { url } = scene().demo;
      const { page } = await openPage(scene().browser, url);
      await page.goto('/docs/api');
      const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as {
        paths: Record<string, Record<string, { summary: string }>>;
      };
      const summaries = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ summary }) => summary));
      expect(summaries.length).toBeGreaterThan(3);
      for (const name of summaries) {
        await page.getByRole('heading', { name, exact: true, level: 2 }).waitFor();
        await page.getByRole('form', { name, exact: true }).getByRole('button', { name: 'Send' }).waitFor();
      }
    });

    it.for(LOOKS)('sends requests with a key and shows the responses, %s', async ([place, viewport]) => {
      const { url, apiKey, videoId } = scene().demo;
      const { page, complaints } = await openPage(scene().browser, url, { viewport });
      const origins = new Set<string>();
      page.on('request', (request) => origins.add(new URL(request.url()).origin));
      const faults: string[] = [];
      await page.goto('/docs/api');

      // Without a key, the page shows the service's own refusal.
      const list = page.getByRole('form', { name: 'List your videos' });
      await list.getByRole('button', { name: 'Send' }).click();
      await list.getByText(/^401 /).waitFor();
      await list.getByRole('region').getByText('INVALID_API_KEY').waitFor();

      await page.getByLabel('API key', { exact: true }).fill(apiKey);
      await list.getByLabel('limit').fill('1');
      await list.getByLabel('status').selectOption('ready');
      await list.getByRole('button', { name: 'Send' }).click();
      await list.getByText(/^200 OK · \d+ ms$/).waitFor();
      const listed = JSON.parse(await list.getByRole('region').innerText()) as { data: { id: string }[] };
      expect(listed.data.map(({ id }) => id)).toEqual([videoId]);

      const mint = page.getByRole('form', { name: 'playback token' });
      await mint.getByLabel('videoId').fill(videoId);
      await mint.getByRole('button', { name: 'Send' }).click();
      await mint.getByText(/^200 OK · \d+ ms · \d+ tokens left today$/).waitFor();
      const minted = JSON.parse(await mint.getByRole('region').innerText()) as { data: { token: string } };

      const manifest = page.getByRole('form', { name: 'Exchange a token' });
      await manifest.getByRole('textbox', { name: 'token' }).fill(minted.data.token);
      await manifest.getByRole('button', { name: 'Send' }).click();
      await manifest.getByText(/^200 OK/).waitFor();

      // A parameter that the service refuses is shown with its reason.
      await list.getByLabel('limit').fill('0&limit=5');
      await list.getByRole('button', { name: 'Send' }).click();
      await list.getByText(/^400 /).waitFor();

      faults.push(...(await look(page, `api-reference-${place.replaceAll(' ', '-')}`)));
      expect(faults).toEqual([]);
      expect(complaints).toEqual([]);
      expect([...origins]).toEqual([new URL(url).origin]);
      expect(await page.evaluate(() => [localStorage.length, sessionStorage.length])).toEqual([0, 0]);
    });
  });
}
