import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import { pino } from 'pino';

import { HttpWebhookSender, type HttpSenderOptions } from '../../../src/adapters/webhooks/httpSender.js';
import { parseNetworks } from '../../../src/adapters/webhooks/networks.js';
import { PostgresDatabase } from '../../../src/db/database.js';
import { installVirtualClock, setClockOffset } from '../../../src/db/virtualClock.js';
import { appendEvents } from '../../../src/domain/shared/events/appendEvent.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { WebhookDeliverer, type DelivererDeps } from '../../../src/domain/accounts/webhooks/deliverer.js';
import type { Delivery } from '../../../src/domain/accounts/webhooks/webhookRecords.js';
import { WebhookService } from '../../../src/domain/accounts/webhooks/webhooks.service.js';
import { WebhookSecrets } from '../../../src/domain/accounts/webhooks/webhookSecrets.js';
import { openAccount } from '../contract/service.js';
import { createTestDatabase, type TestDatabase } from '../database.js';

export const LOOPBACK = parseNetworks('127.0.0.0/8');

export const attempted = (count: number) => (all: Delivery[]) => all.some(({ attempts }) => attempts >= count);
export const succeeded = (all: Delivery[]) => all.every(({ state }) => state === 'succeeded');

/** Endpoints of new accounts, a sender that may reach loopback, and a deliverer that is started by the test. */
export class WebhooksRig {
  readonly secrets: WebhookSecrets;
  readonly masterKeys = { current: randomBytes(32), previous: [] };
  readonly service: WebhookService;
  private readonly deliverers: WebhookDeliverer[] = [];
  private offsetMs = 0;

  private constructor(
    readonly database: TestDatabase,
    readonly db: PostgresDatabase,
    readonly sender: HttpWebhookSender,
  ) {
    this.secrets = new WebhookSecrets(this.masterKeys);
    this.service = new WebhookService({ db, secrets: this.secrets, sender });
  }

  static async start(options: Partial<HttpSenderOptions> = {}): Promise<WebhooksRig> {
    const database = await createTestDatabase();
    await installVirtualClock(database.migrationUrl);
    const db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 10 });
    const sender = new HttpWebhookSender({ allowsHttp: true, allowedNetworks: LOOPBACK, ...options });
    return new WebhooksRig(database, db, sender);
  }

  account(): Promise<string> {
    return openAccount(this.db);
  }

  async endpoint(accountId: string, url: string): Promise<{ id: string; secret: string }> {
    const { endpoint, secret } = await this.service.create(accountId, { url, description: '', eventTypes: null });
    return { id: endpoint.id, secret };
  }

  /** Writes events of one account, one statement each. */
  async events(accountId: string, count = 1): Promise<void> {
    for (let n = 0; n < count; n += 1) {
      await appendEvents(this.db.sql, [
        { accountId, type: 'wallet.low', fact: newId(), data: { balance: '1', threshold: '2' } },
      ]);
    }
  }

  /** Looks for work every few milliseconds. */
  deliver(deps: Partial<DelivererDeps> = {}): WebhookDeliverer {
    const { db, secrets, sender } = this;
    const logger = pino({ level: 'silent' });
    const deliverer = new WebhookDeliverer({ db, secrets, sender, logger, pollMs: 20, ...deps });
    this.deliverers.push(deliverer);
    deliverer.start();
    return deliverer;
  }

  /** The deliveries to an endpoint, oldest first, once `isDone` holds for them. */
  async deliveries(accountId: string, id: string, isDone: (all: Delivery[]) => boolean): Promise<Delivery[]> {
    for (;;) {
      const page = { first: 100, after: null, state: null };
      const all = (await this.service.deliveries(accountId, id, page)).toReversed();
      if (isDone(all)) return all;
      await delay(10);
    }
  }

  /** Moves the service's clock on. */
  async pass(seconds: number): Promise<void> {
    this.offsetMs += seconds * 1_000;
    await setClockOffset(this.database.migrationUrl, this.offsetMs);
  }

  /** Moves the service's clock on to just after a time that may be over. */
  async passUntil(time: Date): Promise<void> {
    const text = 'select extract(epoch from $1::timestamptz - service_now())::float8 as seconds';
    const { rows } = await this.db.pool.query<{ seconds: number }>(text, [time]);
    await this.pass(Math.max(rows[0]!.seconds, 0) + 1);
  }

  /** Ends what a test has started, with whatever is still to be sent. */
  async rest(): Promise<void> {
    await Promise.all(this.deliverers.splice(0).map((deliverer) => deliverer.stop()));
    await this.db.sql.query({ name: 'test-rest', text: 'delete from webhook_endpoint' });
  }

  async stop(): Promise<void> {
    await this.rest();
    await this.db.close();
    await this.database.drop();
  }
}
