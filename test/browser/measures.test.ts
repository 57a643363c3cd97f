import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { launchChromium } from '../support/browser/browser.js';
import { palePlaceholders } from './measures.js';
import { ringFaults } from './rings.js';

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

it.each([
  ['the ring of all', '', []],
  ['no ring', 'button { outline: none }', ['has no focus ring']],
  ['a thin one', 'button { outline-width: 1px }', ['has another focus ring: 1px solid rgb(11, 116, 133)']],
  ['one of another color', 'button { outline-color: red }', ['has another focus ring: 2px solid rgb(255, 0, 0)']],
  ['one that cannot be seen', 'div { background: rgb(0 130 150) }', ['has a focus ring with a contrast of 1.2']],
  ['one that its box cuts off', 'div { overflow: hidden }', ['has a focus ring of which div "Save" cuts off 4.0 px']],
  ['one that leaves the window', 'div { margin-left: -12px }', ['has a focus ring that leaves the window']],
  ['the ring around its box', 'button { outline: none } div:focus-within { outline: 2px solid #0b7485 }', []],
  ['only that of something hidden', 'button { opacity: 0 }', ['has no focus ring']],
])('sees that what has the focus has %s', async (_name, style, faults) => {
  const page = await browser.newPage();
  await page.setContent(`<style>:root { --dhara-focus: #0b7485 } body { margin: 12px }
    :where(:focus-visible) { outline: 2px solid var(--dhara-focus); outline-offset: 2px } ${style}</style>
    <div><button>Save</button></div>`);
  expect(await ringFaults(page)).toEqual(faults.map((fault) => `button "Save" ${fault}`));
  await page.close();
});

it('a page may close while a request of it is answered', async () => {
  const page = await browser.newPage();
  const asked = Promise.withResolvers<void>();
  await page.route('http://example.test/**', async (route) => {
    asked.resolve();
    await page.evaluate(() => new Promise(() => undefined));
    await route.abort();
  });
  await page.evaluate(() => void fetch('http://example.test/').catch(() => undefined));
  await asked.promise;
  await page.close();
});
