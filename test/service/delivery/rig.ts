import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';

import express from 'express';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll } from 'vitest';

import { DiskObjectStore } from '../../../src/adapters/store/disk.js';
import { PostgresDatabase } from '../../../src/db/database.js';
import { createDelivery } from '../../../src/api/delivery/router.js';
import { ObjectCache } from '../../../src/api/delivery/objectCache.js';
import type { SegmentSource } from '../../../src/api/delivery/segmentSource.js';
import { videoIdOf } from '../../../src/domain/shared/ids.js';
import { MediaKeyService } from '../../../src/domain/media/keys/mediaKeys.service.js';
import { createGrant } from '../../../src/domain/playback/grants.js';
import { PublishedMedia } from '../../../src/domain/media/library/publishedMedia.js';
import type { ObjectStore } from '../../../src/ports/objectStore.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { CuttableProxy } from '../../support/uploads/cuttableProxy.js';

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface PublishedVideo {
  accountId: string;
  videoId: string;
  vid: string;
  prefix: string;
  posterUrl: string;
}

/** What a grant opens, one file of each kind. */
export const FILES_OF_A_GRANT = [
  'master.m3u8',
  '1-2/480p/index.m3u8',
  '1-2/480p/iframes.m3u8',
  '1-2/480p/init.mp4',
  '1-2/480p/seg_00000.m4s',
  '1-2/audio/seg_00000.m4s',
];

export const SEGMENT = randomBytes(100_000);
export const INIT = randomBytes(800);
export const POSTER = randomBytes(5000);
export const MEDIA_PLAYLIST =
  '#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-MAP:URI="init.mp4"\n#EXTINF:4,\nseg_00000.m4s\n#EXT-X-ENDLIST\n';

/** Refers to the keyframe of its one segment. */
const KEY_FRAMES_PLAYLIST =
  '#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-I-FRAMES-ONLY\n#EXT-X-MAP:URI="init.mp4"\n#EXTINF:4,\n#EXT-X-BYTERANGE:90@10\nseg_00000.m4s\n#EXT-X-ENDLIST\n';

/** The default of the service. */
const CACHE_BYTES = 64 * 1024 * 1024;

/** The delivery router over its own database and store. */
export class DeliveryRig {
  readonly grantKey = randomBytes(32);
  readonly logLines: string[] = [];
  private constructor(
    private readonly database: TestDatabase,
    /** The service's connection to the database. */
    readonly way: CuttableProxy,
    private readonly db: PostgresDatabase,
    readonly rows: pg.Pool,
    readonly store: ObjectStore,
    private readonly dir: string,
    private readonly segments: SegmentSource | null,
    private readonly cacheBytes: number,
    private readonly isAccelerated: boolean,
  ) {}

  private server!: Server;
  media!: PublishedMedia;
  /** The number of responses made without the router. */
  atOnce = 0;
  nowEpochSeconds = (): number => Date.now() / 1000;
  port = 0;

  /** For the tests of the file that calls it. Stops after them. */
  static async ofFile(): Promise<DeliveryRig> {
    const rig = await DeliveryRig.start();
    afterAll(() => rig.stop());
    return rig;
  }

  /** Starts with a store on disk, or with another store whose segments are fetched elsewhere. */
  static async start(
    other: { store?: ObjectStore; segments?: SegmentSource; cacheBytes?: number; isAccelerated?: boolean } = {},
  ): Promise<DeliveryRig> {
    const database = await createTestDatabase();
    const way = await CuttableProxy.to(database.runtimeUrl);
    const db = await PostgresDatabase.connect({ url: way.url, maxConnections: 3 });
    const rows = new pg.Pool({ connectionString: database.migrationUrl, max: 1 });
    const dir = await mkdtemp(join(tmpdir(), 'dhara-delivery-'));
    const store = other.store ?? (await DiskObjectStore.open({ dir }));
    const rig = new DeliveryRig(
      database,
      way,
      db,
      rows,
      store,
      dir,
      other.segments ?? null,
      other.cacheBytes ?? CACHE_BYTES,
      other.isAccelerated ?? false,
    );
    await rig.listen();
    return rig;
  }

  private async listen(): Promise<void> {
    const logger = pino({ level: 'trace' }, { write: (line: string) => void this.logLines.push(line) });
    this.media = new PublishedMedia(this.db.sql);
    const { media } = this;
    const objects = new ObjectCache(this.store, this.cacheBytes);
    const mediaKeys = new MediaKeyService({ db: this.db, masterKeys: { current: randomBytes(32), previous: [] } });
    const app = express();
    app.disable('x-powered-by');
    const { store, segments, grantKey } = this;
    const nowEpochSeconds = () => this.nowEpochSeconds();
    const delivery = createDelivery({
      nowEpochSeconds,
      isAccelerated: this.isAccelerated,
      media,
      mediaKeys,
      store,
      objects,
      segments,
      grantKey,
      logger,
    });
    app.use('/media', delivery.router);
    // In the order of the service: first from memory, then through the router.
    this.server = createServer((req, res) => {
      void Promise.resolve(delivery.atOnce.answer(req)).then((ready) => {
        if (!ready) return void app(req, res);
        this.atOnce += 1;
        ready.send(req, res, []);
      });
    });
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.port = (this.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
    await this.db.close();
    await this.way.close();
    await this.rows.end();
    await this.database.drop();
    await rm(this.dir, { recursive: true, force: true });
  }

  /** A ready video with 480p and audio, of a new account or of its test account. */
  async published(mode: 'live' | 'test' = 'live'): Promise<PublishedVideo> {
    const accountId = randomUUID();
    const videoId = randomUUID();
    const vid = videoIdOf(videoId);
    const prefix = `videos/${accountId}/${videoId}/1-2/`;
    const posterPath = `media/posters/${accountId}/${vid}/${randomBytes(16).toString('base64url')}.jpg`;
    const liveId = mode === 'live' ? accountId : randomUUID();
    await this.rows.query('select open_account($1)', [liveId]);
    if (mode === 'test') await this.rows.query('select open_test_account($1, $2)', [liveId, accountId]);
    await this.rows.query(
      `insert into video (account_id, id, title, status, playable_rungs, pictures_prefix, poster_path, attempt)
       values ($1, $2, 'A video', 'ready', '{480p,audio}', $3, $4, 1)`,
      [accountId, videoId, prefix, posterPath],
    );
    await this.rows.query(
      `insert into rendition (account_id, video_id, quality, width, height, bitrate, average_bitrate, codecs, frame_rate,
         size_bytes, path, prefix, key_frame_bitrate, key_frame_average_bitrate)
       values ($1, $2, '480p', 854, 480, 1200000, 900000, 'avc1.64001f', 25, 1000, '480p/index.m3u8', $3, 90000, 80000),
         ($1, $2, 'audio', null, null, 130000, 128000, 'mp4a.40.2', null, 100, 'audio/index.m3u8', $3, null, null)`,
      [accountId, videoId, prefix],
    );
    for (const rendition of ['480p', 'audio']) {
      await this.put(`${prefix}${rendition}/index.m3u8`, MEDIA_PLAYLIST);
      await this.put(`${prefix}${rendition}/init.mp4`, INIT);
      await this.put(`${prefix}${rendition}/seg_00000.m4s`, SEGMENT);
    }
    await this.put(`${prefix}480p/iframes.m3u8`, KEY_FRAMES_PLAYLIST);
    await this.put(`${prefix}poster.jpg`, POSTER);
    return { accountId, videoId, vid, prefix, posterUrl: `/${posterPath}` };
  }

  /** Changes rows of a video, and sends the notification that the service would. */
  async change(video: PublishedVideo, text: string, values: unknown[] = []): Promise<void> {
    await this.rows.query(text, values);
    this.media.changed(video.accountId, video.videoId);
  }

  async put(key: string, content: string | Buffer): Promise<void> {
    await this.store.put(key, Readable.from([Buffer.from(content)]));
  }

  grant(video: PublishedVideo, expiresAtEpochSeconds = Math.floor(Date.now() / 1000) + 3600): string {
    const { accountId, videoId } = video;
    return createGrant(this.grantKey, { accountId, videoId, viewId: randomUUID(), expiresAtEpochSeconds });
  }

  /** The base path of a video's media, with a grant of one hour. */
  base(video: PublishedVideo): string {
    return `/media/${this.grant(video)}/${video.vid}`;
  }

  /** The folder of the store on disk. */
  get objectsDir(): string {
    return join(this.dir, 'objects');
  }

  /** Sends the path unchanged, however strange. */
  send(path: string, options: { method?: string; headers?: Record<string, string> } = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const req = request({
        host: '127.0.0.1',
        port: this.port,
        path,
        method: options.method ?? 'GET',
        headers: options.headers ?? {},
      });
      req.on('error', reject);
      req.on('response', (res) => {
        const parts: Buffer[] = [];
        res.on('data', (part: Buffer) => parts.push(part));
        res.on('end', () => resolve({ status: res.statusCode!, headers: res.headers, body: Buffer.concat(parts) }));
        res.on('error', reject);
      });
      req.end();
    });
  }
}
