import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { pino, type Logger } from 'pino';
import { afterAll } from 'vitest';

import { PgBossQueue } from '../../../src/adapters/queue/pgBossQueue.js';
import { DiskObjectStore } from '../../../src/adapters/store/disk.js';
import { DiskUploadStaging } from '../../../src/adapters/store/diskStaging.js';
import { createFfmpegTranscoder } from '../../../src/adapters/transcode/ffmpegTranscoder.js';
import { PostgresDatabase } from '../../../src/db/database.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { MediaKeyService } from '../../../src/domain/media/keys/mediaKeys.service.js';
import { AttemptService, type Claim } from '../../../src/domain/media/pipeline/attempt.service.js';
import { ChunkService } from '../../../src/domain/media/pipeline/chunk.service.js';
import { LeftoversService } from '../../../src/domain/media/pipeline/leftovers.service.js';
import { MeasureService } from '../../../src/domain/media/pipeline/measure.service.js';
import { Processing } from '../../../src/domain/media/pipeline/processing.entity.js';
import { ProcessingService } from '../../../src/domain/media/pipeline/processing.service.js';
import { QuoteService } from '../../../src/domain/media/pipeline/quote.service.js';
import { OrphanService } from '../../../src/domain/media/objects/orphan.service.js';
import { walkStore } from '../../../src/domain/media/objects/storeWalk.js';
import type { MasterKeys } from '../../../src/domain/shared/secrets/keyring.js';
import { UploadService } from '../../../src/domain/media/uploads/uploads.js';
import type { Video } from '../../../src/domain/media/library/video.entity.js';
import { BinService } from '../../../src/domain/media/library/bin.service.js';
import { type NewVideo, VideoService } from '../../../src/domain/media/library/video.service.js';
import { VideoPartsService } from '../../../src/domain/media/library/videoParts.js';
import { verifyLedger } from '../../../src/domain/ledger/verify/verify.js';
import { WalletService } from '../../../src/domain/ledger/wallet.service.js';
import type { ObjectStore } from '../../../src/ports/objectStore.js';
import type { Quality, Transcoder } from '../../../src/ports/transcoder.js';
import { createWorker, type Worker } from '../../../src/worker/createWorker.js';
import { openFundedAccount } from '../accounts.js';
import { createTestDatabase, type TestDatabase } from '../database.js';
import { paperProbe } from './paperProbe.js';
import { LONG_WAIT_MS, WAIT_MS } from '../deadlines.js';

const CREDIT = 1_000_000n;

export interface PipelineOptions {
  databaseUrl: string;
  /** Shared by the processes that share the database. */
  dir: string;
  /** Also takes jobs; without it, the process only creates them. */
  works: boolean;
  logger?: Logger;
  /** On disk in `dir` by default. */
  store?: ObjectStore;
  /** The x264 preset; `medium` makes an encode slow enough to be interrupted. */
  preset?: string;
  /** The duration from which a video plays early. */
  earlyPlayFromSeconds?: number;
  /** The size up to which a video is small; 0 for none. */
  smallVideoPixels?: number;
  /** Which videos are made in chunks, and how long the chunks are. */
  chunks?: { chunksFromSeconds: number; chunkSeconds: number };
  /** Random by default. */
  masterKeys?: MasterKeys;
  /** A small number makes a short video use several keys. */
  segmentsPerKey?: number;
  /** How many videos are encoded at once; 1 by default. */
  concurrency?: number;
  /** Called with a finished ladder before any of it is stored. */
  onEncoded?: (outputDir: string) => Promise<void>;
}

/** Everything from a purchase to a playing video, as in one process. */
export class Pipeline {
  readonly attempts: AttemptService;
  readonly chunks: ChunkService;
  readonly measures: MeasureService;
  readonly mediaKeys: MediaKeyService;
  readonly wallet: WalletService;
  readonly parts: VideoPartsService;
  readonly uploads: UploadService;
  readonly videos: VideoService;
  readonly bin: BinService;
  readonly processing: ProcessingService;
  readonly leftovers: LeftoversService;
  readonly worker: Worker;

  private constructor(
    readonly db: PostgresDatabase,
    readonly queue: PgBossQueue,
    readonly store: ObjectStore,
    staging: DiskUploadStaging,
    readonly transcoder: Transcoder,
    readonly workDir: string,
    logger: Logger,
    { masterKeys = { current: randomBytes(32), previous: [] }, segmentsPerKey, ...options }: PipelineOptions,
  ) {
    const attempts = new AttemptService(db);
    const measures = new MeasureService(db);
    this.attempts = attempts;
    this.measures = measures;
    this.mediaKeys = new MediaKeyService({ db, masterKeys, ...(segmentsPerKey && { segmentsPerKey }) });
    this.wallet = new WalletService(db);
    this.parts = new VideoPartsService(db);
    this.uploads = new UploadService({
      db,
      store,
      staging,
      jobs: queue,
      maxSizeBytes: 1_000_000_000,
      expiresInSeconds: 3600,
    });
    this.videos = new VideoService({ db, queue, uploads: this.uploads });
    this.bin = new BinService({ db, queue, videos: this.videos });
    this.processing = new ProcessingService({ db, queue, quotes: new QuoteService(db) });
    this.chunks = new ChunkService({ db, queue, store });
    this.leftovers = new LeftoversService({ db, store, queue, attempts, measures });
    this.worker = createWorker({
      ...this.services(),
      jobs: queue,
      transcoder,
      logger,
      workDir,
      concurrency: options.concurrency ?? 1,
      ...(options.earlyPlayFromSeconds !== undefined && { earlyPlayFromSeconds: options.earlyPlayFromSeconds }),
      ...(options.smallVideoPixels !== undefined && { smallVideoPixels: options.smallVideoPixels }),
      ...options.chunks,
    });
  }

  static async start(options: PipelineOptions): Promise<Pipeline> {
    const { databaseUrl: url, dir, works, logger = pino({ level: process.env['TEST_LOG'] ?? 'silent' }) } = options;
    const db = await PostgresDatabase.connect({ url, maxConnections: 5, connectTimeoutMs: WAIT_MS });
    const queue = new PgBossQueue({ url, logger, works });
    await queue.start();
    const store = options.store ?? (await DiskObjectStore.open({ dir: join(dir, 'media') }));
    const staging = await DiskUploadStaging.open({ dir: join(dir, 'uploads') });
    const ffmpeg = await createFfmpegTranscoder({
      preset: options.preset ?? 'ultrafast',
      searchPath: process.env['PATH'],
    });
    const transcoder = options.onEncoded ? watched(ffmpeg, options.onEncoded) : ffmpeg;
    const pipeline = new Pipeline(db, queue, store, staging, transcoder, join(dir, 'work'), logger, options);
    if (works) await pipeline.worker.start();
    return pipeline;
  }

  /** The services that a worker needs. */
  services() {
    const { attempts, chunks, leftovers, measures, mediaKeys, processing, store, uploads } = this;
    return { attempts, chunks, leftovers, measures, mediaKeys, processing, store, uploads };
  }

  async stop(): Promise<void> {
    await this.worker.stop();
    await this.queue.stop();
    await this.db.close();
  }

  /** An account with this many credits in CREATIVE. */
  account(credits: bigint): Promise<string> {
    return openFundedAccount(this.db, { creativeMicros: credits * CREDIT });
  }

  async topUp(accountId: string, credits: bigint): Promise<void> {
    await openFundedAccount(this.db, { accountId, creativeMicros: credits * CREDIT });
  }

  /** A video whose file has just arrived, for a worker to measure. */
  async uploaded(
    accountId: string,
    path: string,
    chosen: { quality: Quality } | null = null,
    wish: Pick<NewVideo, 'testFault' | 'testFaultSeconds'> = {},
  ): Promise<string> {
    const { size: sizeBytes } = await stat(path);
    const { video, upload } = await this.videos.create(accountId, {
      filename: path,
      sizeBytes,
      quality: chosen?.quality,
      autoProcess: chosen !== null,
      ...wish,
    });
    await this.store.put(`sources/${accountId}/${video.id}/${upload.uploadId}`, createReadStream(path));
    await this.uploads.finish({ accountId, uploadId: upload.uploadId });
    return video.id;
  }

  /** A measured video, which can be quoted. */
  async measured(accountId: string, path: string): Promise<string> {
    const videoId = await this.uploaded(accountId, path);
    const job = { accountId, videoId };
    const source = await this.measures.begin(job);
    await this.measures.measured(job, source!, await this.transcoder.probe(path));
    return videoId;
  }

  /** Quotes and buys. Returns the attempt. */
  async buy(accountId: string, videoId: string, quality: Quality, { encryption = false } = {}): Promise<number> {
    const quote = await this.processing.quote(accountId, videoId, { quality, branding: false, encryption });
    return (await this.processing.process(accountId, quote.id)).attempt;
  }

  /** A bought paper video at 720p, whose first run is claimed. Its account had ten credits. */
  async claimed({ encryption = false } = {}): Promise<{ accountId: string; videoId: string; claim: Claim }> {
    const accountId = await this.account(10n);
    const videoId = await this.paperVideo(accountId);
    const attempt = await this.buy(accountId, videoId, '720p', { encryption });
    const claim = await this.attempts.claim({ accountId, videoId, attempt });
    return { accountId, videoId, claim: claim! };
  }

  /** Waits until the video is as wanted. */
  async until(
    accountId: string,
    videoId: string,
    wanted: (video: Video) => boolean,
    limitMs = LONG_WAIT_MS,
  ): Promise<Video> {
    return until(async () => {
      const video = await this.videos.get(accountId, videoId);
      return wanted(video) ? video : null;
    }, limitMs);
  }

  /** The newest attempt, also of a deleted video. */
  async processingOf(accountId: string, videoId: string): Promise<Processing> {
    const [newest] = await this.db
      .em()
      .find(Processing, { accountId, videoId }, { orderBy: { attempt: 'desc' }, limit: 1 });
    return newest!;
  }

  /** Removes files that nothing names, however young they are. Returns how many. */
  async removeOrphans(): Promise<number> {
    const { db, store } = this;
    const { signal } = new AbortController();
    const orphans = new OrphanService({ db, store }).collect(Date.now() + 86_400_000, 0);
    for await (const walked of walkStore({ sql: db.sql, store }, signal)) orphans.look(walked);
    return (await orphans.remove(signal)).removed;
  }

  /** Keys under a prefix. */
  async keys(prefix: string): Promise<string[]> {
    const keys: string[] = [];
    for await (const { key } of this.store.list(prefix)) keys.push(key);
    return keys;
  }

  rows<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.db.sql.query<Row>({ name: '', text }, values);
  }

  /** The relevant balances of the wallet, and the number of faults in the books. */
  async books(accountId: string): Promise<{ creative: bigint; escrow: bigint; revenue: bigint; faults: number }> {
    const balances = await this.wallet.balances(accountId);
    const { faults } = await verifyLedger(this.db);
    return {
      creative: balances.CREATIVE,
      escrow: balances.ESCROW,
      revenue: balances.REVENUE_PROCESSING,
      faults: faults.length,
    };
  }

  /** A measured one-minute video without a file, for everything but processing. */
  async paperVideo(accountId: string, { durationMs = 60_000, height = 720 } = {}): Promise<string> {
    const id = newId();
    const probe = paperProbe(durationMs, height);
    await this.db.sql.query(
      {
        name: 'test-paper-video',
        text: `insert into video (account_id, id, title, status, duration_ms, source_probe, source_key, size_bytes)
          values ($1, $2, 'paper', 'uploaded', $3, $4, 'sources/none', 1000)`,
      },
      [accountId, id, durationMs, JSON.stringify(probe)],
    );
    return id;
  }
}

function watched(ffmpeg: Transcoder, onEncoded: (outputDir: string) => Promise<void>): Transcoder {
  const encode: Transcoder['encode'] = async (request) => {
    const ladder = await ffmpeg.encode(request);
    await onEncoded(request.outputDir);
    return ladder;
  };
  return Object.assign(Object.create(ffmpeg) as Transcoder, { encode });
}

/** Polls until there is a result. @throws after the limit, so that the test fails and does not hang. */
export async function until<T>(ask: () => Promise<T | null | false>, limitMs = LONG_WAIT_MS): Promise<T> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const answer = await ask();
    if (answer !== null && answer !== false) return answer;
    if (performance.now() > deadline) throw new Error(`nothing came within ${limitMs} ms`);
    await delay(50);
  }
}

/** A folder that the sandboxed programs can reach, removed by `await using`. */
export async function pipelineFolder(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'dhara-pipeline-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}

/** One process with a database and its own folder. */
export interface PipelineScene {
  readonly database: TestDatabase;
  /** Clips may be made here, too. */
  readonly dir: string;
  readonly pipeline: Pipeline;
  close(): Promise<void>;
}

/** A scene for the tests of the file that calls it, closed after them. */
export async function sceneOfFile(options: Partial<PipelineOptions> = {}): Promise<PipelineScene> {
  const scene = await openScene(options);
  afterAll(() => scene.close());
  return scene;
}

/** Without options, it creates jobs and takes none. */
export async function openScene(options: Partial<PipelineOptions> = {}): Promise<PipelineScene> {
  const database = await createTestDatabase();
  const folder = await pipelineFolder();
  const dir = folder.path;
  const pipeline = await Pipeline.start({ databaseUrl: database.runtimeUrl, dir, works: false, ...options });
  return {
    database,
    dir,
    pipeline,
    close: async () => {
      await pipeline.stop();
      await database.drop();
      await folder[Symbol.asyncDispose]();
    },
  };
}
