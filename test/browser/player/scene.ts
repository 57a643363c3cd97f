import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { Client } from 'pg';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';

import { findFreePort } from '../../support/freePort.js';
import { installVirtualClock, setClockOffset } from '../../../src/db/virtualClock.js';
import { launchChromium, openPage } from '../../support/browser/browser.js';
import { connectToEmbedded, embeddedUrl } from '../../support/browser/ledgerSeed.js';
import { makeDemoDataDir } from '../../support/demoDataDir.js';
import { ServiceProcess, type Demo } from '../../support/service.js';
import { Site } from '../../support/player/site.js';

const run = promisify(execFile);
export const ROOT = join(import.meta.dirname, '../../..');

/** The service with a video from the real pipeline, a third-party site, and a browser. */
export class Scene {
  private aheadMs = 0;

  private constructor(
    private readonly folder: Awaited<ReturnType<typeof makeDemoDataDir>>,
    private readonly migrationUrl: string,
    readonly service: ServiceProcess,
    readonly demo: Demo,
    readonly site: Site,
    readonly browser: Browser,
    private readonly rows: Client,
  ) {}

  static async start(): Promise<Scene> {
    await run(process.execPath, ['src/setup/build.mjs', 'dashboard', 'player'], { cwd: ROOT });
    const folder = await makeDemoDataDir();
    const port = String(await findFreePort());
    const service = ServiceProcess.start(['all'], { DATA_DIR: folder.path, PORT: port, LOG_LEVEL: 'warn' });
    const [demo, browser] = await Promise.all([service.demo(), launchChromium()]);
    const migrationUrl = await embeddedUrl(folder.path);
    await installVirtualClock(migrationUrl);
    const rows = await connectToEmbedded(folder.path);
    return new Scene(folder, migrationUrl, service, demo, await Site.start(demo.url, folder.path), browser, rows);
  }

  /** Videos that keep playing in abandoned pages would slow down the next tests. */
  async closePages(): Promise<void> {
    await Promise.all(this.browser.contexts().map((context) => context.close()));
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.site.stop();
    await this.rows.end();
    await this.service.stop('SIGKILL');
    await this.folder.remove();
  }

  /** A fresh playback token, as the page's own server gets it. */
  async mint(): Promise<string> {
    const response = await fetch(`${this.demo.url}/v1/video/${this.demo.videoId}/playback-token`, {
      method: 'POST',
      headers: { 'x-service-key': this.demo.apiKey },
    });
    return ((await response.json()) as { data: { token: string } }).data.token;
  }

  /** Moves the service's clock forward, and never back: a key that has minted after midnight stays on that day. */
  async wait(minutes: number): Promise<void> {
    this.aheadMs += minutes * 60_000;
    await setClockOffset(this.migrationUrl, this.aheadMs);
  }

  async sql(text: string): Promise<void> {
    await this.rows.query(text);
  }

  /** Opens a page of the site with this body. The script is the service's module unless `head` says otherwise. */
  async open(path: string, body: string, options: BrowserContextOptions & { head?: string } = {}) {
    const { head, ...context } = options;
    const opened = await openPage(this.browser, this.site.url, context);
    await opened.page.goto(this.site.page(path, body, head));
    return opened;
  }
}

/** `<dhara-player …>` */
export function tag(attributes: Record<string, string>): string {
  const given = Object.entries(attributes).map(([name, value]) => `${name}="${value}"`);
  return `<dhara-player ${given.join(' ')}></dhara-player>`;
}

/** Waits until the video has played to this position. */
export async function playedTo(page: Page, seconds: number): Promise<void> {
  await page.waitForFunction((until) => document.querySelector('dhara-player')!.currentTime > until, seconds);
}

/** It began to play here, and nowhere before, in seconds. A busy browser says so late, and may wait for data later on. */
export function expectStart(positions: readonly number[], seconds: number): void {
  expect(Math.min(...positions)).toBeGreaterThan(seconds - 0.1);
  expect(Math.min(...positions)).toBeLessThan(seconds + 2);
}

/** The player's current state and display; times in whole seconds. */
export function read(page: Page) {
  return page.evaluate(() => {
    const player = document.querySelector('dhara-player')!;
    const { state, paused, volume, muted, playbackRate, quality } = player;
    const qualities = player.qualities.map(({ height }) => height);
    const isFull = document.fullscreenElement === player;
    const [seconds, duration] = [player.currentTime, player.duration].map(Math.round);
    return { state, paused, seconds, duration, volume, muted, playbackRate, quality, qualities, isFull };
  });
}
