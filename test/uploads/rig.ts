import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import type { IncomingMessage, Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';

import express from 'express';
import pg from 'pg';
import { pino } from 'pino';

import { PgBossQueue } from '../../src/adapters/queue/pgBossQueue.js';
import { DiskObjectStore } from '../../src/adapters/store/disk.js';
import { DiskUploadStaging } from '../../src/adapters/store/diskStaging.js';
import { PostgresDatabase } from '../../src/db/database.js';
import type { Viewer } from '../../src/domain/accounts/viewer.js';
import { UploadService } from '../../src/domain/videos/uploads.js';
import { createUploadRouter } from '../../src/uploads/router.js';
import { createTestDatabase, type TestDatabase } from '../setup/database.js';

export const PUBLIC_URL = 'https://video.example';
export const MAX_SIZE_BYTES = 8 * 1024 ** 3;
export const EXPIRES_IN_SECONDS = 3600;

/** One process that takes uploads. Two of them on one folder and database are two API processes. */
export class UploadNode {
  private constructor(
    readonly uploads: UploadService,
    readonly store: DiskObjectStore,
    readonly staging: DiskUploadStaging,
    readonly url: string,
    private readonly server: Server,
    private readonly db: PostgresDatabase,
    private readonly queue: PgBossQueue,
  ) {}

  static async start(options: { databaseUrl: string; dir: string; port?: number }): Promise<UploadNode> {
    const logger = pino({ level: 'silent' });
    const db = await PostgresDatabase.connect({ url: options.databaseUrl, maxConnections: 5 });
    const queue = new PgBossQueue({ url: options.databaseUrl, logger, works: false });
    await queue.start();
    const store = await DiskObjectStore.open({ dir: join(options.dir, 'media') });
    const staging = await DiskUploadStaging.open({ dir: join(options.dir, 'uploads') });
    const limits = { maxSizeBytes: MAX_SIZE_BYTES, expiresInSeconds: EXPIRES_IN_SECONDS };
    const uploads = new UploadService({ db, store, staging, jobs: queue, ...limits });
    const app = express();
    app.use('/uploads', createUploadRouter({ uploads, viewerOf, dir: staging.dir, publicUrl: PUBLIC_URL, logger }));
    const server = createServer({ requestTimeout: 0 }, app);
    await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return new UploadNode(uploads, store, staging, `http://127.0.0.1:${port}`, server, db, queue);
  }

  /** Cuts every connection, as a crash would. */
  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
    await this.queue.stop();
    await this.db.close();
  }
}

/** Signed in is who says so in a cookie: sessions have tests of their own. */
function viewerOf(req: IncomingMessage): Promise<Viewer | null> {
  const match = /account=([0-9a-f-]{36})(-suspended)?/.exec(req.headers.cookie ?? '');
  if (match === null) return Promise.resolve(null);
  const accountId = match[1]!;
  return Promise.resolve({
    userId: accountId,
    accountId,
    email: 'someone@example.com',
    emailVerified: true,
    name: 'Someone',
    twoFactorEnabled: false,
    role: 'owner',
    suspended: match[2] !== undefined,
  });
}

/** Rows as the superuser, for making parents and for looking at what came of it. */
export class Rows {
  readonly pool: pg.Pool;

  constructor(migrationUrl: string) {
    this.pool = new pg.Pool({ connectionString: migrationUrl, max: 3 });
  }

  async query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.pool.query<Row>(text, values)).rows;
  }

  async account(): Promise<string> {
    const id = randomUUID();
    await this.query('select open_account($1)', [id]);
    return id;
  }

  async video(accountId: string): Promise<string> {
    const id = randomUUID();
    await this.query(`insert into video (account_id, id, title) values ($1, $2, 'A film')`, [accountId, id]);
    return id;
  }

  async videoState(videoId: string): Promise<{ status: string; source_key: string | null; size_bytes: string | null }> {
    const [row] = await this.query<{ status: string; source_key: string | null; size_bytes: string | null }>(
      'select status, source_key, size_bytes from video where id = $1',
      [videoId],
    );
    return row!;
  }

  async measureJobs(videoId: string): Promise<number> {
    const [row] = await this.query<{ n: string }>(
      `select count(*) n from pgboss.job where name = 'measure-upload' and data->>'videoId' = $1`,
      [videoId],
    );
    return Number(row!.n);
  }

  /** The time until the upload is given up is over. */
  async expire(uploadId: string): Promise<void> {
    await this.query(`update upload set expires_at = now() - interval '1 s' where id = $1`, [uploadId]);
  }

  end(): Promise<void> {
    return this.pool.end();
  }
}

/** A database, a folder and one process over them. */
export class UploadRig {
  private constructor(
    readonly database: TestDatabase,
    readonly rows: Rows,
    readonly node: UploadNode,
    readonly dir: string,
  ) {}

  static async start(): Promise<UploadRig> {
    const database = await createTestDatabase();
    const dir = await mkdtemp(join(tmpdir(), 'dhara-uploads-'));
    const node = await UploadNode.start({ databaseUrl: database.runtimeUrl, dir });
    return new UploadRig(database, new Rows(database.migrationUrl), node, dir);
  }

  /** Another process on the same database and folder. */
  secondNode(): Promise<UploadNode> {
    return UploadNode.start({ databaseUrl: this.database.runtimeUrl, dir: this.dir });
  }

  async stop(): Promise<void> {
    await this.node.stop();
    await this.rows.end();
    await this.database.drop();
    await rm(this.dir, { recursive: true, force: true });
  }

  /** A new account's upload of `sizeBytes` for a new video. */
  async begun(sizeBytes: number) {
    const accountId = await this.rows.account();
    const videoId = await this.rows.video(accountId);
    const { uploadId } = await this.node.uploads.begin(accountId, videoId, { sizeBytes });
    return { accountId, videoId, uploadId, url: `${this.node.url}/uploads/${uploadId}` };
  }

  async sourceOf(videoId: string): Promise<Buffer> {
    const { source_key: key } = await this.rows.videoState(videoId);
    return buffer((await this.node.store.get(key!))!.body);
  }

  stagedFiles(): Promise<string[]> {
    return readdir(join(this.dir, 'uploads'));
  }
}
