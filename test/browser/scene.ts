import type { Client } from 'pg';
import { PgBoss } from 'pg-boss';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

import { QUEUE_SCHEMA, SWEEP } from '../../src/adapters/queue/queues.js';
import { signIn } from '../support/service.js';
import { addSession, launchChromium } from '../support/browser/browser.js';
import { startBuiltService, startDashboardService, type DashboardService } from './dashboardService.js';
import { connectToEmbedded, embeddedUrl } from '../support/browser/ledgerSeed.js';
import { openPage } from './window.js';

interface Window {
  readonly page: Page;
  readonly complaints: string[];
}

/** The service with its dashboard, its database and a browser, signed in as the demo user. */
export class Scene {
  private constructor(
    readonly running: DashboardService,
    readonly browser: Browser,
    readonly database: Client,
    private readonly cookie: string,
  ) {}

  static start(): Promise<Scene> {
    return Scene.around(startDashboardService());
  }

  /** After another one, which has built the dashboard: for a test that needs an account that nobody has used yet. */
  static startAnother(): Promise<Scene> {
    return Scene.around(startBuiltService());
  }

  private static async around(starting: Promise<DashboardService>): Promise<Scene> {
    const [running, browser] = await Promise.all([starting, launchChromium()]);
    const database = await connectToEmbedded(running.service.dataDir);
    return new Scene(running, browser, database, await signIn(running.demo));
  }

  get demo() {
    return this.running.demo;
  }

  /**
   * A separate browser context, signed in as the demo user, in the window of the test. All share one session, since
   * sign-ins are limited.
   */
  async openWindow(path: string, options: BrowserContextOptions = {}): Promise<Window> {
    const opened = await openPage(this.browser, this.demo.url, options);
    await addSession(opened.page, this.demo.url, this.cookie);
    await opened.page.goto(path);
    return opened;
  }

  /** Has the worker do its per-minute chores now, such as sending emails, unless it is doing them. */
  async doChores(): Promise<void> {
    const boss = new PgBoss({
      connectionString: await embeddedUrl(this.running.service.dataDir),
      schema: QUEUE_SCHEMA,
      migrate: false,
      supervise: false,
      schedule: false,
      max: 1,
    });
    boss.on('error', () => undefined);
    await boss.start();
    await boss.send(SWEEP);
    await boss.stop({ graceful: false });
  }

  /** Moves credits of the demo user from one bucket to another. */
  moveCredits(from: string, to: string, amount: string): Promise<unknown> {
    return this.ask(
      `mutation ($from: Bucket!, $to: Bucket!, $amount: Credits!, $key: String!) {
        allocateCredits(from: $from, to: $to, amount: $amount, idempotencyKey: $key) { master }
      }`,
      { from, to, amount, key: crypto.randomUUID() },
    );
  }

  /** Runs one operation as the demo user. */
  async ask<Data>(query: string, variables: Record<string, unknown> = {}): Promise<Data> {
    const { url } = this.demo;
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url, cookie: this.cookie },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = (await response.json()) as { data: Data; errors?: unknown };
    if (errors) throw new Error(JSON.stringify(errors));
    return data;
  }

  async closePages(): Promise<void> {
    await Promise.all(this.browser.contexts().map((context) => context.close()));
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.database.end();
    await this.running.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
