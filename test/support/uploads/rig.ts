import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';

import pg from 'pg';

import { createTestDatabase, type TestDatabase } from '../database.js';
import { UploadNode, type UploadNodeOptions } from './uploadNode.js';

/** Where a node keeps videos and uploads; on disk by default. */
export type Keeping = Pick<UploadNodeOptions, 'store' | 'gather'>;

/** Queries as the superuser, to create rows and to check results. */
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
    await this.query(`insert into video (account_id, id, title) values ($1, $2, 'A video')`, [accountId, id]);
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

  /** Makes the upload expire. */
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

  static async start(keeping: Keeping = {}): Promise<UploadRig> {
    const database = await createTestDatabase();
    const dir = await mkdtemp(join(tmpdir(), 'dhara-uploads-'));
    const node = await UploadNode.start({ databaseUrl: database.runtimeUrl, dir, ...keeping });
    return new UploadRig(database, new Rows(database.migrationUrl), node, dir);
  }

  /** Another process on the same database and folder. */
  secondNode(keeping: Keeping = {}): Promise<UploadNode> {
    return UploadNode.start({ databaseUrl: this.database.runtimeUrl, dir: this.dir, ...keeping });
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
