import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { launchChromium } from '../support/browser/browser.js';
import { palePlaceholders } from './measures.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());

it.each([
  ['an opaque color', '::placeholder { color: #555 }', []],
  ['a pale color', '::placeholder { color: #aaa }', ['2.3']],
  ['a color that lets the background through', '::placeholder { color: rgb(0 0 0 / 33%) }', ['2.3']],
  ['an opacity', '::placeholder { color: #000; opacity: 33% }', ['2.3']],
  ['a background that lets the one below through', 'input { background: rgb(0 0 0 / 50%) }', ['1.9']],
])('sees how pale a placeholder is that has %s', async (_name, style, contrasts) => {
  const page = await browser.newPage();
  await page.setContent(`<style>input { background: #fff } ::placeholder { color: #555 } ${style}</style>
    <input placeholder="Title" />`);
  const found = await palePlaceholders(page);
  expect(found.map((fault) => fault.split(' ').at(-1))).toEqual(contrasts);
  await page.close();
});
