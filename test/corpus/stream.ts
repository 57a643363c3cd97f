import {
  attributesOf,
  parsePlaylist,
  quoted,
  segmentsOf,
  tagsNamed,
  type ListedSegment,
  type ParsedPlaylist,
} from './playlist.js';
import { timescaleOf, timesOf, type SegmentTimes } from './segments.js';

/** Gets one resource of a stream, by its URI relative to the multivariant playlist. */
export type Fetch = (uri: string) => Promise<Buffer>;

export interface MediaFile extends ListedSegment {
  readonly sizeBytes: number;
  readonly times: SegmentTimes;
}

export interface MediaPlaylist extends ParsedPlaylist {
  /** As the multivariant playlist names it. */
  readonly uri: string;
  readonly kind: 'video' | 'audio' | 'subtitles';
  /** Null for subtitles, like the ticks. */
  readonly init: Buffer | null;
  readonly ticksPerSecond: number;
  readonly segments: readonly MediaFile[];
  readonly listed: readonly ListedSegment[];
}

export interface Variant {
  readonly attributes: ReadonlyMap<string, string>;
  readonly uri: string;
}

/** A whole stream as a client sees it: every playlist, and the times in every segment. */
export interface Stream {
  readonly master: ParsedPlaylist;
  readonly variants: readonly Variant[];
  readonly renditions: readonly ReadonlyMap<string, string>[];
  readonly media: readonly MediaPlaylist[];
}

export async function readStream(fetch: Fetch, masterUri = 'master.m3u8'): Promise<Stream> {
  const master = parsePlaylist((await fetch(masterUri)).toString('utf8'));
  const variants = tagsNamed(master, 'EXT-X-STREAM-INF').map((tag) => ({
    attributes: attributesOf(tag),
    uri: master.uris.find(({ line }) => line === tag.line + 1)?.uri ?? '',
  }));
  const renditions = tagsNamed(master, 'EXT-X-MEDIA').map(attributesOf);
  const kinds = new Map<string, MediaPlaylist['kind']>();
  for (const { attributes, uri } of variants) kinds.set(uri, attributes.has('RESOLUTION') ? 'video' : 'audio');
  for (const rendition of renditions) {
    const uri = quoted(rendition.get('URI'));
    if (uri !== undefined) kinds.set(uri, rendition.get('TYPE') === 'SUBTITLES' ? 'subtitles' : 'audio');
  }
  const media = await Promise.all([...kinds].map(([uri, kind]) => readMedia(fetch, uri, kind)));
  return { master, variants, renditions, media };
}

async function readMedia(fetch: Fetch, uri: string, kind: MediaPlaylist['kind']): Promise<MediaPlaylist> {
  const beside = (file: string): string => `${uri.slice(0, uri.lastIndexOf('/') + 1)}${file}`;
  const playlist = parsePlaylist((await fetch(uri)).toString('utf8'));
  const listed = segmentsOf(playlist);
  const [map] = tagsNamed(playlist, 'EXT-X-MAP');
  const initUri = map && quoted(attributesOf(map).get('URI'));
  const init = initUri === undefined ? null : await fetch(beside(initUri));
  const segments: MediaFile[] = [];
  for (const segment of init ? listed : []) {
    const bytes = await fetch(beside(segment.uri));
    segments.push({ ...segment, sizeBytes: bytes.length, times: timesOf(bytes) });
  }
  return { ...playlist, uri, kind, init, ticksPerSecond: init ? timescaleOf(init) : 1, segments, listed };
}
