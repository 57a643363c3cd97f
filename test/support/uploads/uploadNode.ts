import type { IncomingMessage, Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import express from 'express';
import { pino } from 'pino';

import { PgBossQueue } from '../../../src/adapters/queue/pgBossQueue.js';
import { DiskObjectStore } from '../../../src/adapters/store/disk.js';
import { DiskUploadStaging } from '../../../src/adapters/store/diskStaging.js';
import { PostgresDatabase } from '../../../src/db/database.js';
import type { Viewer } from '../../../src/domain/accounts/viewer.js';
import { UploadService } from '../../../src/domain/media/uploads/uploads.js';
import type { Sql } from '../../../src/db/sql.js';
import type { ObjectStore } from '../../../src/ports/objectStore.js';
import type { UploadStaging } from '../../../src/ports/uploadStaging.js';
import { createUploadRouter } from '../../../src/api/uploads/router.js';

export const PUBLIC_URL = 'https://video.example';
export const MAX_SIZE_BYTES = 8 * 1024 ** 3;
export const EXPIRES_IN_SECONDS = 3600;

export interface UploadNodeOptions {
  readonly databaseUrl: string;
  readonly dir: string;
  readonly port?: number;
  /** On disk in `dir` by default. */
  readonly store?: ObjectStore;
  /** Where parts of uploads are collected; in `dir` by default. */
  readonly gather?: (sql: Sql) => UploadStaging;
}

/** One process that takes uploads. Two of them on one folder and database are like two API processes. */
export class UploadNode {
  private constructor(
    readonly uploads: UploadService,
    readonly store: ObjectStore,
    readonly staging: DiskUploadStaging,
    readonly url: string,
    readonly logLines: readonly string[],
    private readonly server: Server,
    readonly db: PostgresDatabase,
    private readonly queue: PgBossQueue,
  ) {}

  static async start(options: UploadNodeOptions): Promise<UploadNode> {
    const logLines: string[] = [];
    const logger = pino({ level: 'trace' }, { write: (line: string) => void logLines.push(line) });
    const db = await PostgresDatabase.connect({ url: options.databaseUrl, maxConnections: 5 });
    const queue = new PgBossQueue({ url: options.databaseUrl, logger, works: false });
    await queue.start();
    const store = options.store ?? (await DiskObjectStore.open({ dir: join(options.dir, 'media') }));
    const staging = await DiskUploadStaging.open({ dir: join(options.dir, 'uploads') });
    const limits = { maxSizeBytes: MAX_SIZE_BYTES, expiresInSeconds: EXPIRES_IN_SECONDS };
    const gather = options.gather?.(db.sql) ?? staging;
    const uploads = new UploadService({ db, store, staging: gather, jobs: queue, ...limits });
    // No poster is sent here.
    const posters = { takePicture: () => Promise.resolve() };
    const app = express();
    app.use('/uploads', createUploadRouter({ uploads, posters, viewerOf, publicUrl: PUBLIC_URL, logger }));
    const server = createServer({ requestTimeout: 0 }, app);
    await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return new UploadNode(uploads, store, staging, `http://127.0.0.1:${port}`, logLines, server, db, queue);
  }

  /** Cuts every connection, like a crash. */
  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
    await this.queue.stop();
    await this.db.close();
  }
}

/** Trusts the account in the cookie: sessions have their own tests. */
function viewerOf(req: IncomingMessage): Promise<Viewer | null> {
  const match = /account=([0-9a-f-]{36})(-suspended)?/.exec(req.headers.cookie ?? '');
  if (match === null) return Promise.resolve(null);
  const accountId = match[1]!;
  return Promise.resolve({
    userId: accountId,
    sessionId: accountId,
    accessToken: null,
    accountId,
    email: 'someone@example.com',
    emailVerified: true,
    name: 'Someone',
    twoFactorEnabled: false,
    twoFactorPassed: false,
    mode: 'live',
    role: 'owner',
    suspended: match[2] !== undefined,
    view: null,
  });
}
