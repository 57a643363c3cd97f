import { createDecipheriv, randomBytes, randomUUID } from 'node:crypto';
import { cp } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';

import express, { type Express } from 'express';
import { pino, type Logger } from 'pino';

import { createDelivery } from '../../../src/api/delivery/router.js';
import { videoIdOf } from '../../../src/domain/shared/ids.js';
import { createGrant } from '../../../src/domain/playback/grants.js';
import { PublishedMedia } from '../../../src/domain/media/library/publishedMedia.js';
import type { Quality } from '../../../src/ports/transcoder.js';
import { createTestDatabase } from '../database.js';
import { makeClip } from '../media.js';
import { Pipeline, pipelineFolder, type PipelineOptions } from '../worker/pipeline.js';

export interface Video {
  readonly accountId: string;
  readonly videoId: string;
  /** `1-1`, as in addresses. */
  readonly run: string;
  readonly renditions: readonly string[];
}

/** One media segment as a playlist lists it. */
export interface ListedSegment {
  readonly file: string;
  readonly keyUri: string;
  readonly iv: Buffer;
}

/** A worker that processes videos, and the delivery that serves them. */
export class EncryptionScene {
  readonly grantKey = randomBytes(32);
  /** Derived from the previous master key. */
  readonly oldGrantKey = randomBytes(32);
  readonly logLines: string[] = [];
  private readonly cleanUp = new AsyncDisposableStack();
  pipeline!: Pipeline;
  dir!: string;
  /** Tests add their pages here. */
  app!: Express;
  url!: string;
  migrationUrl!: string;
  runtimeUrl!: string;

  /**
   * Keeps the unencrypted ladders in `{dir}/clear`, named after the runs' work folders: these videos are made in one
   * stage.
   */
  static async start(options: Partial<PipelineOptions> = {}): Promise<EncryptionScene> {
    const scene = new EncryptionScene();
    const database = await createTestDatabase();
    scene.cleanUp.defer(() => database.drop());
    scene.migrationUrl = database.migrationUrl;
    scene.runtimeUrl = database.runtimeUrl;
    scene.dir = scene.cleanUp.use(await pipelineFolder()).path;
    const logger: Logger = pino({ level: 'trace' }, { write: (line: string) => void scene.logLines.push(line) });
    scene.pipeline = await Pipeline.start({
      databaseUrl: database.runtimeUrl,
      dir: scene.dir,
      works: true,
      logger,
      onEncoded: (outputDir) => cp(outputDir, scene.clearDir(outputDir.split('/').at(-2)!), { recursive: true }),
      ...options,
    });
    scene.cleanUp.defer(() => scene.pipeline.stop());
    await scene.listen(logger);
    return scene;
  }

  stop(): Promise<void> {
    return this.cleanUp.disposeAsync();
  }

  /** An encrypted video of test bars with audio. */
  async video(options: { quality?: Quality; durationSeconds?: number; encryption?: boolean } = {}): Promise<Video> {
    const { quality = '480p', durationSeconds = 9, encryption = true } = options;
    const { pipeline } = this;
    const accountId = await pipeline.account(10n);
    const clip = await makeClip(this.dir, { name: `${randomUUID()}.mp4`, durationSeconds, width: 1280, height: 720 });
    const videoId = await pipeline.measured(accountId, clip);
    await pipeline.buy(accountId, videoId, quality, { encryption });
    const video = await pipeline.until(accountId, videoId, ({ status }) => status === 'ready');
    return { accountId, videoId, run: video.picturesPrefix!.split('/').at(-2)!, renditions: video.playableRungs };
  }

  clearDir(workFolder: string): string {
    return join(this.dir, 'clear', workFolder);
  }

  /** The folder with the unencrypted ladder of a video's first run. */
  clearOf({ accountId, videoId, run }: Video): string {
    return this.clearDir([accountId, videoId, ...run.split('-')].join('_'));
  }

  grant({ accountId, videoId }: Pick<Video, 'accountId' | 'videoId'>, lifetimeSeconds = 3600, key = this.grantKey) {
    const expiresAtEpochSeconds = Math.floor(Date.now() / 1000) + lifetimeSeconds;
    return createGrant(key, { accountId, videoId, viewId: randomUUID(), expiresAtEpochSeconds });
  }

  /** The base address of a video's media. */
  base(video: Pick<Video, 'accountId' | 'videoId'>, grant = this.grant(video)): string {
    return `${this.url}/media/${grant}/${videoIdOf(video.videoId)}`;
  }

  keyUrl(video: Video, index = 0, grant = this.grant(video)): string {
    return `${this.base(video, grant)}/${video.run}/key/${index}`;
  }

  /** An object of the video, as stored. */
  async stored({ accountId, videoId, run }: Video, path: string): Promise<Buffer> {
    const found = await this.pipeline.store.get(`videos/${accountId}/${videoId}/${run}/${path}`);
    return buffer(found!.body);
  }

  /** A media playlist, as a player reads it. */
  async listed(video: Video, rendition: string): Promise<{ text: string; init: string; segments: ListedSegment[] }> {
    const answer = await fetch(`${this.base(video)}/${video.run}/${rendition}/index.m3u8`);
    const text = await answer.text();
    const segments: ListedSegment[] = [];
    let key = { keyUri: '', iv: Buffer.alloc(0) };
    for (const line of text.split('\n')) {
      const [, keyUri, iv] = /^#EXT-X-KEY:METHOD=AES-128,URI="([^"]+)",IV=0x([0-9A-F]{32})$/.exec(line) ?? [];
      if (keyUri && iv) key = { keyUri, iv: Buffer.from(iv, 'hex') };
      if (line !== '' && !line.startsWith('#')) segments.push({ file: line, ...key });
    }
    return { text, init: /#EXT-X-MAP:URI="([^"]+)"/.exec(text)?.[1] ?? '', segments };
  }

  /** Fetches the key that a listed segment names. */
  async keyOf(video: Video, rendition: string, { keyUri }: ListedSegment): Promise<Buffer> {
    const answer = await fetch(new URL(keyUri, `${this.base(video)}/${video.run}/${rendition}/index.m3u8`));
    if (answer.status !== 200) throw new Error(`the key was refused: ${answer.status}`);
    return Buffer.from(await answer.arrayBuffer());
  }

  private async listen(logger: Logger): Promise<void> {
    const { grantKey, oldGrantKey, pipeline } = this;
    const { store, mediaKeys, db } = pipeline;
    this.app = express();
    // Shows changes of a test at once.
    const media = new PublishedMedia(db.sql, { maxAgeMs: 0 });
    const previousGrantKeys = [oldGrantKey];
    this.app.use('/media', createDelivery({ media, mediaKeys, store, grantKey, previousGrantKeys, logger }).router);
    const server = createServer(this.app);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.cleanUp.defer(() => new Promise<void>((resolve) => server.close(() => resolve())));
    this.cleanUp.defer(() => server.closeAllConnections());
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
}

/** The decrypted bytes of a segment. @throws if key and bytes do not fit. */
export function decrypted(encrypted: Buffer, key: Buffer, iv: Buffer): Buffer {
  const decipher = createDecipheriv('aes-128-cbc', key, iv);
  return Buffer.concat([decipher.update(encrypted), decipher.final()]);
}
