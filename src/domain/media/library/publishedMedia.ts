import { execute, type Sql, statement } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { KEY_FRAMES_FILE, PLAYLIST_FILE, type KeyFramesPlaylist } from '../../../ports/transcoder.js';
import type { Chapter } from '../captions/chapters.js';
import { asHlsSegment, captionsPlaylist, chaptersVtt } from '../captions/writeVtt.js';
import { masterPlaylist } from './masterPlaylist.js';
import { type PublishedVideo, PublishedVideos, type PublishedVideosOptions } from './publishedVideos.js';
import { videoIdOf } from '../../shared/ids.js';
import { SizedLru } from '../../shared/sizedLru.js';
import { domainNotAllowed, mayFetch, type PageHeaders } from '../../accounts/allowedSites.js';

const POSTER = statement<{ accountId: string; videoId: string; path: string }, { key: string | null }>(
  'published-poster',
  `
    select coalesce(poster_key, pictures_prefix || 'poster.jpg') as key from video
    where account_id = :accountId and id = :videoId and deleted_at is null and poster_path = :path`,
);

const CAPTION = statement<
  { accountId: string; videoId: string; captionId: string },
  { vtt: string; duration_ms: string | null }
>(
  'published-caption',
  `
    select c.vtt, v.duration_ms from video v
    join caption c on c.account_id = v.account_id and c.video_id = v.id and c.id = :captionId
    where v.account_id = :accountId and v.id = :videoId and v.deleted_at is null`,
);

const CHAPTERS = statement<{ accountId: string; videoId: string }, { chapters: Chapter[]; duration_ms: string | null }>(
  'published-chapters',
  `
    select v.chapters, v.duration_ms from video v
    where v.account_id = :accountId and v.id = :videoId and v.deleted_at is null and v.chapters <> '[]'`,
);

const PREVIEW = statement<{ accountId: string; videoId: string; path: string }, { prefix: string }>(
  'published-preview',
  `
    select pictures_prefix as prefix from video
    where account_id = :accountId and id = :videoId and deleted_at is null and pictures_prefix is not null
      and preview_path = :path`,
);

/** One rendition of one run of processing: `run` is `{attempt}-{run}`, the last part of the rendition's prefix. */
export interface RenditionRef {
  readonly accountId: string;
  /** UUID */
  readonly videoId: string;
  readonly run: string;
  readonly rendition: string;
}

/** A caption track in the two forms that players fetch. */
export interface Caption {
  readonly vtt: string;
  readonly playlist: string;
}

/** Of all caption tracks in memory. Those of a long video have about 100,000. */
const MAX_CAPTION_CHARACTERS = 4 * 1024 * 1024;

interface PublishedMediaOptions extends PublishedVideosOptions {
  /** The service's own host name. Its pages are never refused. */
  readonly ownHost?: string;
}

/**
 * What may be played of a video, and where it is in the object store. Within two seconds after a video is deleted or
 * its account is suspended, every process refuses everything that needs a grant.
 */
export class PublishedMedia {
  private readonly videos: PublishedVideos;
  private readonly ownHost: string;
  private readonly masters = new WeakMap<PublishedVideo, string>();
  /** A track that is sent again has a new id, so the text of an id never changes. */
  private readonly captions = new SizedLru<Caption>(MAX_CAPTION_CHARACTERS);

  constructor(
    private readonly sql: Sql,
    { ownHost = '', ...options }: PublishedMediaOptions = {},
  ) {
    this.videos = new PublishedVideos(sql, options);
    this.ownHost = ownHost;
  }

  /** Handles a notice that this video changed. */
  changed(accountId: string, videoId: string): void {
    this.videos.changed({ accountId, videoId });
  }

  /**
   * The HLS master playlist, with URIs relative to the video's folder; `null` if nothing is playable.
   *
   * @throws ACCOUNT_SUSPENDED; DOMAIN_NOT_ALLOWED for a page on a site that the account does not allow
   */
  async masterPlaylist(accountId: string, videoId: string, page: PageHeaders = {}): Promise<string | null> {
    const video = await this.open(accountId, videoId, page);
    return video && this.masterOf(video, accountId, videoId);
  }

  /** The same for a video that has already been opened. */
  masterOf(video: PublishedVideo, accountId: string, videoId: string): string | null {
    if (video.renditions.length === 0) return null;
    const known = this.masters.get(video);
    if (known !== undefined) return known;
    const playlist = writeMaster(video, folderOf(accountId, videoId));
    this.masters.set(video, playlist);
    return playlist;
  }

  /**
   * The store's key of a rendition's media playlist or I-frame playlist; `null` if the rendition is not playable or
   * belongs to another run.
   *
   * @throws ACCOUNT_SUSPENDED; DOMAIN_NOT_ALLOWED for a page on a site that the account does not allow
   */
  async playlistKey(ref: RenditionRef, page: PageHeaders = {}, file = PLAYLIST_FILE): Promise<string | null> {
    const video = await this.open(ref.accountId, ref.videoId, page);
    return video && playlistKeyOf(video, ref, file);
  }

  /**
   * Whether segments of a video may still be sent to a viewer with a grant, including those of an earlier run while
   * they exist. If the database does not respond, playback that has begun continues.
   *
   * @throws ACCOUNT_SUSPENDED
   */
  async plays(accountId: string, videoId: string): Promise<boolean> {
    const video = await this.videos.findToContinue({ accountId, videoId });
    if (video === null) return false;
    if (video !== 'unknown') assertNotSuspended(video);
    return true;
  }

  /**
   * By how many seconds the clock of the video's test account was moved: 0 in live mode, if there is no such video, and
   * while the database does not respond.
   */
  async movedSeconds(accountId: string, videoId: string): Promise<number> {
    const video = await this.videos.findToContinue({ accountId, videoId });
    return video === null || video === 'unknown' ? 0 : video.movedSeconds;
  }

  /** The video, if it is cached and may be watched on this page. */
  openNow(accountId: string, videoId: string, page: PageHeaders = {}): PublishedVideo | null {
    const video = this.videos.known({ accountId, videoId });
    return video && !video.isSuspended && mayFetch(video.allowedDomains, page, this.ownHost) ? video : null;
  }

  /** The store's key of a poster, for anyone who knows the token in its address. */
  async posterKey(accountId: string, videoId: string, token: string): Promise<string | null> {
    const path = `media/posters/${accountId}/${videoIdOf(videoId)}/${token}.jpg`;
    const [row] = await execute(this.sql, POSTER, { accountId, videoId, path });
    return row?.key ?? null;
  }

  /** The store's key of the moving preview, for anyone who knows the token in its address. */
  async previewKey(accountId: string, videoId: string, token: string): Promise<string | null> {
    const path = `media/posters/${accountId}/${videoIdOf(videoId)}/${token}.webp`;
    const [row] = await execute(this.sql, PREVIEW, { accountId, videoId, path });
    return row === undefined ? null : `${row.prefix}storyboard/preview.webp`;
  }

  /**
   * A caption track as WebVTT, with its media playlist; `null` if it does not exist, or no longer does.
   *
   * @throws DOMAIN_NOT_ALLOWED
   */
  async caption(
    accountId: string,
    videoId: string,
    captionId: string,
    page: PageHeaders = {},
  ): Promise<Caption | null> {
    const video = await this.open(accountId, videoId, page);
    if (video === null) return null;
    const isListed = video.captions.some(({ id }) => id === captionId);
    const name = `${videoId}/${captionId}`;
    const known = isListed ? this.captions.get(name) : undefined;
    if (known) return known;
    const [row] = await execute(this.sql, CAPTION, { accountId, videoId, captionId });
    if (row === undefined) return null;
    const playlist = captionsPlaylist(`${captionId}.vtt`, Number(row.duration_ms ?? 0));
    const caption = { vtt: asHlsSegment(row.vtt), playlist };
    if (row.duration_ms !== null) this.captions.set(name, caption, caption.vtt.length + playlist.length + name.length);
    return caption;
  }

  /** The chapters as WebVTT; `null` if there are none. @throws DOMAIN_NOT_ALLOWED */
  async chapters(accountId: string, videoId: string, page: PageHeaders = {}): Promise<string | null> {
    if ((await this.open(accountId, videoId, page)) === null) return null;
    const [row] = await execute(this.sql, CHAPTERS, { accountId, videoId });
    if (row === undefined) return null;
    return chaptersVtt(row.chapters, Number(row.duration_ms ?? 0));
  }

  /** The store's key of a storyboard's index or sheet; `null` if it belongs to another run. */
  async storyboardKey(ref: Omit<RenditionRef, 'rendition'>, file: string): Promise<string | null> {
    const prefix = `${folderOf(ref.accountId, ref.videoId)}${ref.run}/`;
    const video = await this.open(ref.accountId, ref.videoId);
    return video?.hasStoryboard && video.picturesPrefix === prefix ? `${prefix}storyboard/${file}` : null;
  }

  /**
   * The video, for a viewer with a grant; `null` if it does not exist, or no longer does.
   *
   * @throws ACCOUNT_SUSPENDED, DOMAIN_NOT_ALLOWED, SERVICE_UNAVAILABLE
   */
  async open(accountId: string, videoId: string, page: PageHeaders = {}): Promise<PublishedVideo | null> {
    const video = await this.videos.find({ accountId, videoId });
    if (video === null) return null;
    assertNotSuspended(video);
    if (!mayFetch(video.allowedDomains, page, this.ownHost)) throw domainNotAllowed();
    return video;
  }
}

/** Like `playlistKey`, for a video that has already been opened. */
export function playlistKeyOf(video: PublishedVideo, ref: RenditionRef, file: string): string | null {
  const folder = `${folderOf(ref.accountId, ref.videoId)}${ref.run}/`;
  const playlist = `${ref.rendition}/${PLAYLIST_FILE}`;
  const plays = video.renditions.some(({ prefix, path }) => prefix === folder && path === playlist);
  return plays ? `${folder}${ref.rendition}/${file}` : null;
}

function assertNotSuspended({ isSuspended }: PublishedVideo): void {
  if (isSuspended) throw new AppError('ACCOUNT_SUSPENDED', 'This account is suspended.');
}

function writeMaster(video: PublishedVideo, folder: string): string {
  const { renditions, captions, trickPlay, picturesPrefix } = video;
  return masterPlaylist(
    renditions.map((rendition) => ({
      ...rendition,
      playlistPath: rendition.prefix.slice(folder.length) + rendition.path,
      peakBandwidthBps: rendition.bitrate,
      averageBandwidthBps: rendition.averageBitrate,
      frameRate: rendition.frameRate === null ? null : { numerator: rendition.frameRate, denominator: 1 },
      ...keyFramesOf(rendition, folder),
    })),
    captions.map(({ id, ...track }) => ({ ...track, uri: `captions/${id}.m3u8` })),
    trickPlay && { ...trickPlay, uri: `${picturesPrefix?.slice(folder.length)}${trickPlay.path}` },
  );
}

function keyFramesOf(
  { prefix, path, keyFrameBitrate, keyFrameAverageBitrate }: PublishedVideo['renditions'][number],
  folder: string,
): { keyFrames?: KeyFramesPlaylist } {
  if (keyFrameBitrate === null || keyFrameAverageBitrate === null) return {};
  const playlistPath = `${prefix.slice(folder.length)}${path.replace(PLAYLIST_FILE, KEY_FRAMES_FILE)}`;
  return {
    keyFrames: { playlistPath, peakBandwidthBps: keyFrameBitrate, averageBandwidthBps: keyFrameAverageBitrate },
  };
}

/**
 * The store's key of an init or media segment. Does not ask the database: the caller's grant decides whether it may be
 * played.
 */
export function segmentKey(ref: RenditionRef, file: string): string {
  return `${folderOf(ref.accountId, ref.videoId)}${ref.run}/${ref.rendition}/${file}`;
}

function folderOf(accountId: string, videoId: string): string {
  return `videos/${accountId}/${videoId}/`;
}
