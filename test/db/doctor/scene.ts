import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import pg from 'pg';
import { pino } from 'pino';

import { createApp, type App } from '../../../src/app.js';
import { loadConfig } from '../../../src/config/config.js';
import { pendingMigrations } from '../../../src/db/pendingMigrations.js';
import type { Database } from '../../../src/db/sql.js';
import { allChecks } from '../../../src/domain/operations/doctor/checks/index.js';
import { Doctor, type DoctorReport } from '../../../src/domain/operations/doctor/doctor.js';
import type { Machine, Services } from '../../../src/domain/operations/doctor/services.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { openFundedAccount } from '../../support/accounts.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

const CREDIT = 1_000_000n;
const HOUR_MS = 3_600_000;

export interface ExamineOptions {
  readonly repair?: boolean;
  readonly machine?: Partial<Machine>;
  readonly services?: Services;
  readonly db?: Database;
  readonly lowSpaceBytes?: number;
  readonly statementSeconds?: number;
}

/** The whole service, built as for a command, on a database and its own data directory. */
export class DoctorScene {
  readonly account: string;

  private constructor(
    readonly database: TestDatabase,
    readonly dataDir: string,
    readonly app: App,
    /** As the superuser. */
    readonly admin: pg.Pool,
    readonly masterKey: Buffer,
    account: string,
  ) {
    this.account = account;
  }

  static async open(): Promise<DoctorScene> {
    const database = await createTestDatabase();
    const dataDir = await mkdtemp(join(tmpdir(), 'dhara-doctor-'));
    await chmod(dataDir, 0o711);
    const masterKey = randomBytes(32);
    const app = await createApp({
      role: 'admin',
      config: loadConfig({
        NODE_ENV: 'test',
        PAYMENT_SANDBOX: 'true',
        DATA_DIR: dataDir,
        DATABASE_URL: database.runtimeUrl,
      }),
      masterKey,
      runtimeUrl: database.runtimeUrl,
      publicUrl: 'http://localhost:4000',
      logger: pino({ level: 'silent' }),
    });
    await app.queue.start();
    const admin = new pg.Pool({ connectionString: database.migrationUrl, max: 2, options: '-c timezone=UTC' });
    admin.on('error', () => undefined);
    const account = await openFundedAccount(app.db, { creativeMicros: 100n * CREDIT });
    return new DoctorScene(database, dataDir, app, admin, masterKey, account);
  }

  async close(): Promise<void> {
    await this.app.queue.stop();
    await this.app.stop();
    await this.admin.end();
    await this.database.drop();
    await rm(this.dataDir, { recursive: true, force: true });
  }

  examine(options: ExamineOptions = {}): Promise<DoctorReport> {
    const machine: Machine = {
      pendingMigrations: () => pendingMigrations(this.app.db.sql),
      nowMs: () => Date.now(),
      replicaFault: () => Promise.resolve(null),
      findSandbox: () => Promise.resolve('bwrap'),
      ...options.machine,
    };
    const { lowSpaceBytes = 1, statementSeconds = 10 } = options;
    const doctor = new Doctor({
      db: options.db ?? this.app.db,
      checks: () => allChecks(options.services ?? (() => this.app), machine, { lowSpaceBytes }),
      statementSeconds,
    });
    return doctor.examine({ repair: options.repair ?? false, signal: new AbortController().signal });
  }

  async sql(text: string, values: unknown[] = []): Promise<Record<string, string>[]> {
    return (await this.admin.query<Record<string, string>>(text, values)).rows;
  }

  /** Inserts a video row with these columns. Returns its id. */
  async video(columns: Record<string, unknown>): Promise<string> {
    const id = newId();
    const all = { account_id: this.account, id, title: 'stuck', ...columns };
    const names = Object.keys(all);
    const places = names.map((_, index) => `$${index + 1}`);
    await this.sql(`insert into video (${names.join(', ')}) values (${places.join(', ')})`, Object.values(all));
    return id;
  }

  /** A measured video of one minute, bought in 480p and queued. */
  async bought(): Promise<{ accountId: string; videoId: string; attempt: number }> {
    const videoId = await this.video({
      status: 'uploaded',
      duration_ms: 60_000,
      source_key: 'sources/none',
      source_probe: JSON.stringify(PROBE),
    });
    const choice = { quality: '480p', branding: false, encryption: false } as const;
    const quote = await this.app.processing.quote(this.account, videoId, choice);
    return { accountId: this.account, ...(await this.app.processing.process(this.account, quote.id)) };
  }

  /** An upload of ten bytes, of which `arrived` came two hours ago. */
  async upload(arrived: number): Promise<{ videoId: string; uploadId: string; accountId: string }> {
    const accountId = this.account;
    const { video, upload } = await this.app.videos.create(accountId, { filename: 'a.mp4', sizeBytes: 10 });
    const ref = { accountId, uploadId: upload.uploadId };
    await this.app.uploads.touch(ref);
    await this.file(this.stagedPath(ref), arrived);
    await this.sql(`update upload set created_at = created_at - interval '2 hours' where id = $1`, [ref.uploadId]);
    return { ...ref, videoId: video.id };
  }

  stagedPath({ accountId, uploadId }: { accountId: string; uploadId: string }): string {
    return join(this.dataDir, 'uploads', `${accountId}.${uploadId}`);
  }

  /** An object written two hours ago. */
  object(key: string, sizeBytes = 10): Promise<void> {
    return this.file(join(this.dataDir, 'store', 'objects', key), sizeBytes);
  }

  async file(path: string, sizeBytes: number, hoursOld = 2): Promise<void> {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, Buffer.alloc(sizeBytes));
    const then = new Date(Date.now() - hoursOld * HOUR_MS);
    await utimes(path, then, then);
  }
}

/** The names of the checks that found something, or that failed. */
export function stuck(report: DoctorReport): string[] {
  return report.checks.filter(({ findings, error }) => findings.count > 0 || error !== null).map(({ name }) => name);
}

const RATE = { numerator: 25, denominator: 1 };
const PROBE = {
  container: 'mp4',
  durationMs: 60_000,
  sizeBytes: 1000,
  video: {
    streamIndex: 0,
    codec: 'h264',
    profile: null,
    width: 854,
    height: 480,
    displayWidth: 854,
    displayHeight: 480,
    rotation: 0,
    frameRate: RATE,
    tickRate: RATE,
    variableFrameRate: false,
    interlaced: false,
    pixelFormat: 'yuv420p',
    colorTransfer: null,
    bitrateBps: null,
    startsAfterMs: 0,
  },
  audio: null,
};
