import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { signIn } from '../setup/service.js';
import { accessibilityFaults } from './accessibility.js';
import { launchChromium, openPage } from './browser.js';
import { startDashboardService, type DashboardService } from './dashboardService.js';

interface Referrals {
  readonly link: string;
  readonly totals: { readonly invited: number };
  readonly invitees: { readonly edges: readonly { readonly node: { readonly maskedEmail: string } }[] };
}

describe('a friend’s link', { timeout: 240_000 }, () => {
  let running: DashboardService;
  let browser: Browser;

  beforeAll(async () => {
    [running, browser] = await Promise.all([startDashboardService(), launchChromium()]);
  }, 240_000);

  afterAll(async () => {
    await browser?.close();
    await running?.stop();
  });

  it('fills the code in, keeps it through an error, and makes the newcomer an invitee', async () => {
    const cookie = await signIn(running.demo);
    const { link } = await referrals(cookie);
    const { page } = await openPage(browser, running.demo.url);
    await page.goto(link);
    const code = page.getByLabel('Referral code (optional)');
    expect(await code.inputValue()).toBe(new URL(link).searchParams.get('ref'));
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.route('**/api/auth/sign-up/email', (route) => route.abort(), { times: 1 });
    await page.getByLabel('Name').fill('A friend');
    await page.getByLabel('E-mail address').fill('friend@example.com');
    await page.getByLabel('Password', { exact: true }).fill('four quiet green rivers');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('The connection was lost').waitFor();
    expect(await code.inputValue()).toBe(new URL(link).searchParams.get('ref'));

    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { name: 'Look into your mail' }).waitFor();
    await running.service.until(
      async () => (await referrals(cookie)).totals.invited === 1,
      'the referrer is told of the invitee',
    );
    expect((await referrals(cookie)).invitees.edges[0]?.node.maskedEmail).toBe('f•••@example.com');
  });

  async function referrals(cookie: string): Promise<Referrals> {
    const response = await fetch(`${running.demo.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: running.demo.url, cookie },
      body: JSON.stringify({
        query: '{ referrals { link totals { invited } invitees { edges { node { maskedEmail } } } } }',
      }),
    });
    return ((await response.json()) as { data: { referrals: Referrals } }).data.referrals;
  }
});
