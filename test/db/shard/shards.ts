import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import pg from 'pg';
import { pino } from 'pino';
import { inject } from 'vitest';

import { PgBossQueue } from '../../../src/adapters/queue/pgBossQueue.js';
import { FileSealArchive } from '../../../src/adapters/seals/fileSealArchive.js';
import { PostgresDatabase } from '../../../src/db/database.js';
import { installVirtualClock, setClockOffset } from '../../../src/db/virtualClock.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { generateKey } from '../../../src/domain/accounts/keys/keyFormat.js';
import { PaymentInbox } from '../../../src/domain/payments/inbox/inbox.js';
import { RefundService } from '../../../src/domain/payments/refunds/refund.service.js';
import { TopUpService } from '../../../src/domain/payments/topUps/topUp.service.js';
import { PlaybackService } from '../../../src/domain/playback/playback.service.js';
import { ProcessingService } from '../../../src/domain/media/pipeline/processing.service.js';
import { QuoteService } from '../../../src/domain/media/pipeline/quote.service.js';
import { LedgerAudit } from '../../../src/domain/ledger/seals/ledgerAudit.js';
import { StorageService } from '../../../src/domain/payments/storage/storage.service.js';
import { WalletService } from '../../../src/domain/ledger/wallet.service.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { PaperProvider } from '../../support/payments.js';

/** The time of all tests here: the night of the day before is due. */
export const NOON = '2027-03-02T12:00:00Z';
const LAST_CHARGED_DAY = '2027-02-28';
const PUBLIC_URL = 'http://localhost:4000';

/** One database, and the services over it. */
export class Shard {
  readonly wallet: WalletService;
  readonly processing: ProcessingService;
  readonly storage: StorageService;
  readonly razorpay = new PaperProvider('razorpay', 'INR');
  readonly topUps: TopUpService;
  readonly inbox: PaymentInbox;
  readonly refunds: RefundService;
  readonly audit: LedgerAudit;

  private constructor(
    readonly database: TestDatabase,
    readonly db: PostgresDatabase,
    readonly playback: PlaybackService,
    private readonly queue: PgBossQueue,
    private readonly dir: string,
  ) {
    const logger = pino({ level: 'silent' });
    const providers = new Map([[this.razorpay.name, this.razorpay]]);
    const payerKey = randomBytes(32);
    this.wallet = new WalletService(db);
    this.processing = new ProcessingService({ db, queue, quotes: new QuoteService(db) });
    this.storage = new StorageService(db);
    this.topUps = new TopUpService({
      db,
      providers,
      rates: { usdToInr: () => Promise.reject(new Error('rupees need no rate')) },
      maxRateAgeHours: 24,
      publicUrl: PUBLIC_URL,
    });
    this.inbox = new PaymentInbox({ db, providers, logger, payerKey });
    this.refunds = new RefundService({ db, providers, logger, payerKey, staffLimitMicros: 1_000_000_000n });
    this.audit = new LedgerAudit({ db, archive: new FileSealArchive({ dir }) });
  }

  static async open(): Promise<Shard> {
    const database = await createTestDatabase();
    await installVirtualClock(database.migrationUrl);
    await setClockOffset(database.migrationUrl, Date.parse(NOON) - Date.now());
    await asOwner(database.migrationUrl, 'update storage_night set day = $1', [LAST_CHARGED_DAY]);
    const db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 6 });
    const logger = pino({ level: 'silent' });
    const queue = new PgBossQueue({ url: database.runtimeUrl, logger, works: false, maxConnections: 1 });
    await queue.start();
    const playback = await PlaybackService.open({ db, masterKey: randomBytes(32), publicUrl: PUBLIC_URL });
    return new Shard(database, db, playback, queue, await mkdtemp(join(tmpdir(), 'dhara-shard-')));
  }

  /** An account with an API key, a playable video, a video to buy, and a stored gigabyte. */
  async tenant(accountId: string): Promise<Tenant> {
    const key = generateKey('test');
    const [playable, measured] = [newId(), newId()];
    const probe = {
      container: 'mp4',
      durationMs: 60_000,
      sizeBytes: 1000,
      video: {
        displayWidth: 1280,
        displayHeight: 720,
        frameRate: { numerator: 25, denominator: 1 },
        tickRate: { numerator: 25, denominator: 1 },
        variableFrameRate: false,
      },
      audio: { channels: 2 },
    };
    const run = (text: string, values: unknown[]) => asOwner(this.database.migrationUrl, text, values);
    await run('select open_account($1)', [accountId]);
    await run(`insert into api_key (account_id, id, name, hash, prefix, last4) values ($1, $2, 'a key', $3, $4, $5)`, [
      accountId,
      newId(),
      key.hash,
      key.prefix,
      key.last4,
    ]);
    await run(
      `insert into video (account_id, id, title, status, duration_ms, source_probe, source_key, size_bytes)
        select $1, id, title, 'uploaded', 60000, $4::jsonb, 'sources/none', 1000
        from (values ($2::uuid, 'A video that plays'), ($3::uuid, 'A video to buy')) video(id, title)`,
      [accountId, playable, measured, JSON.stringify(probe)],
    );
    await run(
      `update video set status = 'ready', playable_rungs = '{480p,audio}', pictures_prefix = 'videos/x/',
        quality = '480p', ready_at = service_now() where id = $1`,
      [playable],
    );
    await run(
      `insert into rendition (account_id, video_id, quality, bitrate, average_bitrate, codecs, size_bytes, path, prefix)
        select $1, $2, quality, 1000, 900, 'mp4a.40.2', 5, 'x', 'videos/x/' from unnest(array['audio', '480p']) quality`,
      [accountId, playable],
    );
    await run(
      `insert into stored_object (account_id, key, video_id, size_bytes, stored_at)
        values ($1, 'sources/' || $2::text, $2::uuid, 1000000000, '2027-02-01')`,
      [accountId, measured],
    );
    return { accountId, key: key.text, playable, measured };
  }

  /** Ends all connections and refuses new ones, so that everything that needs this database fails. */
  async shut(): Promise<void> {
    await this.asServer(`alter database ${this.database.name} allow_connections false`);
    await this.asServer(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${this.database.name}'`,
    );
  }

  async reopen(): Promise<void> {
    await this.asServer(`alter database ${this.database.name} allow_connections true`);
  }

  async close(): Promise<void> {
    await this.reopen();
    this.playback.close();
    await this.inbox.stop();
    await this.queue.stop();
    await this.db.close();
    await this.database.drop();
    await rm(this.dir, { recursive: true });
  }

  private async asServer(text: string): Promise<void> {
    await asOwner(`${inject('testPostgres').superuserBaseUrl}postgres`, text, []);
  }
}

export interface Tenant {
  readonly accountId: string;
  readonly key: string;
  readonly playable: string;
  readonly measured: string;
}

/** Knows the database of each account; callers need nothing else. */
export class Router {
  private readonly shards = new Map<string, Shard>();

  place(accountId: string, shard: Shard): void {
    this.shards.set(accountId, shard);
  }

  of(accountId: string): Shard {
    const shard = this.shards.get(accountId);
    if (!shard) throw new Error(`nobody knows where ${accountId} lives`);
    return shard;
  }
}

async function asOwner(url: string, text: string, values: unknown[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(text, values);
  } finally {
    await client.end();
  }
}
