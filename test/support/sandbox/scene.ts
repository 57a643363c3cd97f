import { randomUUID } from 'node:crypto';

import { expect } from 'vitest';

import { installVirtualClock, setClockOffset } from '../../../src/db/virtualClock.js';
import type { PaymentFact, PaymentProvider, ProviderName } from '../../../src/ports/paymentProvider.js';
import { Receiver } from '../webhooks/receiver.js';
import { PayPage } from './payPage.js';

export const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;
/** The number of events that a paid order causes. */
export const EVENTS_OF_A_PAYMENT = { razorpay: 3, stripe: 1 };

export interface Opened {
  readonly page: PayPage;
  readonly orderId: string;
  readonly accountId: string;
  readonly topUpId: string;
  readonly returnUrl: string;
}

/** The sandbox, its pay page and the endpoint that it reports to, with a clock that can be moved. */
export class SandboxScene {
  /** How far the clock is ahead. It only moves forward, so that nothing of an earlier test is due in a later one. */
  private offsetMs = 0;

  private constructor(readonly receiver: Receiver) {}

  static async start(): Promise<SandboxScene> {
    const receiver = await Receiver.start();
    await installVirtualClock(receiver.database.migrationUrl);
    const scene = new SandboxScene(receiver);
    scene.sender.start(receiver.url);
    return scene;
  }

  async stop(): Promise<void> {
    await this.sender.stop();
    await this.receiver.stop();
  }

  get sender() {
    return this.receiver.payments.sandbox!.sender;
  }

  provider(name: ProviderName): PaymentProvider {
    return this.receiver.payments.providers.get(name)!;
  }

  /** By the service's clock. */
  nowMs(): number {
    return Date.now() + this.offsetMs;
  }

  async forward(ms: number): Promise<void> {
    this.offsetMs += ms;
    await setClockOffset(this.receiver.database.migrationUrl, this.offsetMs);
  }

  /** A checkout of 499.50 and its pay page. */
  async open(name: ProviderName, expiresInMs = 60 * MINUTE_MS): Promise<Opened> {
    const [accountId, topUpId] = [randomUUID(), randomUUID()];
    const returnUrl = `${this.receiver.url}/wallet?topUp=${topUpId}`;
    const provider = this.provider(name);
    const checkout = await provider.openCheckout({
      accountId,
      topUpId,
      amountMinor: 49_950n,
      currency: provider.currency,
      description: 'Dhara credits <b>for</b> 499.50',
      payerEmail: 'asha@example.com',
      expiresAt: new Date(this.nowMs() + expiresInMs),
      returnUrl,
    });
    expect(checkout).toMatchObject({ method: 'GET', fields: [] });
    return { page: await PayPage.open(checkout.url), orderId: checkout.orderId, accountId, topUpId, returnUrl };
  }

  /** Presses a button that pays, and opens the page again. */
  async pay(opened: Opened, words = 'Pay now'): Promise<PayPage> {
    expect(await opened.page.press(words)).toEqual({ status: 303, location: opened.returnUrl });
    return opened.page.reload();
  }

  /** Pays, and waits until the payment was reported. Resolves to the page and the payment's id. */
  async paid(name: ProviderName): Promise<Opened & { paymentId: string }> {
    const opened = await this.open(name);
    const page = await this.pay(opened);
    const facts = await this.factsOf(EVENTS_OF_A_PAYMENT[name]);
    await this.receiver.forget();
    return { ...opened, page, paymentId: facts.at(-1)!.paymentId };
  }

  /** Waits for `count` events since `forget`, and returns their facts. */
  async factsOf(count: number): Promise<PaymentFact[]> {
    await expect.poll(async () => (await this.receiver.events()).length).toBe(count);
    const events = await this.receiver.events();
    return events.flatMap(({ provider, body }) => this.provider(provider as ProviderName).facts(body));
  }

  async typesOf(count: number): Promise<string[]> {
    await this.factsOf(count);
    return (await this.receiver.events()).map(({ type }) => type);
  }
}
