import type { Sql, Statement } from '../../db/sql.js';
import type { Quality } from '../../ports/transcoder.js';
import { masterPlaylist } from '../processing/masterPlaylist.js';
import { videoIdOf } from '../ids.js';

const LADDER: Statement = {
  name: 'published-ladder',
  text: `
    select v.published_prefix as prefix, json_agg(json_build_object(
      'quality', r.quality, 'path', r.path, 'bitrate', r.bitrate, 'averageBitrate', r.average_bitrate,
      'codecs', r.codecs, 'width', r.width, 'height', r.height, 'frameRate', r.frame_rate)) as rungs
    from video v join rendition r on r.account_id = v.account_id and r.video_id = v.id
    where v.account_id = $1 and v.id = $2 and v.deleted_at is null and v.published_prefix is not null
      and r.quality = any (v.playable_rungs)
    group by v.account_id, v.id`,
};

const PLAYS: Statement = {
  name: 'published-rung-plays',
  text: `
    select 1 as plays from video
    where account_id = $1 and id = $2 and deleted_at is null and published_prefix = $3 and $4 = any (playable_rungs)`,
};

const POSTER: Statement = {
  name: 'published-poster',
  text: `
    select published_prefix as prefix from video
    where account_id = $1 and id = $2 and deleted_at is null and published_prefix is not null and poster_path = $3`,
};

interface LadderRow {
  prefix: string;
  rungs: {
    quality: Quality;
    path: string;
    bitrate: number;
    averageBitrate: number;
    codecs: string;
    width: number | null;
    height: number | null;
    frameRate: number | null;
  }[];
}

/** One rung of one run of processing: `run` is `{attempt}-{run}`, the last part of the published prefix. */
export interface RungRef {
  readonly accountId: string;
  /** UUID */
  readonly videoId: string;
  readonly run: string;
  readonly rung: string;
}

/** What of a video may be played at this moment, as the database has it, and where it lies in the object store. */
export class PublishedMedia {
  constructor(private readonly sql: Sql) {}

  /** The HLS master playlist, its URIs relative to the video's folder; `null` where nothing plays. */
  async masterPlaylist(accountId: string, videoId: string): Promise<string | null> {
    const [ladder] = await this.sql.query<LadderRow>(LADDER, [accountId, videoId]);
    if (ladder === undefined) return null;
    const rungs = ladder.rungs.map((rung) => ({
      ...rung,
      playlistPath: rung.path,
      peakBandwidthBps: rung.bitrate,
      averageBandwidthBps: rung.averageBitrate,
      frameRate: rung.frameRate === null ? null : { numerator: rung.frameRate, denominator: 1 },
    }));
    return masterPlaylist(rungs, ladder.prefix.slice(folderOf(accountId, videoId).length));
  }

  /** The store's key of a media playlist; `null` where the rung does not play, or another run has taken its place. */
  async playlistKey(ref: RungRef): Promise<string | null> {
    const prefix = `${folderOf(ref.accountId, ref.videoId)}${ref.run}/`;
    const rows = await this.sql.query(PLAYS, [ref.accountId, ref.videoId, prefix, ref.rung]);
    return rows.length === 0 ? null : `${prefix}${ref.rung}/index.m3u8`;
  }

  /** The store's key of a poster, for whoever knows the token in its address. */
  async posterKey(accountId: string, videoId: string, token: string): Promise<string | null> {
    const path = `media/posters/${accountId}/${videoIdOf(videoId)}/${token}.jpg`;
    const [row] = await this.sql.query<{ prefix: string }>(POSTER, [accountId, videoId, path]);
    return row === undefined ? null : `${row.prefix}poster.jpg`;
  }
}

/** The store's key of an init or media segment. Whether it plays is the grant's business, not the database's. */
export function segmentKey(ref: RungRef, file: string): string {
  return `${folderOf(ref.accountId, ref.videoId)}${ref.run}/${ref.rung}/${file}`;
}

function folderOf(accountId: string, videoId: string): string {
  return `videos/${accountId}/${videoId}/`;
}
