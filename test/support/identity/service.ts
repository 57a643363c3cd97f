import { createHmac } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import express from 'express';
import pg from 'pg';
import { pino } from 'pino';

import { createIdentityRouter } from '../../../src/api/identity/router.js';
import { PostgresDatabase } from '../../../src/db/database.js';
import { identityEvents } from '../../../src/domain/accounts/identityEvents.js';
import { createIdentity, type IdentityService as Identity } from '../../../src/adapters/identity/createIdentity.js';
import { toAppError } from '../../../src/errors.js';
import { IDENTITY_PATH } from '../../../src/ports/identity.js';
import type { Email } from '../../../src/ports/mailer.js';
import '../cheapPasswords.js';
import { createTestDatabase, type TestDatabase } from '../database.js';

const MAIN_CONNECTIONS = 2;
export const PASSWORD = 'correct horse battery';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** A browser that keeps cookies and sends its origin. */
export class Browser {
  private readonly jar = new Map<string, string>();

  constructor(
    private readonly service: IdentityService,
    private readonly headers: Readonly<Record<string, string>> = {},
  ) {}

  post(path: string, body: object = {}, headers: Record<string, string> = {}): Promise<Reply> {
    return this.request(`${this.service.url}/api/auth${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', origin: this.service.url, ...this.headers, ...headers },
    });
  }

  get(url: string): Promise<Reply> {
    return this.request(url, { method: 'GET', headers: { ...this.headers } });
  }

  /** The result of `viewerOf` for this browser. */
  viewer(): Promise<Reply> {
    return this.get(`${this.service.url}/viewer`);
  }

  cookie(name: string): string | undefined {
    return this.jar.get(name);
  }

  setCookie(name: string, value: string): void {
    this.jar.set(name, value);
  }

  private async request(url: string, init: { method: string; headers: Record<string, string>; body?: string }) {
    const cookie = [...this.jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = cookie === '' ? init.headers : { ...init.headers, cookie };
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) this.keep(line);
    const text = await response.text();
    const body = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {};
    return { status: response.status, headers: response.headers, body };
  }

  private keep(line: string): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const at = pair.indexOf('=');
    const gone = attributes.some((attribute) => attribute.toLowerCase() === 'max-age=0');
    if (gone) this.jar.delete(pair.slice(0, at));
    else this.jar.set(pair.slice(0, at), pair.slice(at + 1));
  }
}

/** A real identity service on a real port, with its own database. */
export class IdentityService {
  private constructor(
    readonly identity: Identity,
    readonly database: TestDatabase,
    private readonly db: PostgresDatabase,
    readonly admin: pg.Pool,
    readonly url: string,
    readonly emails: Email[],
    private readonly server: Server,
  ) {}

  static async start(
    options: {
      trustProxy?: number;
      failEmails?: boolean;
      publicUrl?: string;
      runtimeUrl?: (url: string) => string;
    } = {},
  ): Promise<IdentityService> {
    const database = await createTestDatabase();
    const admin = new pg.Pool({ connectionString: database.migrationUrl, max: 2 });
    // Dropping the database ends connections that are still open.
    admin.on('error', () => {});
    const app = express().set('trust proxy', options.trustProxy ?? false);
    const server = app.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const emails: Email[] = [];
    const db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: MAIN_CONNECTIONS });
    const publicUrl = options.publicUrl ?? url;
    const logger = pino({ level: 'silent' });
    const identity = createIdentity({
      runtimeUrl: options.runtimeUrl?.(database.runtimeUrl) ?? database.runtimeUrl,
      secret: 'a secret of at least thirty-two characters',
      publicUrl,
      fixedAddress: 'demo@example.com',
      events: identityEvents(db),
      logger,
      mailer: {
        send: async (email) => {
          if (options.failEmails) throw new Error('no mail server');
          emails.push(email);
        },
      },
    });
    app.use(IDENTITY_PATH, createIdentityRouter({ identity, publicUrl, logger }));
    app.get('/viewer', async (req, res) => {
      try {
        res.json({ viewer: await identity.viewerOf(req) });
      } catch (error) {
        res.status(toAppError(error).status).json({ code: toAppError(error).code });
      }
    });
    return new IdentityService(identity, database, db, admin, url, emails, server);
  }

  browser(headers: Readonly<Record<string, string>> = {}): Browser {
    return new Browser(this, headers);
  }

  /** A confirmed user, signed in. */
  async signedIn(email = 'ada@example.com'): Promise<Browser> {
    await this.identity.createUser({ email, password: PASSWORD, name: 'Ada', emailVerified: true });
    const browser = this.browser();
    await browser.post('/sign-in/email', { email, password: PASSWORD });
    return browser;
  }

  /** The link in the newest email to this address. */
  linkTo(email: string): string {
    const found = this.emails.findLast((candidate) => candidate.to === email);
    const link = /^http\S+$/m.exec(found?.text ?? '')?.[0];
    if (!link) throw new Error(`No email with a link to ${email}.`);
    return link;
  }

  async rows<Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.admin.query<Row>(sql, values)).rows;
  }

  /** Takes every connection of the pool that identity does not have for itself. Returns what gives them back. */
  async holdConnections(): Promise<() => void> {
    const held = await Promise.all(Array.from({ length: MAIN_CONNECTIONS }, () => this.db.pool.connect()));
    return () => held.forEach((client) => client.release());
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
    await this.identity.close();
    await this.db.close();
    await this.admin.end();
    await this.database.drop();
  }
}

/** The code that an authenticator app shows for `otpauth://…`, `steps` half-minutes from now. */
export function totpCode(uri: string, steps = 0): string {
  const secret = base32(new URL(uri).searchParams.get('secret') ?? '');
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps));
  const digest = createHmac('sha1', secret).update(counter).digest();
  const offset = digest[19]! & 15;
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1e6).padStart(6, '0');
}

function base32(text: string): Buffer {
  const bits = text
    .split('')
    .map((c) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(c).toString(2).padStart(5, '0'))
    .join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2)));
}
