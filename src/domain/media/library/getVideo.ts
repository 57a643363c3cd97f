import type { Sql, Statement } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { parseVideoId } from '../../shared/ids.js';
import { assertKey, type KeyedRow, VIDEO_COLUMNS, type VideoRow } from './videoRow.js';

export interface RenditionRow {
  quality: string;
  /** Of sound, as are the next three: from 1, which plays by default. */
  track: number;
  language: string;
  label: string;
  isDescription: boolean;
  width: number | null;
  height: number | null;
  /** Peak bits per second. */
  bitrate: number;
  codecs: string;
  sizeBytes: number;
}

/** A video with what plays of it. */
export interface VideoDetailRow extends VideoRow {
  playable_rungs: string[];
  failure_code: string | null;
  failure_message: string | null;
  /** Only what plays already, the audio group included. */
  renditions: RenditionRow[];
  captions: { language: string; label: string }[];
}

const one: Statement = {
  name: 'video-get',
  text: `
    select k.suspended, ${VIDEO_COLUMNS}, v.playable_rungs, v.failure_code, v.failure_message, (
      select coalesce(json_agg(json_build_object('quality', r.quality, 'track', r.track,
        'language', coalesce(r.language, 'und'), 'label', coalesce(r.label, 'Main'),
        'isDescription', r.is_description, 'width', r.width, 'height', r.height,
        'bitrate', r.bitrate, 'codecs', r.codecs, 'sizeBytes', r.size_bytes) order by r.bitrate, r.track), '[]')
      from rendition r
      where r.account_id = v.account_id and r.video_id = v.id and r.quality = any (v.playable_rungs)
    ) as renditions, (
      select coalesce(json_agg(json_build_object('language', c.language, 'label', c.label)
        order by c.created_at, c.label), '[]')
      from caption c where c.account_id = v.account_id and c.video_id = v.id
    ) as captions
    from api_key k
    left join video v on v.account_id = k.account_id and v.id = $2 and v.deleted_at is null
    where k.hash = $1 and k.revoked_at is null`,
};

/**
 * One video of a key's account: one round trip, the same for a video that is another account's and one that is not.
 *
 * @param keyHash see `hashKey`
 * @param videoIdText `vid_…` or a UUID
 * @throws INVALID_API_KEY, ACCOUNT_SUSPENDED, VIDEO_NOT_FOUND
 */
export async function getVideo(sql: Sql, keyHash: Buffer, videoIdText: string): Promise<VideoDetailRow> {
  const [row] = await sql.query<KeyedRow & VideoDetailRow>(one, [keyHash, parseVideoId(videoIdText)]);
  assertKey(row);
  if (row.id === null) throw new AppError('VIDEO_NOT_FOUND', 'Video not found.');
  return row;
}
