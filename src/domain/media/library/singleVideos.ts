import { execute, type Sql, statement } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { parseVideoId } from '../../shared/ids.js';
import { SharedReads } from '../../shared/sharedReads.js';
import { assertKey, type KeyedRow, VIDEO_COLUMNS, type VideoRow } from './videoRow.js';

export interface RenditionRow {
  quality: string;
  /** For sound, like the next three. Starts at 1, which plays by default. */
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

/** A video with its playable renditions. */
export interface VideoDetailRow extends VideoRow {
  playable_rungs: string[];
  failure_code: string | null;
  failure_message: string | null;
  /** Only playable ones, including sound. */
  renditions: RenditionRow[];
  captions: { language: string; label: string }[];
}

/**
 * Looks rows up one by one, so that the plan does not depend on statistics.
 *
 * @param keys gives `k`, a live key, and `wanted`, the UUID it requests
 */
function textOf(first: string, keys: string): string {
  return `
    select ${first} k.suspended, ${VIDEO_COLUMNS}, v.playable_rungs, v.failure_code, v.failure_message, (
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
    from ${keys}
    left join lateral (
      select * from video where account_id = k.account_id and id = wanted and deleted_at is null offset 0
    ) v on true
    where k.revoked_at is null`;
}

type Row = KeyedRow & VideoDetailRow;

interface Wanted {
  readonly keyHash: Buffer;
  /** UUID, or `null` if the text cannot be one. */
  readonly videoId: string | null;
}

const ONE = statement<Wanted, Row>(
  'video-get',
  textOf('', '(select *, :videoId::uuid as wanted from api_key where hash = :keyHash) k'),
);

const MANY = statement<{ keyHashes: readonly Buffer[]; videoIds: readonly (string | null)[] }, Row & { n: number }>(
  'video-get-many',
  textOf(
    'h.n::integer,',
    'unnest(:keyHashes::bytea[], :videoIds::uuid[]) with ordinality h(hash, wanted, n) ' +
      'cross join lateral (select * from api_key where hash = h.hash offset 0) k',
  ),
);

/** Reads single videos by API key. Concurrent requests share a statement. */
export class SingleVideos {
  private readonly reads = new SharedReads<Wanted, Row | undefined>((wanted) => this.ask(wanted));

  constructor(private readonly sql: Sql) {}

  /**
   * One video of a key's account. The response does not reveal whether another account has such a video.
   *
   * @param keyHash see `hashKey`
   * @param videoIdText `vid_…` or a UUID
   * @throws INVALID_API_KEY, ACCOUNT_SUSPENDED, VIDEO_NOT_FOUND
   */
  async get(keyHash: Buffer, videoIdText: string): Promise<VideoDetailRow> {
    const row = await this.reads.read({ keyHash, videoId: parseVideoId(videoIdText) });
    assertKey(row);
    if (row.id === null) throw new AppError('VIDEO_NOT_FOUND', 'Video not found.');
    return row;
  }

  private async ask(wanted: readonly Wanted[]): Promise<(Row | undefined)[]> {
    const [first] = wanted as [Wanted];
    if (wanted.length === 1) return [(await execute(this.sql, ONE, first))[0]];
    const rows = await execute(this.sql, MANY, {
      keyHashes: wanted.map(({ keyHash }) => keyHash),
      videoIds: wanted.map(({ videoId }) => videoId),
    });
    const ofRequest = new Map(rows.map((row) => [row.n, row]));
    return wanted.map((_, nth) => ofRequest.get(nth + 1));
  }
}
