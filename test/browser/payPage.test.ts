import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { SandboxScene } from '../support/sandbox/scene.js';
import { axeFaults } from '../support/browser/axe.js';
import { keepScreenshot, launchChromium, openPage } from '../support/browser/browser.js';

const PHONE = { width: 360, height: 740 };

let browser: Browser;
let scene: SandboxScene;
beforeAll(async () => {
  [browser, scene] = await Promise.all([launchChromium(), SandboxScene.start()]);
});
afterAll(() => Promise.all([browser?.close(), scene?.stop()]));

const LOOKS: [string, BrowserContextOptions][] = [
  ['light', { colorScheme: 'light' }],
  ['dark', { colorScheme: 'dark' }],
  ['phone', { colorScheme: 'light', viewport: PHONE }],
  ['phone-dark', { colorScheme: 'dark', viewport: PHONE }],
];

it.each(LOOKS)('the pay page can be read and used by everybody: %s', async (name, look) => {
  const { page } = await openPage(browser, scene.receiver.url, look);
  const opened = await scene.open('razorpay');
  await page.goto(opened.page.url);
  await keepScreenshot(page, `pay-page-${name}`);
  expect(await faultsOf()).toEqual([]);

  await page.getByRole('button', { name: 'Pay now' }).click();
  await page.waitForURL(opened.returnUrl);
  await scene.factsOf(3);
  await page.goto(opened.page.url);
  await page.getByRole('button', { name: 'Open a dispute' }).click();
  await page.getByRole('button', { name: 'Dhara wins' }).waitFor();
  await keepScreenshot(page, `pay-page-${name}-paid`);
  expect(await faultsOf()).toEqual([]);
  await scene.factsOf(4);
  await scene.receiver.forget();
  await page.context().close();

  async function faultsOf(): Promise<string[]> {
    const isWider = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    return [...(await axeFaults(page)), ...(isWider ? ['wider than the window'] : [])];
  }
});

it('the pay page needs no script, obeys the content security policy, and works by keyboard', async () => {
  const { page, complaints } = await openPage(browser, scene.receiver.url, { javaScriptEnabled: false });
  const opened = await scene.open('stripe');
  await page.goto(opened.page.url);
  await page.getByLabel('Payer’s email').fill('somebody@example.org');
  await page.keyboard.press('Enter');
  await page.waitForURL(opened.returnUrl);
  const [fact] = await scene.factsOf(1);
  expect(fact).toMatchObject({ kind: 'captured', payers: ['email:somebody@example.org'] });

  await page.goto(opened.page.url);
  await page.getByLabel(/Refund in the provider/).fill('12.345');
  await page.getByRole('button', { name: 'Refund this amount' }).click();
  await page.getByRole('alert').waitFor();
  expect(await page.getByRole('alert').textContent()).toContain('10.50');
  expect(complaints).toEqual([]);
  await page.context().close();
});
