import { createDecipheriv, createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { ffprobe } from '../../support/media.js';
import type { Pipeline } from '../../support/worker/pipeline.js';

export interface Video {
  readonly accountId: string;
  readonly videoId: string;
}

/** A rendition in the store. */
export interface StoredRendition {
  /** Prefix of its files. Ends with a slash. */
  readonly prefix: string;
  readonly playlist: string;
  /** Its segments, in playing order. */
  readonly names: readonly string[];
}

/** The 720p rendition of a video, whichever run published it. */
export async function topRenditionOf(pipeline: Pipeline, { accountId, videoId }: Video): Promise<StoredRendition> {
  const [row] = await pipeline.db.sql.query<{ prefix: string }>(
    {
      name: 'test-prefix',
      text: `select prefix from rendition where account_id = $1 and video_id = $2 and quality = '720p'`,
    },
    [accountId, videoId],
  );
  const prefix = `${row!.prefix}720p/`;
  const playlist = (await bytesOf(pipeline, `${prefix}index.m3u8`)).toString();
  return { prefix, playlist, names: playlist.split('\n').filter((line) => line.startsWith('seg_')) };
}

/** The digest that a receipt has for these files. */
export async function digestOf(pipeline: Pipeline, { prefix, names }: StoredRendition): Promise<string> {
  const lines = ['init.mp4', ...names].map(
    async (name) => `${sha256(await bytesOf(pipeline, prefix + name))}  ${name}\n`,
  );
  return sha256((await Promise.all(lines)).join(''));
}

/** The frames of all segments, decrypted if needed and joined as one video in `folder`. */
export async function countFrames(pipeline: Pipeline, video: Video, folder: string): Promise<number> {
  const { prefix, playlist } = await topRenditionOf(pipeline, video);
  const [, attempt, run] = /\/(\d+)-(\d+)\//.exec(prefix)!.map(Number) as [number, number, number];
  const pieces = [await bytesOf(pipeline, `${prefix}init.mp4`)];
  let seal: { key: Buffer; iv: Buffer } | null = null;
  for (const line of playlist.split('\n')) {
    const [, keyIndex, iv] = /URI="\.\.\/key\/(\d+)",IV=0x(\w+)/.exec(line) ?? [];
    if (keyIndex !== undefined && iv !== undefined) {
      const key = await pipeline.mediaKeys.find({ ...video, attempt, run }, Number(keyIndex));
      seal = { key: key!, iv: Buffer.from(iv, 'hex') };
    }
    if (!line.startsWith('seg_')) continue;
    const bytes = await bytesOf(pipeline, prefix + line);
    const opened = seal && createDecipheriv('aes-128-cbc', seal.key, seal.iv);
    pieces.push(opened ? Buffer.concat([opened.update(bytes), opened.final()]) : bytes);
  }
  const path = join(folder, 'joined.mp4');
  await writeFile(path, Buffer.concat(pieces));
  const count = await ffprobe('-count_frames', '-of', 'csv=p=0', '-show_entries', 'stream=nb_read_frames', path);
  return Number.parseInt(count, 10);
}

/** All bytes of an account in the store. */
export async function storedBytes(pipeline: Pipeline, { accountId }: Pick<Video, 'accountId'>): Promise<number> {
  let bytes = 0;
  for (const prefix of ['videos', 'sources']) {
    for await (const { sizeBytes } of pipeline.store.list(`${prefix}/${accountId}/`)) bytes += sizeBytes;
  }
  return bytes;
}

/** All bytes that the account's storage is charged by. */
export async function countedBytes(pipeline: Pipeline, { accountId }: Pick<Video, 'accountId'>): Promise<number> {
  const [row] = await pipeline.db.sql.query<{ bytes: string }>(
    { name: 'test-counted', text: 'select sum(size_bytes) as bytes from stored_object where account_id = $1' },
    [accountId],
  );
  return Number(row!.bytes);
}

/** The states of the chunks that still have a row. */
export async function chunkStates(pipeline: Pipeline, { accountId, videoId }: Video): Promise<string[]> {
  const rows = await pipeline.db.sql.query<{ state: string }>(
    { name: 'test-chunks', text: 'select state from processing_chunk where account_id = $1 and video_id = $2' },
    [accountId, videoId],
  );
  return rows.map(({ state }) => state);
}

export async function bytesOf({ store }: Pick<Pipeline, 'store'>, key: string): Promise<Buffer> {
  const { body } = (await store.get(key))!;
  return Buffer.concat((await body.toArray()) as Buffer[]);
}

export function sha256(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}
