import { expect } from 'vitest';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

import type { Json } from '../support/graphql/client.js';
import { totpCode } from '../support/identity/service.js';
import { ServiceProcess } from '../support/service.js';
import type { DashboardService } from './dashboardService.js';
import { look } from './look.js';
import { ringFaults } from './rings.js';
import { openPage } from './window.js';

const PASSWORD = 'four quiet green rivers';

/** A user at work in their own browser. */
export class Person {
  private constructor(
    readonly page: Page,
    readonly complaints: string[],
    readonly email: string,
  ) {}

  /** Signs up, follows the link in the email, and becomes staff by the command line. The browser is signed in. */
  static async staff(running: DashboardService, browser: Browser, email: string): Promise<Person> {
    const { url } = running.demo;
    const body = { name: email.split('@')[0], email, password: PASSWORD, callbackURL: '/' };
    await expectOk(
      await fetch(`${url}/api/auth/sign-up/email`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: url },
        body: JSON.stringify(body),
      }),
    );
    await expectOk(await fetch(await running.linkEmailedTo(email)));
    const command = ServiceProcess.start(['user', 'promote', email, '--role', 'support'], {
      DATA_DIR: running.service.dataDir,
      PORT: new URL(url).port,
    });
    if ((await command.exit()) !== 0) throw new Error(command.output);
    const person = await Person.signedIn(running, browser, { email, password: PASSWORD });
    await person.switchOnSecondFactor(url);
    return person;
  }

  private async switchOnSecondFactor(origin: string): Promise<void> {
    const post = async (path: string, data: object): Promise<{ totpURI: string }> => {
      const response = await this.page.request.post(`/api/auth/two-factor/${path}`, { data, headers: { origin } });
      if (!response.ok()) throw new Error(`${path}: ${response.status()} ${await response.text()}`);
      return (await response.json()) as { totpURI: string };
    };
    const { totpURI } = await post('enable', { password: PASSWORD });
    await post('verify-totp', { code: totpCode(totpURI) });
  }

  /** Signed in without the form, which has its own tests. */
  static async signedIn(
    running: DashboardService,
    browser: Browser,
    { email, password }: { email: string; password: string },
    options: BrowserContextOptions = {},
  ): Promise<Person> {
    const { page, complaints } = await openPage(browser, running.demo.url, options);
    const response = await page.request.post('/api/auth/sign-in/email', {
      data: { email, password },
      headers: { origin: running.demo.url },
    });
    if (!response.ok()) throw new Error(`sign-in: ${response.status()} ${await response.text()}`);
    return new Person(page, complaints, email);
  }

  /** Runs one operation with this browser's session. Returns the response, errors included. */
  async ask(query: string, variables: Record<string, unknown> = {}): Promise<Json> {
    const { origin } = new URL(this.page.url());
    const response = await this.page.request.post('/graphql', { data: { query, variables }, headers: { origin } });
    return response.json();
  }

  /** Opens the dialog of a button, gives the reason, confirms, and waits until it is closed. */
  async confirm(button: string | RegExp, reason: string, verb: string | RegExp): Promise<void> {
    await this.page.getByRole('button', { name: button, exact: true }).first().click();
    const dialog = this.page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill(reason);
    expect(await look(this.page, `support-dialog-${reason.toLowerCase().replaceAll(' ', '-')}`)).toEqual([]);
    await dialog.getByRole('button', { name: verb }).click();
    await dialog.waitFor({ state: 'detached' });
  }

  /** Adjusts the wallet of the open account; `verb` is the button's label. */
  async adjust(credits: string, reason: string, verb: string): Promise<void> {
    await this.page.getByRole('button', { name: 'Adjust', exact: true }).click();
    const dialog = this.page.getByRole('dialog');
    await dialog.getByLabel('Credits').fill(credits);
    await dialog.getByLabel('Reason').fill(reason);
    expect(await look(this.page, `support-dialog-adjust-${credits}`)).toEqual([]);
    expect(await ringFaults(this.page)).toEqual([]);
    await dialog.getByRole('button', { name: verb }).click();
    await dialog.waitFor({ state: 'detached' });
  }

  /** Sees that these were given as reasons for actions of one kind. */
  async expectInAuditLog(kind: string, ...reasons: readonly string[]): Promise<void> {
    await this.page.goto('/support/audit');
    await this.page.getByLabel('Kind of action').selectOption(kind);
    for (const reason of reasons) await this.page.getByText(reason, { exact: true }).first().waitFor();
  }

  expectNoComplaints(): void {
    expect(this.complaints).toEqual([]);
  }
}

async function expectOk(response: Response): Promise<void> {
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${await response.text()}`);
}
