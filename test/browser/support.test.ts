import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { launchChromium } from '../support/browser/browser.js';
import { startDashboardService, type DashboardService } from './dashboardService.js';
import { addressOf, visit } from './everyPage.js';
import { look } from './look.js';
import { routesOfDashboard } from './routes.js';
import { Person } from './staff.js';
import { topUp } from './topUp.js';
import { fitsEverywhere, theSupportDesk } from './supportDesk.suite.js';
import { newId } from '../../src/domain/shared/ids.js';
import { connectToEmbedded } from '../support/browser/ledgerSeed.js';
import { openPage, takeTurn } from './window.js';

const run = promisify(execFile);
const PATH = { PATH: process.env['PATH'] };

describe('the support console', () => {
  let running: DashboardService;
  let browser: Browser;
  let asha: Person;
  let ravi: Person;
  let owner: Person;
  let accountId: string;

  beforeAll(async () => {
    [running, browser] = await Promise.all([startDashboardService(), launchChromium()]);
    asha = await Person.staff(running, browser, 'asha@example.com');
    ravi = await Person.staff(running, browser, 'ravi@example.com');
    owner = await Person.signedIn(running, browser, running.demo);
    await owner.page.goto('/support');
    accountId = (await owner.ask('{ viewer { account { id } } }')).data.viewer.account.id;
  });

  afterAll(async () => {
    await browser?.close();
    await running?.stop();
  });

  beforeEach(async () => {
    for (const { page } of [asha, ravi, owner]) await takeTurn(page);
  });

  it('is closed to owners, both the page and the service', async () => {
    const { page } = owner;
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.postData() ?? ''));
    await page.goto('/support/alerts');
    await page.getByRole('heading', { name: 'You don’t have access' }).waitFor();
    expect(await page.getByRole('searchbox').count()).toBe(0);
    expect(asked.filter((body) => body.includes('Staff'))).toEqual([]);
    const { errors } = await owner.ask('{ alerts { edges { node { id } } } }');
    expect(errors[0].extensions.code).toBe('FORBIDDEN');
    expect(await look(page, 'support-not-for-you')).toEqual([]);
    owner.expectNoComplaints();
  });

  it('finds an account by its address and by a key, and raises a quota with immediate effect', async () => {
    const { page } = asha;
    await page.goto('/support');
    await page.getByRole('heading', { name: 'Support', level: 1 }).waitFor();
    await page.getByText('Open alerts').waitFor();
    expect(await look(page, 'support-overview')).toEqual([]);

    await page.keyboard.press('/');
    await page.keyboard.type(running.demo.email.slice(0, 6));
    await page.getByRole('option').waitFor();
    expect(await look(page, 'support-search')).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: running.demo.email, level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/support/accounts/${accountId}`);

    await page.keyboard.press('/');
    await page.keyboard.type(running.demo.apiKey.slice(0, 12));
    await page.keyboard.press('Enter');
    await page.getByText('Searched for').waitFor();
    expect(await tokenLimit()).toBe('1000');

    await page.getByRole('button', { name: '× 5' }).click();
    await page.getByLabel('Reason').fill('Launch on Friday');
    await page.keyboard.press('Enter');
    await page.getByText('From 1,000 to 5,000 per day, effective immediately.').first().waitFor();
    expect(await tokenLimit()).toBe('5000');
    expect(await look(page, 'support-account')).toEqual([]);

    await page.getByRole('textbox', { name: 'Daily quota' }).fill('much');
    await page.getByLabel('Reason').fill('kept');
    await page.getByRole('button', { name: 'Set quota' }).click();
    await page.getByText('Enter a whole number').waitFor();
    expect(await page.getByLabel('Reason').inputValue()).toBe('kept');
    await asha.expectInAuditLog('api_key', 'Launch on Friday', '1,000 → 5,000');
    asha.expectNoComplaints();
  });

  it('explains a customer’s key with a reason, and keeps that in the audit trail', async () => {
    const { page } = asha;
    await page.goto(`/support/accounts/${accountId}`);
    const card = page.getByRole('region', { name: 'Explain playback' });
    await card.getByLabel('Playback token, view or API key').fill(running.demo.apiKey);
    await card.getByRole('button', { name: 'Explain' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('Asked why it does not play');
    await dialog.getByRole('button', { name: 'Explain' }).click();
    await card.getByText('The key can create playback tokens.').waitFor();
    await fitsEverywhere(page, 'support-explain');
    await page.goto(`/support/accounts/${accountId}/audit`);
    await page.getByText('Explained playback').first().waitFor();
    await page.getByText('Asked why it does not play').waitFor();
    asha.expectNoComplaints();
  });

  /** The quota in the response to the next token request with the demo's key. */
  async function tokenLimit(): Promise<string | null> {
    const { url, videoId, apiKey } = running.demo;
    const headers = { 'x-service-key': apiKey };
    const response = await fetch(`${url}/v1/video/${videoId}/playback-token`, { method: 'POST', headers });
    return response.headers.get('x-ratelimit-limit');
  }

  it('adjusts a wallet below the limit at once, and above it with a second person', async () => {
    const { page } = asha;
    await page.goto(`/support/accounts/${accountId}`);
    const before = await master();
    await asha.adjust('250', 'Goodwill for Tuesday', 'Add 250.00 credits');
    await page.getByText('250.00 credits adjusted').first().waitFor();
    expect(await master()).toBe(before + 250);

    await asha.adjust('2000', 'Refund of a wrong invoice', 'Add 2,000.00 credits');
    await page.getByText('A second person must approve this').first().waitFor();
    expect(await master()).toBe(before + 250);
    await page.getByRole('link', { name: /^Adjustments/ }).click();
    await page.getByText('Needs another reviewer').waitFor();
    expect(await page.getByRole('button', { name: /^Approve/ }).count()).toBe(0);

    await ravi.page.goto('/support/adjustments');
    await ravi.page.getByText('Refund of a wrong invoice').waitFor();
    expect(await look(ravi.page, 'support-adjustments')).toEqual([]);
    await ravi.confirm(/^Approve 2,000/, 'Seen the invoice', 'Approve');
    await ravi.page.getByRole('heading', { name: 'No requests' }).waitFor();
    expect(await master()).toBe(before + 2250);
    await ravi.page.goto(`/support/accounts/${accountId}/ledger`);
    await ravi.page.getByText('+2,000.00').waitFor();
    expect(await look(ravi.page, 'support-ledger')).toEqual([]);
    await asha.expectInAuditLog('wallet', 'Goodwill for Tuesday', 'Refund of a wrong invoice', 'Seen the invoice');
    ravi.expectNoComplaints();
  });

  async function master(): Promise<number> {
    return Number((await owner.ask('{ wallet { master } }')).data.wallet.master);
  }

  it('shows a real webhook with its body, and replays it without crediting twice', async () => {
    await owner.page.goto('/wallet');
    const before = await master();
    await topUp(owner.page, 499.5);
    expect(await master()).toBe(before + 499.5);

    const { page } = asha;
    await page.goto('/support/webhooks?provider=RAZORPAY');
    await page.getByRole('link', { name: 'payment.captured' }).first().waitFor();
    expect(await look(page, 'support-webhooks')).toEqual([]);
    await page.getByLabel('State').selectOption('FAILED');
    await page.getByRole('heading', { name: 'No webhooks' }).waitFor();
    await page.getByLabel('State').selectOption('');
    await page.getByRole('link', { name: 'payment.captured' }).first().click();
    await page.getByRole('heading', { name: 'Body' }).waitFor();
    const body = await page.locator('pre').innerText();
    expect(JSON.parse(body)).toMatchObject({ event: 'payment.captured' });
    expect(body).toContain('\n  "');
    expect(await look(page, 'support-webhook')).toEqual([]);
    await asha.confirm('Replay payment.captured', 'The owner missed the credits', 'Replay');
    await page.getByText('Done', { exact: true }).waitFor();
    expect(await master()).toBe(before + 499.5);

    await page.goto(`/support/accounts/${accountId}/top-ups`);
    await page.getByText('499.50 INR').waitFor();
    expect(await look(page, 'support-top-ups')).toEqual([]);
    await asha.confirm('Refund 499.50 INR', 'Paid by mistake', 'Refund 499.50 INR');
    await page.getByText(/^499.50 INR (requested|with the provider|refunded)/).waitFor();
    await asha.expectInAuditLog('payment', 'The owner missed the credits', 'Paid by mistake');
    asha.expectNoComplaints();
  });

  it('suspends and resumes an account', async () => {
    const { page } = asha;
    await page.goto(`/support/accounts/${accountId}`);
    await asha.confirm('Suspend', 'Chargeback', 'Suspend');
    await page.getByText(/^Suspended since/).waitFor();
    await page.getByText('Chargeback', { exact: true }).waitFor();
    expect((await owner.ask('{ viewer { account { suspended } } }')).data.viewer.account.suspended).toBe(true);
    await asha.confirm('Resume', 'Settled', 'Resume');
    await page.getByRole('button', { name: 'Suspend', exact: true }).waitFor();
    await asha.expectInAuditLog('account', 'Chargeback', 'Settled');
  });

  it('handles waiting work: an alert, money in suspense, a failed video', async () => {
    await seedWork(running.service.dataDir, accountId);
    const { page } = asha;
    await page.goto('/support');
    await page.getByRole('link', { name: '1 Open alerts' }).waitFor();
    await page.getByRole('link', { name: '1 Open alerts' }).click();
    await page.getByText('The amount differs from the quote.').waitFor();
    expect(await look(page, 'support-alerts')).toEqual([]);

    // A reason that could not be sent is kept, and sent with the next try.
    await page.getByRole('button', { name: /^Resolve payment.mismatch/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('Called the payer');
    await page.route('**/graphql', (route) => route.abort(), { times: 1 });
    await dialog.getByRole('button', { name: 'Resolve' }).click();
    await dialog.getByText('The connection was lost').waitFor();
    expect(await dialog.getByLabel('Reason').inputValue()).toBe('Called the payer');
    await dialog.getByRole('button', { name: 'Resolve' }).click();
    await page.getByRole('heading', { name: 'No alerts' }).waitFor();

    await page.getByRole('link', { name: /^Suspense/ }).click();
    await page.getByText('123.45 EUR').waitFor();
    expect(await look(page, 'support-suspense')).toEqual([]);
    await asha.confirm(/^Resolve 123.45 EUR/, 'Given back by hand', 'Resolve');
    await page.getByRole('heading', { name: 'Nothing in suspense' }).waitFor();

    await page.getByRole('link', { name: /^Failed jobs/ }).click();
    await page.getByText('The disk was full.').waitFor();
    expect(await look(page, 'support-failed')).toEqual([]);
    await asha.confirm('Retry A long video', 'Our fault', 'Retry');
    await page.getByRole('heading', { name: 'No failed jobs' }).waitFor();
    await asha.expectInAuditLog('alert', 'Called the payer');
    await asha.expectInAuditLog('payment', 'Given back by hand');
    await asha.expectInAuditLog('video', 'Our fault');
    asha.expectNoComplaints();
  });

  theSupportDesk(() => ({ running, asha, accountId }));

  it('filters the audit log by the kind of action', async () => {
    const { page } = asha;
    const { errors } = await asha.ask(
      `mutation ($id: ID!) {
        suspendAccount(accountId: $id, reason: "Stolen card") { id }
        resumeAccount(accountId: $id, reason: "Card returned") { id }
      }`,
      { id: accountId },
    );
    expect(errors).toBeUndefined();
    await page.goto('/support/audit');
    await page.getByText('Stolen card').waitFor();
    expect(await look(page, 'support-audit')).toEqual([]);
    await page.getByLabel('Kind of action').selectOption('video');
    await expect.poll(() => page.getByText('Stolen card').count()).toBe(0);
    await asha.expectInAuditLog('account', 'Stolen card', 'Card returned');
    asha.expectNoComplaints();
  });

  it('has documentation that can be read without signing in', async () => {
    const { page, complaints } = await openPage(browser, running.demo.url);
    const errors: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    await page.goto('/docs#errors');
    await page.locator('td', { hasText: /^PLAYBACK_TOKEN_EXPIRED$/ }).waitFor();
    for (const path of ['', '/rest-api', '/player', '/money', '/webhooks', '/errors']) {
      await page.goto(`/docs${path}`);
      expect(await look(page, `docs${path.replace('/', '-')}`)).toEqual([]);
    }
    await page.goto('/docs/money');
    await page.getByRole('cell', { name: '3.50', exact: true }).waitFor();
    expect([...errors, ...complaints]).toEqual([]);
    await page.context().close();
  });

  it('has working code in the documentation', async () => {
    const { page } = owner;
    await page.goto('/docs');
    const { apiKey, videoId } = running.demo;
    const code = async (language: string) => {
      await page.getByRole('tab', { name: language }).click();
      return (await page.getByRole('tabpanel').innerText()).replaceAll('vid_…', videoId);
    };
    const curl = await code('curl');
    const { stdout } = await run('sh', ['-c', curl.replace('dk_…', apiKey)]);
    expect(stdout.match(/"success":true/g)).toHaveLength(2);
    const python = await run('python3', ['-c', await code('Python'), videoId], { env: { ...PATH, DHARA_KEY: apiKey } });
    expect(python.stdout).toMatch(/^ey/);
  });

  it('has pages that everybody can use, at every width, in light and in dark', async () => {
    const { page } = asha;
    await owner.page.goto('/wallet');
    await topUp(owner.page, 123);
    await page.goto('/support/webhooks');
    const webhook = await page.getByRole('link', { name: 'payment.captured' }).first().getAttribute('href');
    const examples = {
      '/support/accounts/': accountId,
      '/support/webhooks/': webhook!.slice(webhook!.lastIndexOf('/') + 1),
    };
    const routes = routesOfDashboard().filter((route) => route.startsWith('/support/'));
    // Fewer would mean that the router is not read any more.
    expect(routes.length).toBeGreaterThan(15);
    const faults: string[] = [];
    for (const route of ['/support', ...routes]) faults.push(...(await visit(page, addressOf(route, examples))));
    expect(faults).toEqual([]);
    asha.expectNoComplaints();
  });
});

/** An alert, an item in suspense and a failed video of one account, as work for staff. The account has a video. */
async function seedWork(dataDir: string, accountId: string): Promise<void> {
  const admin = await connectToEmbedded(dataDir);
  await admin.query(
    `insert into alert (id, kind, subject, message, account_id, raised_at, last_raised_at)
      values ($1, 'payment.mismatch', 'pay_7', 'The amount differs from the quote.', $2, now(), now())`,
    [newId(), accountId],
  );
  await admin.query(
    `insert into suspense_item (account_id, id, provider, payment_id, amount_minor, currency, reason, created_at)
      values ($1, $2, 'stripe', 'pi_7', 12345, 'EUR', 'A currency without a rate', now())`,
    [accountId, newId()],
  );
  await admin.query(
    `insert into video (account_id, id, title, status, attempt, quality, failure_code, failure_message, duration_ms,
        source_probe, source_key, size_bytes)
      select account_id, $2, 'A long video', 'failed', 1, '480p', 'OUT_OF_SPACE', 'The disk was full.', duration_ms,
        source_probe, source_key, size_bytes from video where account_id = $1 limit 1`,
    [accountId, newId()],
  );
  await admin.end();
}
