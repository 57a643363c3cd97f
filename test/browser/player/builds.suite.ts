import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';

import type { FrameLocator } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import '../../../src/player/index.js';
import { openPage } from '../../support/browser/browser.js';
import { mediaFolder } from '../../support/media.js';
import { playedTo, ROOT, tag, type Scene } from './scene.js';

const run = promisify(execFile);
const DIST = join(ROOT, 'dist/player');
const MAX_BYTES = 15_000;

/** The published files, and third-party pages that use them. */
export function theBuilds(scene: () => Scene): void {
  describe('the files of the player', () => {
    it.each(['dhara-player.mjs', 'dhara-player.js'])('%s is small without hls.js', async (name) => {
      const size = gzipSync(await readFile(join(DIST, name)), { level: 9 }).length;
      expect(size).toBeLessThanOrEqual(MAX_BYTES);
    });

    it('can be imported without a document, by the module and by the script', async () => {
      const program = `
      const { DharaPlayer } = await import(${JSON.stringify(join(DIST, 'dhara-player.mjs'))});
      await import('node:vm').then(({ runInThisContext }) => runInThisContext(${JSON.stringify(
        await readFile(join(DIST, 'dhara-player.js'), 'utf8'),
      )}));
      console.log(typeof DharaPlayer, typeof globalThis.Dhara.DharaPlayer, typeof globalThis.customElements);`;
      const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program]);
      expect(stdout.trim()).toBe('function function undefined');
    });

    it('include types that a TypeScript page can use', async () => {
      await using folder = await mediaFolder();
      const use = (line: string) => `import { DharaPlayer, type Manifest } from './dhara-player.js';
      const player = document.createElement('dhara-player');
      player.tokenProvider = async (reason) => (reason === 'expired' ? 'a' : 'b');
      player.addEventListener('error', ({ detail }) => detail.code === 'NETWORK');
      player.addEventListener('timeupdate', () => undefined);
      export const manifest: Manifest | null = new DharaPlayer().manifest;
      export const viewId: string | null = new DharaPlayer().viewId;
      ${line}`;
      await writeFile(join(folder.path, 'dhara-player.d.ts'), await readFile(join(DIST, 'dhara-player.d.ts')));
      await writeFile(join(folder.path, 'right.ts'), use(`void player.play();`));
      await writeFile(join(folder.path, 'wrong.ts'), use(`player.tokenProvider = 5;`));
      const check = (name: string) =>
        run(join(ROOT, 'node_modules/.bin/tsc'), ['--noEmit', '--strict', '--lib', 'es2023,dom', '--types', '', name], {
          cwd: folder.path,
        });
      await check('right.ts');
      await expect(check('wrong.ts')).rejects.toThrow();
    });

    it('are open to every site, compressed and cached', async () => {
      const ask = (path: string, encoding: string) =>
        fetch(`${scene().demo.url}${path}`, { headers: { 'accept-encoding': encoding } });
      for (const [encoding, type] of [
        ['br', 'br'],
        ['gzip', 'gzip'],
        ['identity', null],
      ] as const) {
        const answer = await ask('/player/dhara-player.mjs', encoding);
        expect(answer.headers.get('content-encoding')).toBe(type);
        expect(answer.headers.get('content-type')).toContain('text/javascript');
        expect(answer.headers.get('access-control-allow-origin')).toBe('*');
        expect(answer.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
        expect(await answer.text()).toContain('dhara-player');
      }
      const hls = /hls-[\w-]+\.mjs/.exec(await readFile(join(DIST, 'dhara-player.js'), 'utf8'))?.[0];
      expect((await ask(`/player/${hls}`, 'br')).headers.get('cache-control')).toContain('immutable');
      expect((await ask('/player/nothing.js', 'br')).status).toBe(404);
      expect((await ask('/player/embed.html', 'br')).status).toBe(404);
      const posted = await fetch(`${scene().demo.url}/player/dhara-player.mjs`, { method: 'POST' });
      expect(posted.status).toBe(404);
      expect(posted.headers.get('content-encoding')).toBe(null);
    });
  });

  describe('on a page of another site', () => {
    it('the script tag plays, and knows its service', async () => {
      const head = `<script src="${scene().demo.url}/player/dhara-player.js"></script>`;
      const { page, complaints } = await scene().open('/script', tag({ token: await scene().mint() }), { head });
      await page.getByRole('button', { name: 'Play' }).click();
      await playedTo(page, 0.2);
      expect(complaints).toEqual([]);
    });

    it('the frame plays, obeys commands, reports events, and accepts a fresh token', async () => {
      const html = `<iframe src="${scene().demo.url}/embed#token=cut-short&muted" width="640" height="360" title="A video" allow="autoplay"></iframe>`;
      const { page, complaints } = await scene().open('/frame', html, { head: '' });
      await page.exposeFunction('mint', () => scene().mint());
      await page.evaluate(() => {
        const { contentWindow } = document.querySelector('iframe')!;
        const told: unknown[] = [];
        Object.assign(globalThis, { told });
        addEventListener('message', ({ data }: MessageEvent<{ dhara: string }>) => {
          told.push(data);
          if (data.dhara !== 'token-needed') return;
          void (globalThis as unknown as { mint(): Promise<string> })
            .mint()
            .then((token) => contentWindow!.postMessage({ dhara: 'token', token }, '*'));
        });
      });
      await page.frameLocator('iframe').getByRole('button', { name: 'Play' }).click();
      const says = (expected: object) =>
        expect
          .poll(() => page.evaluate(() => (globalThis as unknown as { told: object[] }).told))
          .toContainEqual(expect.objectContaining(expected));
      await says({ dhara: 'token-needed', reason: 'expired' });
      await says({ dhara: 'state', state: 'ready', paused: false, muted: true, title: 'Twenty seconds of colour' });
      const send = (message: object) =>
        page.evaluate((data) => document.querySelector('iframe')!.contentWindow!.postMessage(data, '*'), message);
      await send({ dhara: 'pause' });
      await says({ dhara: 'state', paused: true });
      await send({ dhara: 'seek', seconds: 12 });
      await says({ dhara: 'state', paused: true, currentTime: 12, viewId: expect.stringMatching(/^[0-9a-f-]{36}$/) });
      expect(complaints).toEqual([]);
    });

    it('the allowed sites restrict the page around the frame', async () => {
      const show = async (): Promise<FrameLocator> => {
        const address = `${scene().demo.url}/embed#token=${await scene().mint()}`;
        const html = `<iframe src="${address}" title="A video" width="640" height="360"></iframe>`;
        const { page } = await scene().open('/framed', html, { head: '' });
        const frame = page.frameLocator('iframe');
        await frame.getByRole('button', { name: 'Play' }).click();
        return frame;
      };
      // If this test fails, its message has what the player says.
      const says = (frame: FrameLocator) =>
        expect.poll(() =>
          frame
            .locator('dhara-player')
            .evaluate(
              (player) => `${(player as HTMLElement & { state: string }).state}: ${player.shadowRoot!.textContent}`,
            ),
        );
      try {
        await scene().sql(`update account set allowed_domains = '{shop.example}'`);
        await says(await show()).toContain('may not play on this site');
        await scene().sql(`update account set allowed_domains = '{127.0.0.1}'`);
        await says(await show()).toMatch(/^ready/);
      } finally {
        await scene().sql(`update account set allowed_domains = '{}'`);
      }
    });

    it('only the embed page may be framed', async () => {
      const policyOf = async (path: string) =>
        (await fetch(`${scene().demo.url}${path}`)).headers.get('content-security-policy') ?? '';
      expect(await policyOf('/embed')).toContain('frame-ancestors *');
      for (const path of ['/', '/watch', '/videos', '/embed/', '/embed/more']) {
        expect(await policyOf(path), path).toContain("frame-ancestors 'none'");
      }
      const { page, complaints } = await openPage(scene().browser, scene().demo.url);
      await page.goto(`/embed#token=${await scene().mint()}&autoplay&muted`);
      await playedTo(page, 0.2);
      expect(complaints).toEqual([]);
    });
  });
}
