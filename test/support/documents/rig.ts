import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';

import { Router } from 'express';
import pg from 'pg';
import { pino } from 'pino';

import { createIdentity, type IdentityService } from '../../../src/adapters/identity/createIdentity.js';
import { DiskObjectStore } from '../../../src/adapters/store/disk.js';
import { PdfWriter } from '../../../src/adapters/pdf/pdfWriter.js';
import { PostgresDatabase } from '../../../src/db/database.js';
import type { Database, Sql } from '../../../src/db/sql.js';
import { createIdentityRouter } from '../../../src/api/identity/router.js';
import { createDocumentRouter } from '../../../src/api/documents/router.js';
import { AccountService } from '../../../src/domain/accounts/account.service.js';
import { identityEvents } from '../../../src/domain/accounts/identityEvents.js';
import { DataDownloads } from '../../../src/domain/accounts/dataDownload.js';
import { BillingDetailsService } from '../../../src/domain/payments/billing/billingDetails.service.js';
import { SourceService } from '../../../src/domain/media/library/source.service.js';
import { InvoiceService } from '../../../src/domain/payments/billing/invoice.service.js';
import { StatementService } from '../../../src/domain/payments/billing/statement.service.js';
import { AnalyticsService } from '../../../src/domain/playback/analytics/analytics.service.js';
import { personalData } from '../../../src/domain/operations/personalData/personalData.js';
import { WalletService } from '../../../src/domain/ledger/wallet.service.js';
import { createHttpApp } from '../../../src/api/http/httpApp.js';
import '../cheapPasswords.js';
import { SELLER } from '../billing/seller.js';
import { passSecondFactor } from '../accounts.js';
import { makeDataDir } from '../dataDir.js';
import { createTestDatabase, type TestDatabase } from '../database.js';
import { signIn } from '../service.js';

const PASSWORD = 'correct horse battery';

/** A user with a session. */
export interface Person {
  readonly accountId: string;
  readonly cookie: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

/** The documents in the whole HTTP app, on a real port, with real sessions and its own database. */
export class DocumentRig {
  /** The number of pages of entries read from the database. */
  pagesRead = 0;

  private constructor(
    readonly database: TestDatabase,
    readonly admin: pg.Pool,
    readonly db: PostgresDatabase,
    readonly details: BillingDetailsService,
    readonly url: string,
    readonly store: DiskObjectStore,
    private readonly folder: { remove(): Promise<void> },
    private readonly identity: IdentityService,
    private readonly server: Server,
  ) {}

  static async start(): Promise<DocumentRig> {
    const database = await createTestDatabase();
    const db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 5 });
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const logger = pino({ level: 'silent' });
    const identity = createIdentity({
      runtimeUrl: database.runtimeUrl,
      secret: 'a secret of the tests, long enough for it',
      publicUrl: url,
      mailer: { send: () => Promise.resolve() },
      events: identityEvents(db),
      logger,
    });
    const admin = new pg.Pool({ connectionString: database.migrationUrl, max: 2 });
    admin.on('error', () => undefined);
    const folder = await makeDataDir('dhara-documents-');
    const store = await DiskObjectStore.open({ dir: folder.path, minFreeBytes: 0 });
    const rig = new DocumentRig(
      database,
      admin,
      db,
      new BillingDetailsService(db),
      url,
      store,
      folder,
      identity,
      server,
    );
    const counted = rig.counting(db);
    const documents = createDocumentRouter({
      statements: new StatementService({ db: counted, wallet: new WalletService(db) }),
      invoices: new InvoiceService({ db, seller: SELLER }),
      analytics: new AnalyticsService(db),
      wallet: new WalletService(db),
      sources: new SourceService({ db, store }),
      personalData: (accountId, signal) => personalData(db, accountId, signal),
      dataDownloads: new DataDownloads(db, 0),
      writer: new PdfWriter(),
      seller: SELLER,
      viewerOf: (req: IncomingMessage) => identity.viewerOf(req),
      logger,
    });
    const none = Router();
    server.on(
      'request',
      createHttpApp({
        logger,
        publicUrl: url,
        trustProxies: 0,
        identity: createIdentityRouter({ identity, publicUrl: url, logger }),
        documents,
        rest: none,
        delivery: { router: none },
        uploads: none,
        graphql: none,
        checkReady: () => Promise.resolve(),
        dashboardDir: tmpdir(),
        playerDir: tmpdir(),
      }),
    );
    return rig;
  }

  async person(email: string, role: 'owner' | 'support' = 'owner', name = 'Somebody'): Promise<Person> {
    const accountId = await this.identity.createUser({ email, name, password: PASSWORD, emailVerified: true });
    if (role === 'support') await new AccountService({ db: this.db }).promote(email, role);
    const cookie = await signIn({ url: this.url, email, password: PASSWORD });
    if (role === 'support') await passSecondFactor(this.admin, accountId);
    return { accountId, cookie };
  }

  async get(path: string, person: Person | null, method = 'GET', more: Record<string, string> = {}): Promise<Answer> {
    const headers: Record<string, string> = person === null ? more : { ...more, cookie: person.cookie };
    const response = await fetch(`${this.url}/documents${path}`, { method, headers });
    return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) };
  }

  /** A response that is read only as far as the caller reads. */
  open(path: string, person: Person): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const asked = request(
        `${this.url}/documents${path}`,
        { headers: { cookie: person.cookie }, agent: false },
        resolve,
      );
      asked.once('error', reject);
      asked.end();
    });
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
    await this.identity.close();
    await this.db.close();
    await this.admin.end();
    this.database.leaveUnproven('postings of the past are written by hand');
    await this.database.drop();
    await this.folder.remove();
  }

  private counting(db: PostgresDatabase): Database {
    const sql: Sql = {
      query: (statement, values) => {
        if (statement.name === 'statement-entries') this.pagesRead += 1;
        return db.sql.query(statement, values);
      },
    };
    return { sql, em: () => db.em(), transaction: (work, options) => db.transaction(work, options) };
  }
}
