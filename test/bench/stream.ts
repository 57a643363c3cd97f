import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import type pg from 'pg';

import { createGrant } from '../../src/domain/playback/grants.js';
import { newId, videoIdOf } from '../../src/domain/shared/ids.js';
import { deriveKey } from '../../src/domain/shared/secrets/masterKey.js';
import type { SeededAccount } from './seed.js';

export const LARGE_BYTES = 1_700_000;
export const SMALL_BYTES = 128 * 1024;
/** An hour in segments of four seconds. */
const PLAYLIST_SEGMENTS = 900;

export interface SeededStream {
  /** The address of its playlists, without the host. */
  readonly base: string;
  /** Of its files in the store. */
  readonly folder: string;
}

/** The name of a segment of 1.7 MB (kind 1) or 128 KB (kind 2). */
export function segmentName(n: number, kind: 1 | 2): string {
  return `480p/seg_${String(n).padStart(5, '0')}_${kind}.m4s`;
}

/** Gives an account's newest video 480p with sound, a playlist of an hour, and segments of both sizes in the store. */
export async function seedStream(
  client: pg.Client,
  { accountId, videoIds: [videoId = ''] }: SeededAccount,
  options: {
    readonly dataDir: string;
    readonly masterKey: Buffer;
    readonly count: { readonly large: number; readonly small: number };
  },
): Promise<SeededStream> {
  const { dataDir, masterKey, count } = options;
  const folder = `videos/${accountId}/${videoId}/1-1`;
  await client.query(`update video set playable_rungs = '{480p,audio}' where id = $1`, [videoId]);
  await client.query(
    `insert into rendition (account_id, video_id, quality, width, height, bitrate, average_bitrate, codecs, frame_rate,
       size_bytes, path, prefix)
     values ($1, $2, '480p', 854, 480, 1200000, 900000, 'avc1.64001f', 25, 1000, '480p/index.m3u8', $3),
       ($1, $2, 'audio', null, null, 130000, 128000, 'mp4a.40.2', null, 100, 'audio/index.m3u8', $3)`,
    [accountId, videoId, `${folder}/`],
  );
  const write = async (name: string, content: string | Buffer): Promise<void> => {
    const path = join(dataDir, 'store/objects', folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  };
  const segments = Array.from(
    { length: PLAYLIST_SEGMENTS },
    (_, n) => `#EXTINF:4.0,\nseg_${String(n).padStart(5, '0')}.m4s`,
  );
  await write(
    '480p/index.m3u8',
    `#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-MAP:URI="init.mp4"\n${segments.join('\n')}\n#EXT-X-ENDLIST\n`,
  );
  const [large, small] = [randomBytes(LARGE_BYTES), randomBytes(SMALL_BYTES)];
  for (let n = 0; n < count.large; n += 1) await write(segmentName(n, 1), large);
  for (let n = 0; n < count.small; n += 1) await write(segmentName(n, 2), small);
  const grant = createGrant(deriveKey(masterKey, 'playback-grant'), {
    accountId,
    videoId,
    viewId: newId(),
    expiresAtEpochSeconds: Math.floor(Date.now() / 1000) + 6 * 3600,
  });
  return { base: `/media/${grant}/${videoIdOf(videoId)}`, folder };
}
