import { readFile } from 'node:fs/promises';

import type { Client } from 'pg';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { launchChromium } from '../support/browser/browser.js';
import { startDashboardService, type DashboardService } from './dashboardService.js';
import { look } from './look.js';
import { countMadeRows } from './madeRows.js';
import { colorOf } from './measures.js';
import { bookDebt, bookDraw, bookManyMoves, connectToEmbedded } from '../support/browser/ledgerSeed.js';
import { operationOf } from './operationOf.js';
import { allocate, topUp } from './topUp.js';
import { openPage, takeTurn } from './window.js';

/** Paid, and moved from Master to Creative, before the first test, so that no test needs another one. */
const TOPPED_UP = 640;
const ALLOCATED = 40;

const PAGES = ['/wallet', '/wallet/ledger', '/wallet/top-ups', '/wallet/documents', '/referrals'];

describe('money in the dashboard', () => {
  let admin: Client;
  let running: DashboardService;
  let browser: Browser;
  let page: Page;
  let complaints: string[];
  let accountId: string;

  beforeAll(async () => {
    [running, browser] = await Promise.all([startDashboardService(), launchChromium()]);
    admin = await connectToEmbedded(running.service.dataDir);
    ({ page, complaints } = await openPage(browser, running.demo.url));
    await page.goto('/wallet');
    await page.getByLabel('Email address').fill(running.demo.email);
    await page.getByLabel('Password', { exact: true }).fill(running.demo.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Wallet', level: 1 }).waitFor();
    const { rows } = await admin.query<{ id: string }>('select account_id as id from video');
    accountId = rows[0]!.id;
    await topUp(page, TOPPED_UP);
    await allocate(page, ALLOCATED);
  });

  beforeEach(() => takeTurn(page));

  afterAll(async () => {
    await browser?.close();
    await admin?.end();
    await running?.stop();
  });

  /**
   * The same user in a separate browser context: all tabs of one context share six connections, and each keeps two
   * open.
   */
  async function openWindow(path: string, options: BrowserContextOptions = {}): Promise<Page> {
    const storageState = await page.context().storageState();
    const opened = await openPage(browser, running.demo.url, { ...options, storageState });
    await opened.page.goto(path);
    await opened.page.getByRole('heading', { level: 1 }).waitFor();
    return opened.page;
  }

  const noticeIn = (tab: Page, text: string): Locator => tab.getByRole('region', { name: 'Notices' }).getByText(text);
  const balanceOf = (tab: Page): Locator => tab.getByRole('region', { name: 'Available' }).locator('p').first();

  it('pays on the sandbox’s pay page, and is credited without reloading the page', async () => {
    const watching = await openWindow('/wallet');
    const before = await balanceOf(watching).innerText();

    await page.goto('/wallet');
    await page.getByRole('button', { name: 'Add credits' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Add credits' });
    await dialog.getByLabel('Amount in rupees').fill('0.5');
    await dialog.getByRole('button', { name: 'Continue to payment' }).click();
    await dialog.getByText('Razorpay accepts ₹1 or more.', { exact: true }).waitFor();

    await dialog.getByLabel('Stripe').check();
    await dialog.getByRole('button', { name: '$50', exact: true }).click();
    await dialog.getByText(/This rate holds for 1 hour/).waitFor();
    expect(await look(page, 'wallet-add-dollars')).toEqual([]);
    await dialog.getByLabel('Razorpay').check();
    await dialog.getByLabel('Amount in rupees').fill('1000');
    await dialog.getByText('1,000.00').waitFor();
    await dialog.getByRole('button', { name: 'Pay ₹1,000' }).click();

    await page.getByRole('button', { name: 'Pay now' }).click();
    await page.getByRole('heading', { name: '1,000.00 credits arrived' }).waitFor();
    expect(await look(page, 'wallet-arrived')).toEqual([]);
    await watching.getByText('+1,000.00').waitFor();
    expect(await balanceOf(watching).innerText()).not.toBe(before);
    await watching.context().close();
  });

  it('says what an unpaid top-up waits for, and links back to the pay page', async () => {
    const tab = await openWindow('/wallet');
    await tab.getByRole('button', { name: 'Add credits' }).first().click();
    await tab.getByLabel('Amount in rupees').fill('75.50');
    await tab.getByRole('button', { name: 'Pay ₹75.50' }).click();
    await tab.getByRole('button', { name: 'Fail' }).click();
    await tab.getByRole('heading', { name: 'Waiting for Razorpay to confirm ₹75.50' }).waitFor();
    expect(await look(tab, 'wallet-waiting')).toEqual([]);
    await tab.getByRole('button', { name: 'Back to the pay page' }).click();
    await tab.getByRole('button', { name: 'Pay now' }).click();
    await tab.getByRole('heading', { name: '75.50 credits arrived' }).waitFor();
    await tab.context().close();
  });

  it('allocates credits by keyboard, by number and by dragging', async () => {
    await page.goto('/wallet');
    const creative = page.getByLabel('Creative', { exact: true });
    const before = Number(await creative.inputValue());
    await creative.fill(String(before + 100));
    await page.getByText('100.00 from Master to Creative').waitFor();

    // The edge between Cloud and AI: the credits only pass through Master.
    const edge = page.getByRole('slider', { name: 'Between Cloud and AI' });
    await edge.focus();
    await page.keyboard.press('Home');
    await page.getByText(/from Cloud to Master/).waitFor();
    await page.getByRole('button', { name: 'Reset' }).click();

    const handle = page.getByRole('slider', { name: 'Between Master and Creative' });
    const box = (await handle.boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 - 60, box.y + box.height / 2, { steps: 6 });
    await page.mouse.up();
    await page.getByText(/from Master to Creative/).waitFor();
    expect(await look(page, 'wallet-allocate')).toEqual([]);

    await creative.fill(String(before + 100));
    await page.getByRole('button', { name: 'Move credits' }).click();
    await noticeIn(page, 'Credits moved').waitFor();
    expect(Number(await creative.inputValue())).toBe(before + 100);
    await page.getByRole('button', { name: 'Move credits' }).waitFor({ state: 'hidden' });
  });

  it('lets each bucket draw from Master, or not', async () => {
    for (const bucket of ['Creative', 'Cloud']) {
      const switched = (tab: Page) => tab.getByRole('switch', { name: `Let ${bucket} draw from Master` });
      for (const isOn of [false, true]) {
        await page.goto('/wallet');
        await expect.poll(() => switched(page).isChecked()).toBe(!isOn);
        // Leaving the page earlier would abort the request.
        const saved = page.waitForResponse((response) => operationOf(response.request()) === 'SetAutomaticAllocation');
        await switched(page).press('Space');
        await saved;
        await page.reload();
        await expect.poll(() => switched(page).isChecked()).toBe(isOn);
      }
    }
  });

  it('warns of a low balance in yellow, and says how much is left', async () => {
    await page.goto('/wallet');
    const card = page.getByRole('form', { name: 'Low balance' });
    const save = async (amount: string) => {
      const toggle = card.getByRole('switch', { name: 'Email me' });
      if (!(await toggle.isChecked())) await toggle.press('Space');
      await card.getByLabel('Below, in credits').fill(amount);
      await card.getByRole('button', { name: 'Save' }).click();
      await noticeIn(page, 'Alert saved').waitFor();
    };
    await save('1000000');
    await page.goto('/');
    const notice = page.getByRole('main').getByRole('status').filter({ hasText: 'below your alert threshold' });
    await notice.getByText(/^[\d,.]+ credits left$/).waitFor();
    expect(await colorOf(notice)).toBe('yellow');
    expect(await look(page, 'home-low')).toEqual([]);
    await page.goto('/wallet');
    await save('50');
    await page.goto('/');
    await page.getByRole('region', { name: 'Credits' }).waitFor();
    expect(await notice.count()).toBe(0);
  });

  it('shows top-ups and moved credits in the ledger, filters it by the address, and links to the cause', async () => {
    await page.goto('/wallet');
    await page.getByRole('link', { name: 'Ledger' }).click();
    const table = page.getByRole('table', { name: /^Ledger/ });
    await table.getByText(`+${TOPPED_UP}.00`).waitFor();
    await table.getByText('Master to Creative').first().waitFor();

    await page.getByLabel('Kind').selectOption('TOPUP');
    await table.getByText('Master to Creative').first().waitFor({ state: 'detached' });
    await page.waitForURL(/type=TOPUP/);
    await page.reload();
    await table.getByText(`+${TOPPED_UP}.00`).waitFor();
    expect(await table.getByText('Allocation').count()).toBe(0);

    await page.getByLabel('From').fill('2001-01-01');
    await page.getByLabel('To', { exact: true }).fill('2001-12-31');
    await page.getByText('No matching entries').waitFor();
    await page.getByRole('button', { name: 'Show all entries' }).click();
    await table.getByRole('link', { name: 'Twenty seconds of colour' }).first().waitFor();

    await page.getByRole('combobox', { name: 'Video' }).fill('twenty');
    await page.getByRole('option', { name: 'Twenty seconds of colour' }).click();
    await page.waitForURL(/video=vid_/);
    await table.getByText(`+${TOPPED_UP}.00`).waitFor({ state: 'detached' });
    await table.getByText('Processing', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await table
      .getByRole('link', { name: /^Payment pay_/ })
      .first()
      .waitFor();
  });

  it('shows one row per job, which opens to its entries, and the same entries as a file', async () => {
    await page.goto('/wallet/ledger');
    const table = page.getByRole('table', { name: /^Ledger/ });
    const job = table.getByRole('row').filter({ hasText: 'Twenty seconds of colour' });
    const toggle = job.getByRole('button', { name: 'Show the entries of: Processing' });
    await toggle.waitFor();
    expect(await job.count()).toBe(1);
    expect(await toggle.getAttribute('aria-expanded')).toBe('false');
    await toggle.press('Enter');
    const parts = job.getByRole('list', { name: 'Entries of: Processing' }).getByRole('listitem');
    await parts.filter({ hasText: 'Set aside for processing' }).first().waitFor();
    const shown = await parts.count();
    expect(await look(page, 'wallet-ledger-open', { axeAtEverySize: true })).toEqual([]);
    await toggle.press('Enter');
    await parts.first().waitFor({ state: 'hidden' });

    await page.getByRole('switch', { name: 'One row per job' }).press('Space');
    await page.waitForURL(/rows=entries/);
    await expect.poll(() => job.count()).toBe(shown);
    await page.getByLabel('Kind').selectOption('TOPUP');
    const link = page.getByRole('link', { name: 'Download CSV' });
    await expect.poll(() => link.getAttribute('href')).toContain('TOPUP');
    const download = page.waitForEvent('download');
    await link.click();
    const csv = await readFile(await (await download).path(), 'utf8');
    expect(csv).toMatch(/,TOPUP,/);
    expect(csv).not.toMatch(/,ALLOCATION,/);
  });

  it('says what drew credits from Master by itself', async () => {
    const { rows } = await admin.query<{ id: string }>('select id from video');
    await bookDraw(admin, accountId, { bucket: 'CREATIVE', key: 'escrow:draw', reference: rows[0]!.id });
    await bookDraw(admin, accountId, { bucket: 'CLOUD', key: 'storage:draw', reference: '2026-01-02' });
    await page.goto('/wallet/ledger?rows=entries');
    const row = page.getByRole('row').filter({ hasText: 'Master to Creative, automatically, for' }).first();
    expect(await row.getByRole('link', { name: 'a video' }).getAttribute('href')).toMatch(/^\/videos\/vid_/);
    await page
      .getByText(/^Master to Cloud, automatically, for storage on .*2026/)
      .first()
      .waitFor();
  });

  it('offers the statement with top-ups and moved credits in it, and accepts only valid billing details', async () => {
    await page.goto('/wallet/documents');
    const download = page.waitForEvent('download');
    await page
      .getByRole('link', { name: /as CSV$/ })
      .first()
      .click();
    const csv = await readFile(await (await download).path(), 'utf8');
    expect(csv).toMatch(new RegExp(`TOPUP.*${TOPPED_UP}`));
    expect(csv).toMatch(new RegExp(`ALLOCATION.*${ALLOCATED}`));

    await page.getByLabel('Legal name').fill('River Videos');
    await page.getByLabel('Address').fill('1 Ghat Road\nVaranasi');
    await page.getByLabel(/^GSTIN/).fill('29aagcb7383j1z5');
    await page.getByLabel('Legal name').focus();
    await page.getByText(/check digit is wrong/).waitFor();
    await page.getByLabel(/^GSTIN/).fill('29aagcb7383j1z4');
    await page.getByRole('button', { name: 'Save' }).click();
    await noticeIn(page, 'Billing details saved').waitFor();
    await page.reload();
    await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);
    expect(await page.getByLabel(/^GSTIN/).inputValue()).toBe('29AAGCB7383J1Z4');
  });

  it('requests a partial refund, at most what is there, and shows it until it is done', async () => {
    await page.goto('/wallet/top-ups');
    await page.getByRole('link', { name: `₹${TOPPED_UP}.00`, exact: true }).click();
    await page.getByRole('button', { name: 'Refund' }).click();
    const dialog = page.getByRole('dialog', { name: 'Refund' });
    await dialog.getByLabel('Amount in rupees').fill(`${TOPPED_UP}.01`);
    await dialog.getByText(/of this top-up is left/).waitFor();
    await dialog.getByLabel('Amount in rupees').fill('250');
    await dialog.getByText('Takes 250.00 credits from Master.').waitFor();
    expect(await look(page, 'wallet-refund')).toEqual([]);
    await dialog.getByRole('button', { name: 'Request refund' }).click();
    await page.getByText('Partially refunded').waitFor();
    await page.getByRole('region', { name: 'Refunds' }).getByText('₹250.00').waitFor();
    await page.getByText('₹390.00', { exact: true }).waitFor();
    expect(await look(page, 'wallet-top-up')).toEqual([]);

    const receipt = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Receipt' }).click();
    expect((await readFile(await (await receipt).path())).subarray(0, 5).toString()).toBe('%PDF-');
  });

  it('shows the account’s referral code, and that nobody has used it yet', async () => {
    await page.goto('/referrals');
    const { rows } = await admin.query<{ code: string }>('select code from referral_code where account_id = $1', [
      accountId,
    ]);
    await page.getByText(rows[0]!.code, { exact: true }).waitFor();
    await page.getByText('No invitees yet').waitFor();
    await page.getByText('48').first().waitFor();
  });

  it('repays a debt, which new credits would pay first', async () => {
    await bookDebt(admin, accountId, 7_500_000n);
    await page.goto('/');
    const notice = page.getByRole('main').getByRole('status').filter({ hasText: 'You owe 7.50 credits' });
    await notice.waitFor();
    expect(await colorOf(notice)).toBe('red');
    expect(await look(page, 'home-debt')).toEqual([]);
    await page.getByRole('link', { name: 'Pay it in the wallet' }).click();
    await page.getByRole('heading', { name: 'You owe 7.50 credits' }).waitFor();
    expect(await look(page, 'wallet-debt')).toEqual([]);
    await page.getByRole('button', { name: 'Repay' }).click();
    await noticeIn(page, '7.50 credits of debt repaid').waitFor();
    await page.getByRole('heading', { name: /^You owe/ }).waitFor({ state: 'hidden' });
  });

  it('keeps the input if the service does not respond, and moves the credits once', async () => {
    await page.goto('/wallet');
    const cloud = page.getByLabel('Cloud', { exact: true });
    const before = Number(await cloud.inputValue());
    await cloud.fill(String(before + 5));
    // The response is lost but the move succeeded: the second click must not repeat it.
    let isLost = false;
    await page.route('**/graphql', async (route) => {
      if (isLost || !route.request().postData()?.includes('allocateCredits')) return route.fallback();
      isLost = true;
      await route.fetch();
      return route.abort('connectionreset');
    });
    await page.getByRole('button', { name: 'Move credits' }).click();
    await page.getByRole('alert').getByText('The connection was lost').waitFor();
    await page.getByRole('button', { name: 'Move credits' }).click();
    await noticeIn(page, 'Credits moved').waitFor();
    await page.reload();
    await cloud.waitFor();
    expect(Number(await cloud.inputValue())).toBe(before + 5);
  });

  it.for([
    ['on a desktop', { width: 1280, height: 900 }],
    ['on a phone', { width: 390, height: 844 }],
  ] as const)('can be read and used by everybody, %s', async ([, viewport]) => {
    const tab = await openWindow('/wallet', { viewport });
    for (const path of PAGES) {
      await tab.goto(path);
      expect(await look(tab, path.replaceAll('/', '-').slice(1))).toEqual([]);
    }
    await tab.context().close();
  });

  it('scrolls through a hundred thousand entries, a page at a time, and makes each row once on the way', async () => {
    await bookManyMoves(admin, accountId, 50_000);
    const sizes: number[] = [];
    const tab = await openWindow('/wallet', { viewport: { width: 1280, height: 900 } });
    tab.on('request', (request) => {
      const { variables } = (request.postDataJSON() ?? {}) as { variables?: { first?: number } };
      if (variables?.first !== undefined) sizes.push(variables.first);
    });
    await tab.goto('/wallet/ledger?bucket=AI');
    const rows = tab.getByRole('table').getByRole('row');
    await rows.nth(5).waitFor();
    const reached = 1_200;
    const madeRows = await countMadeRows(tab);
    const place = await tab.evaluate(async (goal) => {
      const deepest = (): number => {
        const all = [...document.querySelectorAll('[aria-rowindex]')];
        return Math.max(...all.map((row) => Number(row.getAttribute('aria-rowindex'))));
      };
      for (let frames = 0; deepest() < goal && frames < 6_000; frames += 1) {
        scrollBy(0, 260);
        await new Promise((next) => requestAnimationFrame(next));
      }
      return deepest();
    }, reached);
    const made = await madeRows();
    expect(place).toBeGreaterThanOrEqual(reached);
    expect(made).toBeLessThanOrEqual(place);
    // The names of the columns stay in sight.
    const head = tab.getByRole('row').filter({ has: tab.getByRole('columnheader') });
    const { y } = (await head.boundingBox())!;
    expect(Math.abs(y)).toBeLessThanOrEqual(1);
    // Distant rows are not in the page.
    expect(await rows.count()).toBeLessThan(60);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(100);
    await tab.context().close();
  });

  it('violates no content security policy on the way', () => {
    expect(complaints).toEqual([]);
  });
});
