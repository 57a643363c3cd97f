import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { Router } from 'express';
import pg from 'pg';
import { pino } from 'pino';

import { createPaymentProviders, type Payments } from '../../../src/adapters/payments/index.js';
import { PostgresDatabase } from '../../../src/db/database.js';
import { PaymentInbox } from '../../../src/domain/payments/inbox/inbox.js';
import { createHttpApp } from '../../../src/api/http/httpApp.js';
import { createSandboxRouter } from '../../../src/api/sandbox/router.js';
import { createWebhookRouter } from '../../../src/api/webhooks/router.js';
import { createTestDatabase, type TestDatabase } from '../database.js';
import { CuttableProxy } from '../uploads/cuttableProxy.js';

export interface StoredEvent {
  readonly provider: string;
  readonly event_id: string;
  readonly type: string;
  readonly body: Buffer;
}

/**
 * The webhook endpoints and the sandbox's pages as the service serves them, over their own database. Webhooks are
 * stored, not processed.
 */
export class Receiver {
  readonly secret = randomBytes(16).toString('hex');
  readonly lines: string[] = [];
  woken = 0;
  private forgotten = 0;
  url = '';
  private server!: Server;

  private constructor(
    readonly database: TestDatabase,
    /** The service's connection to the database. */
    readonly way: CuttableProxy,
    readonly db: PostgresDatabase,
    private readonly rows: pg.Pool,
  ) {}

  payments!: Payments;

  static async start(): Promise<Receiver> {
    const database = await createTestDatabase();
    const way = await CuttableProxy.to(database.runtimeUrl);
    const db = await PostgresDatabase.connect({ url: way.url, maxConnections: 5 });
    const rows = new pg.Pool({ connectionString: database.migrationUrl, max: 1 });
    const receiver = new Receiver(database, way, db, rows);
    await receiver.listen();
    return receiver;
  }

  private async listen(): Promise<void> {
    this.server = createServer();
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    const { db, url: publicUrl, secret } = this;
    const logger = pino({ level: 'trace' }, { write: (line: string) => void this.lines.push(line) });
    this.payments = createPaymentProviders({
      db,
      logger,
      publicUrl,
      sandboxSecret: secret,
      razorpay: null,
      stripe: null,
      rate: null,
    });
    const { providers, sandbox } = this.payments;
    const payerKey = randomBytes(32);
    const stored = new PaymentInbox({ db, providers, logger, payerKey });
    const inbox = {
      receive: stored.receive.bind(stored),
      wake: () => {
        this.woken += 1;
      },
    };
    const app = createHttpApp({
      logger,
      publicUrl,
      trustProxies: 0,
      checkReady: () => Promise.resolve(),
      webhooks: createWebhookRouter({ providers, inbox, publicUrl, logger }),
      sandbox: createSandboxRouter({ sandbox: sandbox!.pages, logger }),
      rest: Router(),
      delivery: { router: Router() },
      uploads: Router(),
      graphql: Router(),
      identity: (_req, _res, next) => next(),
      dashboardDir: '/nowhere',
      playerDir: '/nowhere',
    });
    this.server.on('request', app);
  }

  /** Events since `forget`, oldest first. The rows cannot be deleted. */
  async events(): Promise<StoredEvent[]> {
    const { rows } = await this.rows.query<StoredEvent>(
      'select provider, event_id, type, body from webhook_event order by received_at, id offset $1',
      [this.forgotten],
    );
    return rows;
  }

  async forget(): Promise<void> {
    this.forgotten += (await this.events()).length;
    this.woken = 0;
  }

  /** Runs one statement as the tables' owner. */
  async query(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    const { rows } = await this.rows.query<Record<string, unknown>>(text, values);
    return rows;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
    await this.db.close();
    await this.rows.end();
    await this.way.close();
    await this.database.drop();
  }
}
