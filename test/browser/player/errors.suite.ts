import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import '../../../src/player/index.js';
import { keepScreenshot } from '../../support/browser/browser.js';
import { playedTo, read, tag, type Scene } from './scene.js';

async function play(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Play/ }).first().click();
}

/** All error events that the page receives from now on. */
async function errorsOf(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const player = document.querySelector('dhara-player')!;
    player.addEventListener('error', ({ detail }) =>
      player.setAttribute('data-errors', `${player.dataset['errors'] ?? ''} ${detail.code}`),
    );
  });
  return () => page.evaluate(() => (document.querySelector('dhara-player')!.dataset['errors'] ?? '').trim().split(' '));
}

/** What keeps a video from playing, and what happens then. */
export function theErrors(scene: () => Scene): void {
  describe('a page left open', () => {
    it('plays hours later, with a token that its provider returns then', async () => {
      const { page } = await scene().open('/late', tag({ token: await scene().mint() }));
      await page.exposeFunction('mint', () => scene().mint());
      await page.evaluate(() => {
        const player = document.querySelector('dhara-player')!;
        player.tokenProvider = (reason) => {
          player.dataset['reason'] = reason;
          return (globalThis as unknown as { mint(): Promise<string> }).mint();
        };
      });
      await scene().wait(180);
      await play(page);
      await playedTo(page, 0.2);
      expect(await page.locator('dhara-player').getAttribute('data-reason')).toBe('expired');
    });

    it('can show title, poster and duration ahead, with the same single exchange', async () => {
      const token = await scene().mint();
      const asked: string[] = [];
      const { page } = await scene().open('/ahead', '');
      page.on('request', (request) => asked.push(request.url()));
      await page.evaluate((given) => {
        const player = document.createElement('dhara-player');
        player.token = given;
        player.setAttribute('preload', 'metadata');
        document.querySelector('main')!.append(player);
      }, token);
      await page.getByRole('button', { name: 'Play Twenty seconds of colour' }).waitFor();
      await page.locator('video[poster*="/media/posters/"]').waitFor();
      expect(asked.filter((url) => url.includes('.m3u8'))).toEqual([]);
      await play(page);
      await playedTo(page, 0.2);
      expect(asked.filter((url) => url.includes('/playback/manifest/'))).toHaveLength(1);
    });

    it('resumes where it was after the grant in the stream’s address has expired', async () => {
      const { page } = await scene().open('/refused', tag({ token: await scene().mint(), 'start-time': '6' }));
      const errors = await errorsOf(page);
      let exchanges = 0;
      page.on('request', (request) => (exchanges += request.url().includes('/playback/manifest/') ? 1 : 0));
      const refusal = { success: false, error: { code: 'FORBIDDEN', message: '', status: 403 } };
      await page.route(/index\.m3u8/, (route) => route.fulfill({ status: 403, json: refusal }), { times: 1 });
      await play(page);
      await playedTo(page, 6.2);
      expect(exchanges).toBe(2);
      expect(await errors()).toEqual(['']);
    });

    it('says what to do if there is no provider', async () => {
      const { page } = await scene().open('/expired', tag({ token: await scene().mint() }));
      const errors = await errorsOf(page);
      await scene().wait(6);
      await play(page);
      await page.getByRole('alert').getByText('This link has expired').waitFor();
      expect(await errors()).toEqual(['PLAYBACK_TOKEN_EXPIRED']);
      await keepScreenshot(page, 'player-expired');
    });

    it('uses a fresh token for the current video without interruption, and another video at once', async () => {
      const { page } = await scene().open('/fresh', tag({ token: await scene().mint(), loop: '' }));
      await play(page);
      await playedTo(page, 0.5);
      const kept = await page.evaluate(
        (token) => {
          const player = document.querySelector('dhara-player')!;
          player.token = token;
          return { state: player.state, paused: player.paused };
        },
        await scene().mint(),
      );
      expect(kept).toEqual({ state: 'ready', paused: false });
      await page.evaluate(() => (document.querySelector('dhara-player')!.token = 'another'));
      expect((await read(page)).state).toBe('idle');
    });
  });

  describe('the player, if something goes wrong', () => {
    it.each([
      ['INVALID_PLAYBACK_TOKEN', 'This link does not work', 'select 1', 'select 1'],
      [
        'VIDEO_NOT_FOUND',
        'no longer here',
        'update video set deleted_at = now()',
        'update video set deleted_at = null',
      ],
      [
        'ACCOUNT_SUSPENDED',
        'This video is not available',
        'update account set suspended_at = now()',
        'update account set suspended_at = null',
      ],
      [
        'DOMAIN_NOT_ALLOWED',
        'may not play on this site',
        `update account set allowed_domains = '{shop.example}'`,
        `update account set allowed_domains = '{}'`,
      ],
    ])('explains it in words: %s', async (code, words, before, after) => {
      const token = code === 'INVALID_PLAYBACK_TOKEN' ? 'cut-short' : await scene().mint();
      const { page } = await scene().open(`/${code}`, tag({ token }));
      const errors = await errorsOf(page);
      await scene().sql(before);
      try {
        await play(page);
        await page.getByRole('alert').getByText(words).waitFor();
        expect(await errors()).toEqual([code]);
        expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
      } finally {
        await scene().sql(after);
      }
    });

    it('waits for a video that is still processing, and starts by itself', async () => {
      const { page } = await scene().open('/waiting', tag({ token: await scene().mint() }));
      await scene().sql(
        `create table kept as select id, playable_rungs from video; update video set playable_rungs = '{}'`,
      );
      await play(page);
      await page.getByText('This video is still processing').waitFor();
      expect((await read(page)).state).toBe('waiting');
      await keepScreenshot(page, 'player-waiting');
      await scene().sql(`update video v set playable_rungs = k.playable_rungs from kept k where k.id = v.id`);
      await playedTo(page, 0.2);
    });

    it('resumes where the network interrupted it', async () => {
      const { page } = await scene().open('/network', tag({ token: await scene().mint(), 'start-time': '9' }));
      const errors = await errorsOf(page);
      await page.route(/hls-[\w-]+\.mjs|\/media\//, (route) => route.abort('connectionreset'));
      await play(page);
      await page.getByRole('alert').getByText('The connection was lost').waitFor();
      expect(await errors()).toEqual(['NETWORK']);
      await page.unrouteAll();
      await page.getByRole('button', { name: 'Try again' }).click();
      await playedTo(page, 9.2);
    });
  });
}
