import { text } from 'node:stream/consumers';

import { segmentKey, type RenditionRef } from '../../domain/media/library/publishedMedia.js';
import { SizedLru } from '../../domain/shared/sizedLru.js';
import type { ObjectLinks } from '../../ports/objectLinks.js';
import type { ObjectStore } from '../../ports/objectStore.js';
import { SEGMENT_NAME } from './paths.js';
import type { SegmentSource } from './segmentSource.js';

/** Limits for stored and signed playlists. Signed ones are ten times as long. */
const MAX_CACHED_CHARACTERS = 16 * 1024 * 1024;
const MAX_SIGNED_CHARACTERS = 48 * 1024 * 1024;
/**
 * Views whose grants expire within the same 15 minutes share signatures. Their links expire when those 15 minutes
 * begin.
 */
const SHARED_EXPIRY_SECONDS = 15 * 60;
/** How far the store's clock may be behind ours. */
const CLOCK_SKEW_SECONDS = 60;

/** What a player requested, with a grant that was verified. */
export interface GrantedRendition extends RenditionRef {
  /** As in the URL. */
  readonly grant: string;
  readonly video: string;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

/**
 * Media playlists whose segments are served elsewhere: the stored text with an absolute URL for each segment.
 * Everything else in it stays relative and is served from here. Stored playlists never change, so each is read once.
 */
export class LinkedPlaylists {
  private readonly stored = new SizedLru<string>(MAX_CACHED_CHARACTERS);
  private readonly signed = new SizedLru<string>(MAX_SIGNED_CHARACTERS);

  constructor(
    private readonly store: ObjectStore,
    private readonly source: SegmentSource,
  ) {}

  /**
   * @param key of the playlist in the store
   * @returns `null` if there is no such object
   */
  async playlist(key: string, rendition: GrantedRendition, nowEpochSeconds: number): Promise<string | null> {
    if (this.source.kind === 'presigned') return this.presigned(key, rendition, this.source.links, nowEpochSeconds);
    const base = `${this.source.origin}/${rendition.grant}/${rendition.video}/${rendition.run}/${rendition.rendition}/`;
    const stored = await this.read(key);
    return stored === null ? null : withAddresses(stored, (file) => base + file);
  }

  private async presigned(
    key: string,
    rendition: GrantedRendition,
    links: ObjectLinks,
    nowEpochSeconds: number,
  ): Promise<string | null> {
    const shared = Math.floor(rendition.expiresAt / SHARED_EXPIRY_SECONDS) * SHARED_EXPIRY_SECONDS;
    // In its last minutes, a grant gets its own signatures: with the rounded expiry they would have expired.
    const expiresAt = shared - nowEpochSeconds > SHARED_EXPIRY_SECONDS ? shared : rendition.expiresAt;
    const name = `${key} ${expiresAt}`;
    const known = this.signed.get(name);
    if (known !== undefined) return known;
    const stored = await this.read(key);
    if (stored === null) return null;
    const link = links.linker(nowEpochSeconds - CLOCK_SKEW_SECONDS, expiresAt);
    const playlist = withAddresses(stored, (file) => link(segmentKey(rendition, file)));
    this.signed.set(name, playlist, playlist.length);
    return playlist;
  }

  private async read(key: string): Promise<string | null> {
    const known = this.stored.get(key);
    if (known !== undefined) return known;
    const found = await this.store.get(key);
    if (found === null) return null;
    const playlist = await text(found.body);
    this.stored.set(key, playlist, playlist.length);
    return playlist;
  }
}

const MAP = /^(#EXT-X-MAP:(?:.*,)?URI=")([^"]+)"/;

/** Calls `addressOf` only for media and init segments. */
function withAddresses(playlist: string, addressOf: (file: string) => string): string {
  return playlist
    .split('\n')
    .map((line) => {
      if (SEGMENT_NAME.test(line)) return addressOf(line);
      const [all = '', before = '', file = ''] = MAP.exec(line) ?? [];
      return SEGMENT_NAME.test(file) ? `${before}${addressOf(file)}"${line.slice(all.length)}` : line;
    })
    .join('\n');
}
