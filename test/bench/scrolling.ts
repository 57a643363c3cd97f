/**
 * What a step of scrolling costs the page, in the list of ten thousand videos and in a ledger of a hundred thousand
 * entries: processor time of the page's main thread, from scripts to layout. The baseline is a copy of the page that no
 * script keeps up to date: at each step, copies of as many rows are put in.
 */
import type { Browser, Page } from 'playwright-core';

import { findFreePort } from '../support/freePort.js';
import { seedVideos } from '../browser/manyVideos.js';
import { signIn } from '../browser/signIn.js';
import { launchChromium, openPage } from '../support/browser/browser.js';
import { bookManyMoves, connectToEmbedded } from '../support/browser/ledgerSeed.js';
import { makeDataDir } from '../support/dataDir.js';
import { ServiceProcess, type Demo } from '../support/service.js';
import { median } from './tails.js';

const VIDEOS = 10_000;
const MOVES = 50_000;
const PAIRS = 5;
const STEPS = 100;
/** Rows that are loaded before anything is measured. */
const LOADED = 1_200;
const TARGET = 2;

const folder = await makeDataDir();
const settings = { DATA_DIR: folder.path, PORT: String(await findFreePort()), LOG_LEVEL: 'warn' };
const service = ServiceProcess.start(['all'], settings);
const browser = await launchChromium();
try {
  const demo = await service.demo();
  const database = await connectToEmbedded(folder.path);
  const { rows } = await database.query<{ id: string }>('select account_id as id from video');
  await seedVideos(database, demo.email, VIDEOS);
  await bookManyMoves(database, rows[0]!.id, MOVES);
  await database.end();
  await measure(browser, demo, 'list of videos', '/videos');
  await measure(browser, demo, 'ledger', '/wallet/ledger?bucket=AI');
} finally {
  await browser.close();
  await service.stop();
  await folder.remove();
}

async function measure(chromium: Browser, demo: Demo, name: string, path: string): Promise<void> {
  const list = await openList(chromium, demo, path);
  const bare = await openList(chromium, demo, path);
  await bare.evaluate(copyWithoutScripts);
  const pairs: { listMs: number; bareMs: number }[] = [];
  for (let nth = 0; nth < PAIRS; nth += 1) pairs.push({ listMs: await stepMs(list), bareMs: await stepMs(bare) });
  await Promise.all([list, bare].map((page) => page.context().close()));
  const ratios = pairs.map(({ listMs, bareMs }) => listMs / bareMs);
  const ratio = median(ratios);
  const isMet = ratio <= TARGET;
  console.log(
    `${isMet ? 'ok    ' : 'MISSED'} scrolling the ${name}: ${ratio.toFixed(2)} × the bare page (target at most ${TARGET}; ` +
      `${ratios.map((each) => each.toFixed(2)).join(' ')}), ${median(pairs.map(({ listMs }) => listMs)).toFixed(1)} ms a ` +
      `step against ${median(pairs.map(({ bareMs }) => bareMs)).toFixed(1)}`,
  );
  if (!isMet) process.exitCode = 1;
}

/** A page of its own with a list, of which many rows are loaded. */
async function openList(chromium: Browser, demo: Demo, path: string): Promise<Page> {
  const { page } = await openPage(chromium, demo.url);
  await signIn(page, demo);
  await page.goto(path);
  await page.locator('[aria-rowindex="2"]').waitFor();
  await page.evaluate(async (goal) => {
    for (;;) {
      const places = [...document.querySelectorAll('[aria-rowindex]')].map((row) => Number(row.ariaRowIndex));
      if (Math.max(...places) >= goal) return;
      scrollTo(0, document.body.scrollHeight);
      await new Promise(requestAnimationFrame);
    }
  }, LOADED);
  return page;
}

/** Puts a copy in the place of the page, which leaves the page's scripts without it. */
function copyWithoutScripts(): void {
  const root = document.querySelector('#root')!;
  const copy = root.cloneNode(true) as Element;
  root.replaceWith(copy);
  const box = copy.querySelector('[data-index]')!.parentElement!;
  const lines = [...box.children] as HTMLElement[];
  const heightPx = lines[0]!.offsetHeight;
  addEventListener('scroll', () => {
    const top = Math.max(0, -box.getBoundingClientRect().top);
    const shown = lines.map((line, nth) => {
      const shownLine = line.cloneNode(true) as HTMLElement;
      shownLine.style.transform = `translateY(${top + nth * heightPx}px)`;
      return shownLine;
    });
    box.replaceChildren(...shown);
  });
}

/** Processor time of the page per step of the way back to the top, in milliseconds. */
async function stepMs(page: Page): Promise<number> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Performance.enable');
  const busySeconds = async (): Promise<number> =>
    (await devTools.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')!.value;
  const before = await busySeconds();
  await page.evaluate(async (steps) => {
    for (let step = steps; step >= 0; step -= 1) {
      scrollTo(0, (document.body.scrollHeight * step) / steps);
      await new Promise(requestAnimationFrame);
    }
  }, STEPS);
  const after = await busySeconds();
  await devTools.detach();
  return ((after - before) * 1000) / STEPS;
}
