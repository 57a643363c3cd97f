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

/** Fetches one resource of a stream, by its URI relative to the multivariant playlist. */
export type Fetch = (uri: string) => Promise<Buffer>;

/** Decrypts a media segment with its EXT-X-KEY. */
export type Open = (bytes: Buffer, key: ReadonlyMap<string, string>, playlistUri: string) => Promise<Buffer>;

export interface MediaFile extends ListedSegment {
  /** The size as fetched, encrypted or not. */
  readonly sizeBytes: number;
  /** The attributes of its EXT-X-KEY; null without one. */
  readonly key: ReadonlyMap<string, string> | null;
  readonly times: SegmentTimes;
}

export interface MediaPlaylist extends ParsedPlaylist {
  /** The URI in the multivariant playlist. */
  readonly uri: string;
  readonly kind: 'video' | 'audio' | 'subtitles';
  /** Null for subtitles. */
  readonly init: Buffer | null;
  readonly ticksPerSecond: number;
  readonly segments: readonly MediaFile[];
  readonly listed: readonly ListedSegment[];
  /** The text of each subtitle segment; empty for all other kinds. */
  readonly texts: readonly string[];
}

export interface Variant {
  readonly attributes: ReadonlyMap<string, string>;
  readonly uri: string;
}

/** A playlist of keyframes, each a byte range of a segment. */
export interface KeyFrames extends ParsedPlaylist {
  readonly attributes: ReadonlyMap<string, string>;
  /** The URI in the multivariant playlist. */
  readonly uri: string;
  readonly init: Buffer;
  readonly segments: readonly (ListedSegment & {
    readonly offset: number;
    readonly sizeBytes: number;
    readonly bytes: Buffer;
  })[];
}

/** A whole stream as a client sees it: every playlist, and the times in every segment. */
export interface Stream {
  readonly master: ParsedPlaylist;
  readonly variants: readonly Variant[];
  readonly renditions: readonly ReadonlyMap<string, string>[];
  readonly media: readonly MediaPlaylist[];
  readonly keyFrames: readonly KeyFrames[];
}

export async function readStream(fetch: Fetch, open: Open = unopened): Promise<Stream> {
  const master = parsePlaylist((await fetch('master.m3u8')).toString('utf8'));
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
  const media = await Promise.all([...kinds].map(([uri, kind]) => readMedia({ fetch, open }, uri, kind)));
  const keyFrames = await Promise.all(
    tagsNamed(master, 'EXT-X-I-FRAME-STREAM-INF').map((tag) => readKeyFrames(fetch, attributesOf(tag))),
  );
  return { master, variants, renditions, media, keyFrames };
}

async function readKeyFrames(fetch: Fetch, attributes: ReadonlyMap<string, string>): Promise<KeyFrames> {
  const uri = quoted(attributes.get('URI')) ?? '';
  const playlist = parsePlaylist((await fetch(uri)).toString('utf8'));
  const [map] = tagsNamed(playlist, 'EXT-X-MAP');
  const mapped = map === undefined ? new Map<string, string>() : attributesOf(map);
  const whole = await fetch(beside(uri, quoted(mapped.get('URI')) ?? ''));
  const [initBytes = whole.length, initOffset = 0] = quoted(mapped.get('BYTERANGE'))?.split('@').map(Number) ?? [];
  const init = Buffer.from(whole.subarray(initOffset, initOffset + initBytes));
  const ranges = tagsNamed(playlist, 'EXT-X-BYTERANGE').map(({ value }) => value.split('@').map(Number));
  const segments: KeyFrames['segments'][number][] = [];
  let file: { uri: string; bytes: Buffer } = { uri: '', bytes: Buffer.alloc(0) };
  for (const [index, segment] of segmentsOf(playlist).entries()) {
    const [sizeBytes = 0, offset = 0] = ranges[index] ?? [];
    // All keyframes of two hours may be ranges of one file.
    if (file.uri !== segment.uri) file = { uri: segment.uri, bytes: await fetch(beside(uri, segment.uri)) };
    // A copy, so that a long video does not keep all of its segments in memory.
    const bytes = Buffer.from(file.bytes.subarray(offset, offset + sizeBytes));
    segments.push({ ...segment, offset, sizeBytes, bytes });
  }
  return { ...playlist, attributes, uri, init, segments };
}

function beside(uri: string, file: string): string {
  return `${uri.slice(0, uri.lastIndexOf('/') + 1)}${file}`;
}

function unopened(_bytes: Buffer, _key: unknown, playlistUri: string): Promise<Buffer> {
  return Promise.reject(new Error(`${playlistUri} is encrypted, and nobody opens it`));
}

async function readMedia(
  { fetch, open }: { fetch: Fetch; open: Open },
  uri: string,
  kind: MediaPlaylist['kind'],
): Promise<MediaPlaylist> {
  const playlist = parsePlaylist((await fetch(uri)).toString('utf8'));
  const listed = segmentsOf(playlist);
  const [map] = tagsNamed(playlist, 'EXT-X-MAP');
  const initUri = map && quoted(attributesOf(map).get('URI'));
  const init = initUri === undefined ? null : await fetch(beside(uri, initUri));
  const keyTags = tagsNamed(playlist, 'EXT-X-KEY');
  const segments: MediaFile[] = [];
  for (const [index, segment] of (init ? listed : []).entries()) {
    const bytes = await fetch(beside(uri, segment.uri));
    const keyTag = keyTags.findLast(({ line }) => line < playlist.uris[index]!.line);
    const key = keyTag ? attributesOf(keyTag) : null;
    const times = timesOf(key ? await open(bytes, key, uri) : bytes);
    segments.push({ ...segment, sizeBytes: bytes.length, key, times });
  }
  const texts: string[] = [];
  for (const segment of init ? [] : listed) texts.push((await fetch(beside(uri, segment.uri))).toString('utf8'));
  return { ...playlist, uri, kind, init, ticksPerSecond: init ? timescaleOf(init) : 1, segments, listed, texts };
}
