import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { launchFirefox, launchWebKit, until, type OtherBrowser } from '../../support/browser/otherBrowsers.js';
import { IS_FULL } from '../../support/effort.js';
import { expectStart, ROOT, tag, type Scene } from './scene.js';

const run = promisify(execFile);

/** Chromium has these cases in the other suites. */
const BROWSERS: [string, () => Promise<OtherBrowser>][] = [
  ['Firefox ESR', launchFirefox],
  ['WebKitGTK', launchWebKit],
];

const PLAYER = `const player = document.querySelector('dhara-player'); const shadow = player.shadowRoot;`;
const isStream = (path: string) => /\.(m3u8|m4s|mp4)$/.test(path);

/** The player's defects that were seen in Firefox and WebKit. With `TEST_FULL=1` only: it takes minutes. */
export function theOtherBrowsers(scene: () => Scene): void {
  describe.runIf(IS_FULL).each(BROWSERS)('the player in %s', (name, launch) => {
    let browser: OtherBrowser;
    beforeAll(async () => {
      await run(process.execPath, ['src/setup/build.mjs', 'dashboard'], { cwd: ROOT });
      browser = await launch();
    });
    afterEach(() => {
      scene().site.fault = () => undefined;
    });
    afterAll(() => browser?.close());

    /** Opens a page whose player uses the faulty connection. Muted, since browsers block sound before a click. */
    async function open(path: string, attributes: Record<string, string> = {}, head?: string): Promise<void> {
      const html = tag({ token: await scene().mint(), api: scene().site.faulty, muted: '', ...attributes });
      await browser.goto(scene().site.page(`/${encodeURIComponent(name)}${path}`, html, head));
      await until(browser, `return customElements.get('dhara-player') !== undefined`, 'the script has run');
    }

    const player = <Result>(body: string) => browser.run<Result>(`${PLAYER} ${body}`);
    const reaches = (body: string, what: string) => until(browser, `${PLAYER} ${body}`, what);
    const playsFrom = (seconds: number) =>
      reaches(`return player.currentTime > ${seconds} && !player.paused`, `it plays from ${seconds} s`);
    /** Waits until an alert in the player shows these words. */
    const says = (words: string) =>
      reaches(
        `return [...shadow.querySelectorAll('[role=alert]')].some((one) => one.checkVisibility() && one.textContent.includes(${JSON.stringify(words)}))`,
        `it says “${words}”`,
      );
    const press = (label: string) =>
      player(
        `const button = [...shadow.querySelectorAll('button')].find((one) => (one.getAttribute('aria-label') ?? one.textContent).trim().startsWith(${JSON.stringify(label)}) && one.checkVisibility()); if (!button) throw new Error('no such button'); button.click();`,
      );
    const noteStarts = () =>
      player(`globalThis.found = []; player.addEventListener('playing', () => found.push(player.currentTime));`);
    const starts = () => browser.run<number[]>('return found');

    it('continues where it was after two failed attempts', async () => {
      await open('/twice');
      await noteStarts();
      scene().site.fault = (path) => (path.endsWith('.m3u8') ? 'lost' : undefined);
      await player('player.currentTime = 9; player.play();');
      await says('The connection was lost');
      const askedBefore = scene().site.asked.length;
      await press('Try again');
      await scene().service.until(() => scene().site.asked.slice(askedBefore).some(isStream), 'it has tried again');
      await says('The connection was lost');
      scene().site.fault = () => undefined;
      await press('Try again');
      await playsFrom(9.2);
      expectStart(await starts(), 9);
    });

    it('continues by itself when the browser is online again', async () => {
      await open('/online');
      await noteStarts();
      scene().site.fault = () => 'lost';
      await player('player.currentTime = 9; player.play();');
      await says('The connection was lost');
      scene().site.fault = () => undefined;
      await browser.run(`dispatchEvent(new Event('online'))`);
      await playsFrom(9.2);
      expectStart(await starts(), 9);
    });

    it('offers another try when a segment is missing', async () => {
      await open('/segment');
      scene().site.fault = (path) => (/\.(m4s|mp4)$/.test(path) ? 404 : undefined);
      await player('player.play();');
      await says('The video service is briefly away');
      scene().site.fault = () => undefined;
      await press('Try again');
      await playsFrom(0.2);
    });

    it('says that the video is gone when its master playlist is', async () => {
      await open('/master');
      scene().site.fault = (path) => (path.endsWith('.m3u8') ? 404 : undefined);
      await player('player.play();');
      await says('This video is no longer here');
    });

    it('shows captions again after they were switched off', async () => {
      await open('/captions', { api: scene().site.rich, captions: 'en' });
      await player('player.play();');
      const isSeen = (seen: boolean) =>
        reaches(
          `const cue = [...shadow.querySelectorAll('*')].findLast((one) => one.textContent.includes('The river is')); return (cue?.checkVisibility() ?? false) === ${seen};`,
          seen ? 'captions are seen' : 'captions are not seen',
        );
      const pressC = () =>
        player(
          `shadow.querySelector('button').dispatchEvent(new KeyboardEvent('keydown', { key: 'c', bubbles: true, composed: true }));`,
        );
      await isSeen(true);
      await pressC();
      await isSeen(false);
      await pressC();
      await isSeen(true);
    });

    it('keeps properties that were set before the script arrives, and does not play with autoplay="false"', async () => {
      await browser.goto(
        scene().site.page(
          `/${encodeURIComponent(name)}/early`,
          '<dhara-player muted autoplay="false" playbackRate="1.5"></dhara-player>',
          '',
        ),
      );
      const early = { quality: 480, currentTime: 9, api: scene().demo.url, token: await scene().mint() };
      await browser.run(`
      Object.assign(document.querySelector('dhara-player'), ${JSON.stringify(early)});
      const script = document.createElement('script');
      script.type = 'module';
      script.src = ${JSON.stringify(`${scene().demo.url}/player/dhara-player.mjs`)};
      document.head.append(script);
    `);
      await reaches(`return player.hasAttribute('state')`, 'it has started');
      expect(
        await player(`return [player.state, player.paused, player.currentTime, player.quality, player.playbackRate]`),
      ).toEqual(['idle', true, 9, 480, 1.5]);
      await player('player.play();');
      await playsFrom(9.2);
    });

    it('keeps position and quality when the element is moved', async () => {
      await open('/moved');
      await player('player.quality = 480; player.currentTime = 9; player.play();');
      await playsFrom(9.2);
      const exchanges = () => scene().site.asked.filter((path) => path.includes('/playback/manifest/')).length;
      const before = exchanges();
      const leftAtSeconds = await player<number>(
        `const { currentTime } = player; player.remove(); await new Promise((done) => setTimeout(done)); document.querySelector('main').append(player); return currentTime;`,
      );
      expect(await player(`return [player.state, player.paused, player.quality]`)).toEqual(['idle', true, 480]);
      expect(await player(`return player.currentTime`)).toBeCloseTo(leftAtSeconds, 1);
      await noteStarts();
      await player('player.play();');
      await playsFrom(leftAtSeconds + 0.3);
      expectStart(await starts(), leftAtSeconds);
      expect(exchanges()).toBe(before);
    });

    it('says on the watch page that a link cut within a character does not work', async () => {
      await browser.goto(`${scene().demo.url}/watch#%E0%A4%A`);
      await until(
        browser,
        `const alert = document.querySelector('dhara-player')?.shadowRoot?.querySelector('[role=alert]');
       return alert?.checkVisibility() && alert.textContent.includes('This link does not work')`,
        'it says that the link does not work',
      );
    });
  });
}
