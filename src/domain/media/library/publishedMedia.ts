import type { Sql, Statement } from '../../../db/sql.js';
import { KEY_FRAMES_FILE, PLAYLIST_FILE, type KeyFramesPlaylist, type Quality } from '../../../ports/transcoder.js';
import type { Chapter } from '../captions/chapters.js';
import { asHlsSegment, captionsPlaylist, chaptersVtt } from '../captions/writeVtt.js';
import { masterPlaylist } from './masterPlaylist.js';
import { videoIdOf } from '../../shared/ids.js';
import { assertMayFetch, type PageHeaders } from '../../accounts/allowedSites.js';

const LADDER: Statement = {
  name: 'published-ladder',
  text: `
    select a.allowed_domains, json_agg(json_build_object(
      'quality', r.quality, 'prefix', r.prefix, 'path', r.path, 'bitrate', r.bitrate, 'averageBitrate', r.average_bitrate,
      'codecs', r.codecs, 'width', r.width, 'height', r.height, 'frameRate', r.frame_rate, 'track', r.track,
      'language', coalesce(r.language, 'und'), 'label', coalesce(r.label, 'Main'),
      'isDescription', r.is_description, 'keyFrameBitrate', r.key_frame_bitrate,
      'keyFrameAverageBitrate', r.key_frame_average_bitrate)) as renditions, (
      select json_agg(json_build_object('id', c.id, 'language', c.language, 'label', c.label,
          'isForced', c.is_forced, 'isSdh', c.is_sdh)
        order by c.created_at, c.label)
      from caption c where c.account_id = v.account_id and c.video_id = v.id) as captions
    from video v
    join account a on a.id = v.account_id
    join rendition r on r.account_id = v.account_id and r.video_id = v.id
    where v.account_id = $1 and v.id = $2 and v.deleted_at is null
      and r.quality = any (v.playable_rungs)
    group by a.id, v.account_id, v.id`,
};

const PLAYS: Statement = {
  name: 'published-rendition-plays',
  text: `
    select a.allowed_domains from video v
    join account a on a.id = v.account_id
    join rendition r on r.account_id = v.account_id and r.video_id = v.id
    where v.account_id = $1 and v.id = $2 and v.deleted_at is null and r.prefix = $3 and r.path = $4
      and r.quality = any (v.playable_rungs)`,
};

const POSTER: Statement = {
  name: 'published-poster',
  text: `
    select coalesce(poster_key, pictures_prefix || 'poster.jpg') as key from video
    where account_id = $1 and id = $2 and deleted_at is null and poster_path = $3`,
};

/** `$3` the track. */
const CAPTION: Statement = {
  name: 'published-caption',
  text: `
    select a.allowed_domains, c.vtt, v.duration_ms from video v join account a on a.id = v.account_id
    join caption c on c.account_id = v.account_id and c.video_id = v.id and c.id = $3
    where v.account_id = $1 and v.id = $2 and v.deleted_at is null`,
};

const CHAPTERS: Statement = {
  name: 'published-chapters',
  text: `
    select a.allowed_domains, v.chapters, v.duration_ms from video v join account a on a.id = v.account_id
    where v.account_id = $1 and v.id = $2 and v.deleted_at is null and v.chapters <> '[]'`,
};

const STORYBOARD: Statement = {
  name: 'published-storyboard',
  text: `
    select 1 as shows from video
    where account_id = $1 and id = $2 and deleted_at is null and pictures_prefix = $3 and storyboard_path is not null`,
};

const PREVIEW: Statement = {
  name: 'published-preview',
  text: `
    select pictures_prefix as prefix from video
    where account_id = $1 and id = $2 and deleted_at is null and pictures_prefix is not null and preview_path = $3`,
};

interface TextRow {
  allowed_domains: string[];
  duration_ms: string | null;
}

interface LadderRow {
  allowed_domains: string[];
  captions: { id: string; language: string; label: string; isForced: boolean; isSdh: boolean }[] | null;
  renditions: {
    quality: Quality;
    prefix: string;
    path: string;
    bitrate: number;
    averageBitrate: number;
    codecs: string;
    width: number | null;
    height: number | null;
    frameRate: number | null;
    track: number;
    language: string;
    label: string;
    isDescription: boolean;
    keyFrameBitrate: number | null;
    keyFrameAverageBitrate: number | null;
  }[];
}

/** One rendition of one run of processing: `run` is `{attempt}-{run}`, the last part of the rendition's prefix. */
export interface RenditionRef {
  readonly accountId: string;
  /** UUID */
  readonly videoId: string;
  readonly run: string;
  readonly rendition: string;
}

/** What of a video may be played at this moment, as the database has it, and where it lies in the object store. */
export class PublishedMedia {
  /** @param ownHost the service's own host name, whose pages are never refused */
  constructor(
    private readonly sql: Sql,
    private readonly ownHost = '',
  ) {}

  /**
   * The HLS master playlist, its URIs relative to the video's folder; `null` where nothing plays.
   *
   * @throws DOMAIN_NOT_ALLOWED for a page that the account has not named
   */
  async masterPlaylist(accountId: string, videoId: string, page: PageHeaders = {}): Promise<string | null> {
    const [ladder] = await this.sql.query<LadderRow>(LADDER, [accountId, videoId]);
    if (ladder === undefined) return null;
    assertMayFetch(ladder.allowed_domains, page, this.ownHost);
    const folder = folderOf(accountId, videoId);
    const renditions = ladder.renditions.map((rendition) => ({
      ...rendition,
      playlistPath: rendition.prefix.slice(folder.length) + rendition.path,
      peakBandwidthBps: rendition.bitrate,
      averageBandwidthBps: rendition.averageBitrate,
      frameRate: rendition.frameRate === null ? null : { numerator: rendition.frameRate, denominator: 1 },
      ...keyFramesOf(rendition, folder),
    }));
    const captions = (ladder.captions ?? []).map(({ id, ...track }) => ({ ...track, uri: `captions/${id}.m3u8` }));
    return masterPlaylist(renditions, captions);
  }

  /**
   * The store's key of a rendition's media playlist, or that of its key frames; `null` where the rendition does not play, or is
   * another run's.
   *
   * @throws DOMAIN_NOT_ALLOWED for a page that the account has not named
   */
  async playlistKey(ref: RenditionRef, page: PageHeaders = {}, file = PLAYLIST_FILE): Promise<string | null> {
    const prefix = `${folderOf(ref.accountId, ref.videoId)}${ref.run}/`;
    const values = [ref.accountId, ref.videoId, prefix, `${ref.rendition}/${PLAYLIST_FILE}`];
    const [row] = await this.sql.query<{ allowed_domains: string[] }>(PLAYS, values);
    if (row === undefined) return null;
    assertMayFetch(row.allowed_domains, page, this.ownHost);
    return `${prefix}${ref.rendition}/${file}`;
  }

  /** The store's key of a poster, for whoever knows the token in its address. */
  async posterKey(accountId: string, videoId: string, token: string): Promise<string | null> {
    const path = `media/posters/${accountId}/${videoIdOf(videoId)}/${token}.jpg`;
    const [row] = await this.sql.query<{ key: string | null }>(POSTER, [accountId, videoId, path]);
    return row?.key ?? null;
  }

  /** The store's key of the preview that moves, for whoever knows the token in its address. */
  async previewKey(accountId: string, videoId: string, token: string): Promise<string | null> {
    const path = `media/posters/${accountId}/${videoIdOf(videoId)}/${token}.webp`;
    const [row] = await this.sql.query<{ prefix: string }>(PREVIEW, [accountId, videoId, path]);
    return row === undefined ? null : `${row.prefix}storyboard/preview.webp`;
  }

  /**
   * A caption track as WebVTT, and the media playlist of it; `null` where there is none (any more).
   *
   * @throws DOMAIN_NOT_ALLOWED
   */
  async caption(
    accountId: string,
    videoId: string,
    captionId: string,
    page: PageHeaders = {},
  ): Promise<{ vtt: string; playlist: string } | null> {
    const values = [accountId, videoId, captionId];
    const [row] = await this.sql.query<TextRow & { vtt: string }>(CAPTION, values);
    if (row === undefined) return null;
    assertMayFetch(row.allowed_domains, page, this.ownHost);
    const playlist = captionsPlaylist(`${captionId}.vtt`, Number(row.duration_ms ?? 0));
    return { vtt: asHlsSegment(row.vtt), playlist };
  }

  /** The chapters as WebVTT; `null` where there are none. @throws DOMAIN_NOT_ALLOWED */
  async chapters(accountId: string, videoId: string, page: PageHeaders = {}): Promise<string | null> {
    const [row] = await this.sql.query<TextRow & { chapters: Chapter[] }>(CHAPTERS, [accountId, videoId]);
    if (row === undefined) return null;
    assertMayFetch(row.allowed_domains, page, this.ownHost);
    return chaptersVtt(row.chapters, Number(row.duration_ms ?? 0));
  }

  /** The store's key of a storyboard's index or sheet; `null` where it is another run's. */
  async storyboardKey(ref: Omit<RenditionRef, 'rendition'>, file: string): Promise<string | null> {
    const prefix = `${folderOf(ref.accountId, ref.videoId)}${ref.run}/`;
    const rows = await this.sql.query(STORYBOARD, [ref.accountId, ref.videoId, prefix]);
    return rows.length === 0 ? null : `${prefix}storyboard/${file}`;
  }
}

function keyFramesOf(
  { prefix, path, keyFrameBitrate, keyFrameAverageBitrate }: LadderRow['renditions'][number],
  folder: string,
): { keyFrames?: KeyFramesPlaylist } {
  if (keyFrameBitrate === null || keyFrameAverageBitrate === null) return {};
  const playlistPath = `${prefix.slice(folder.length)}${path.replace(PLAYLIST_FILE, KEY_FRAMES_FILE)}`;
  return {
    keyFrames: { playlistPath, peakBandwidthBps: keyFrameBitrate, averageBandwidthBps: keyFrameAverageBitrate },
  };
}

/** The store's key of an init or media segment. Whether it plays is the grant's business, not the database's. */
export function segmentKey(ref: RenditionRef, file: string): string {
  return `${folderOf(ref.accountId, ref.videoId)}${ref.run}/${ref.rendition}/${file}`;
}

function folderOf(accountId: string, videoId: string): string {
  return `videos/${accountId}/${videoId}/`;
}
