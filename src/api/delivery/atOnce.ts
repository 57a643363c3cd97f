/**
 * Answers the most frequent requests, whole playlists and segments by GET, if everything they need is in memory. This
 * happens before any middleware sees the request, because routes, middleware and conditions cost four times as much as
 * the rest. Requests that are not plain, not known or not allowed go to the router, which gives the same responses and
 * explains refusals.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

import type { PageHeaders } from '../../domain/accounts/allowedSites.js';
import { playlistKeyOf, type PublishedMedia, segmentKey } from '../../domain/media/library/publishedMedia.js';
import type { PublishedVideo } from '../../domain/media/library/publishedVideos.js';
import type { StreamedObject } from '../../ports/objectStore.js';
import { entityTag, knownChoice } from './compression.js';
import { accelHeaders, COMMON_HEADERS, MEDIA_ROUTES, PLAYLIST, segmentHeaders } from './headers.js';
import type { CachedObject, ObjectCache } from './objectCache.js';
import { byServiceClock, type OpenGrant, type OpenGrants } from './openGrants.js';
import { isHeldUntilClose, send } from './sendObject.js';
import type { TextBodies } from './textBody.js';

/** Captures the grant, the video, and the file: the master playlist, or a playlist or segment of a run's rendition. */
const PATH =
  /^\/media\/([A-Za-z0-9_-]{84})\/(vid_[0-9A-Za-z]{1,22})\/(?:(master\.m3u8)|([1-9]\d{0,8}-[1-9]\d{0,8})\/(audio(?:-(?:[2-9]|1[0-6]))?|\d{3,4}p)\/(?:((?:index|iframes)\.m3u8)|(init\.mp4|seg_\d{5}(?:_\d{1,9})?\.m4s)))$/;

export interface AtOnceDeps {
  readonly media: PublishedMedia;
  readonly grants: OpenGrants;
  readonly objects: ObjectCache;
  readonly playlists: ObjectCache;
  readonly bodies: TextBodies;
  /** Whether media playlists go out as they are stored. */
  readonly isStored: boolean;
  /** Whether nginx in front sends segments. */
  readonly isAccelerated: boolean;
  readonly nowEpochSeconds: () => number;
}

/** A response that is ready to send, with its names for the log and the metrics. */
export interface ReadyResponse {
  readonly route: string;
  /** Without the grant. */
  readonly path: string;
  /** `headers` alternates names and values. */
  send(req: IncomingMessage, res: ServerResponse, headers: readonly string[]): void;
}

export class AtOnce {
  constructor(private readonly deps: AtOnceDeps) {}

  /** Returns `null` if the router must handle the request, and a promise if a segment must be read first. */
  answer(req: IncomingMessage): ReadyResponse | null | Promise<ReadyResponse | null> {
    const found = req.method === 'GET' && isPlain(req) ? PATH.exec(req.url ?? '') : null;
    if (!found) return null;
    const [, grantText = '', video = '', master, run = '', rendition = '', playlist, segment] = found;
    const grant = this.deps.grants.open(grantText, video);
    if (grant === null) return null;
    const path = `/media/[grant]/${(req.url ?? '').slice(found[0].indexOf(video))}`;
    if (segment !== undefined) return this.segment(grant, { run, rendition }, segment, path);
    return master === undefined
      ? this.playlist(req, grant, { run, rendition }, playlist ?? '', path)
      : this.master(req, grant, path);
  }

  /** A video in memory that the grant still opens, and the grant by the service's clock. */
  private opened(grant: OpenGrant, page?: PageHeaders): { video: PublishedVideo; grant: OpenGrant } | null {
    const video = this.deps.media.openNow(grant.accountId, grant.videoId, page);
    const valid = video && byServiceClock(grant, video.movedSeconds, this.deps.nowEpochSeconds());
    return video && valid && { video, grant: valid };
  }

  private segment(
    granted: OpenGrant,
    place: { run: string; rendition: string },
    file: string,
    path: string,
  ): ReadyResponse | null | Promise<ReadyResponse | null> {
    const { objects } = this.deps;
    const grant = this.opened(granted)?.grant;
    if (!grant) return null;
    const { accountId, videoId } = grant;
    const key = segmentKey({ accountId, videoId, ...place }, file);
    if (this.deps.isAccelerated) return this.accelerated(key, grant, place.rendition, path);
    const kept = objects.holdKept(key);
    if (kept) return this.segmentOf(kept, grant, place.rendition, path);
    // If the store fails, the router reports it.
    return objects.read(key).then(
      (found) => found && this.segmentOf(found, grant, place.rendition, path),
      () => null,
    );
  }

  /** nginx sends the segment and sets its length. */
  private accelerated(key: string, { expiresAt }: OpenGrant, rendition: string, path: string): ReadyResponse {
    const { contentType, cacheControl } = segmentHeaders(rendition, expiresAt - this.deps.nowEpochSeconds());
    const own = ['Cache-Control', cacheControl, 'Content-Type', contentType, ...accelHeaders(key)];
    return {
      route: MEDIA_ROUTES.segment,
      path,
      send: (_, res, headers) => {
        res.writeHead(200, [...headers, ...COMMON_HEADERS, ...own, ...ofLength(0)]);
        res.end();
      },
    };
  }

  private segmentOf(
    object: CachedObject | StreamedObject,
    { expiresAt }: OpenGrant,
    rendition: string,
    path: string,
  ): ReadyResponse {
    const { objects, nowEpochSeconds } = this.deps;
    const { contentType, cacheControl } = segmentHeaders(rendition, expiresAt - nowEpochSeconds());
    const own = ['Accept-Ranges', 'bytes', 'Cache-Control', cacheControl, 'Content-Type', contentType];
    return {
      route: MEDIA_ROUTES.segment,
      path,
      send: (req, res, headers) => {
        const isCached = 'bytes' in object;
        if (isCached && !isHeldUntilClose(res, objects, object)) return;
        res.writeHead(200, [...headers, ...COMMON_HEADERS, ...own, ...ofObject(object, false)]);
        if (isCached) res.end(object.bytes);
        // Part of the body may be sent already. Only a cut connection tells the player that the rest is missing.
        else send(req, res, object).catch(() => res.destroy());
      },
    };
  }

  private playlist(
    req: IncomingMessage,
    grant: OpenGrant,
    place: { run: string; rendition: string },
    file: string,
    path: string,
  ): ReadyResponse | null {
    const { playlists, isStored } = this.deps;
    const { accountId, videoId } = grant;
    const video = isStored ? this.opened(grant, req.headers)?.video : null;
    const key = video ? playlistKeyOf(video, { accountId, videoId, ...place }, file) : null;
    const isCompressed = knownChoice(req.headers['accept-encoding']);
    const object = key === null || isCompressed === undefined ? undefined : playlists.holdKept(key);
    if (!object) return null;
    const bytes = isCompressed ? object.compressed : object.bytes;
    if (!bytes) {
      playlists.release(object);
      return null;
    }
    const own = ['Accept-Ranges', 'bytes', ...ofObject(object, isCompressed === true)];
    return {
      route: MEDIA_ROUTES.playlist,
      path,
      send: (_, res, headers) => {
        if (isHeldUntilClose(res, playlists, object))
          sendPlaylist(res, [...headers, ...own], bytes, isCompressed === true);
      },
    };
  }

  private master(req: IncomingMessage, grant: OpenGrant, path: string): ReadyResponse | null {
    const { media, bodies } = this.deps;
    const opened = this.opened(grant, req.headers);
    const playlist = opened && media.masterOf(opened.video, grant.accountId, grant.videoId);
    if (playlist === null) return null;
    const body = bodies.of(playlist);
    const isCompressed = knownChoice(req.headers['accept-encoding']);
    const bytes = isCompressed ? body.compressedNow : body.bytes;
    if (isCompressed === undefined || !bytes) return null;
    const etag = entityTag(body.hash, { isCompressed });
    return {
      route: MEDIA_ROUTES.master,
      path,
      send: (_, res, headers) =>
        sendPlaylist(res, [...headers, 'ETag', etag, ...ofLength(bytes.length)], bytes, isCompressed),
    };
  }
}

function sendPlaylist(res: ServerResponse, headers: readonly string[], bytes: Buffer, isCompressed: boolean): void {
  const encoding = isCompressed ? ['Content-Encoding', 'gzip'] : [];
  const own = ['Cache-Control', PLAYLIST.cacheControl, 'Content-Type', PLAYLIST.contentType, 'Vary', 'Accept-Encoding'];
  res.writeHead(200, [...headers, ...COMMON_HEADERS, ...own, ...encoding]);
  res.end(bytes);
}

function ofObject(object: CachedObject | StreamedObject, isCompressed: boolean): string[] {
  const { etag, sizeBytes, modifiedAt } = object.info;
  const modified = 'modified' in object ? object.modified : modifiedAt.toUTCString();
  const length = isCompressed && 'compressed' in object ? (object.compressed?.length ?? 0) : sizeBytes;
  return ['ETag', entityTag(etag, { isCompressed }), 'Last-Modified', modified, ...ofLength(length)];
}

function ofLength(length: number): string[] {
  return ['Content-Length', String(length)];
}

function isPlain({ headers }: IncomingMessage): boolean {
  return (
    headers.range === undefined && headers['if-none-match'] === undefined && headers['if-modified-since'] === undefined
  );
}
