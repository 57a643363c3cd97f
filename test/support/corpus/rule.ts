import { quoted, tagsNamed, type ParsedPlaylist } from './playlist.js';
import type { MediaPlaylist, Stream, Variant } from './stream.js';

/**
 * A rule for streams on demand in fragmented MP4. `RFC` is draft-pantos-hls-rfc8216bis by section, `Apple` the HLS
 * Authoring Specification for Apple devices by item; the wording is ours.
 */
export interface Rule {
  readonly id: string;
  readonly level: 'MUST' | 'SHOULD';
  readonly says: string;
  /** The faults in words; empty if the rule is followed. */
  readonly faults: (stream: Stream) => string[];
}

export const rule = (id: string, level: Rule['level'], says: string, faults: Rule['faults']): Rule => ({
  id,
  level,
  says,
  faults,
});

/** Every playlist of the stream, with its name. */
export const playlists = ({ master, media, keyFrames }: Stream): (ParsedPlaylist & { uri: string })[] => [
  { ...master, uri: 'the multivariant playlist' },
  ...media,
  ...keyFrames,
];
export const each = <T>(items: Iterable<T>, fault: (item: T) => string | false | undefined): string[] =>
  [...items].map(fault).filter((said) => typeof said === 'string');
export const videos = ({ media }: Stream): MediaPlaylist[] => media.filter(({ kind }) => kind !== 'subtitles');
export const pictures = ({ media }: Stream): MediaPlaylist[] => media.filter(({ kind }) => kind === 'video');
export const only = (playlist: ParsedPlaylist, name: string): string | undefined => tagsNamed(playlist, name)[0]?.value;
export const targetOf = (playlist: ParsedPlaylist): number => Number(only(playlist, 'EXT-X-TARGETDURATION'));
export const numberIn = ({ attributes }: Pick<Variant, 'attributes'>, name: string): number =>
  Number(attributes.get(name));
export const frameSeconds = (stream: Stream): number =>
  1 / Math.min(...stream.variants.map((v) => numberIn(v, 'FRAME-RATE') || 1000));

export const seconds = (media: MediaPlaylist, ticks: number): number => ticks / media.ticksPerSecond;
export const lengthOf = (media: MediaPlaylist): number => {
  const [first, last] = [media.segments[0]!, media.segments.at(-1)!];
  return seconds(media, last.times.decodeStart + last.times.duration - first.times.decodeStart);
};

interface Sized extends ParsedPlaylist {
  readonly segments: readonly { readonly durationSeconds: number; readonly sizeBytes: number }[];
}

/** RFC 8216bis, 4.1: the largest rate of any run of segments between 0.5 and 1.5 target durations. */
export function peakBitrate(media: Sized): number {
  const target = targetOf(media);
  let peak = 0;
  for (let from = 0; from < media.segments.length; from += 1) {
    let length = 0;
    let bits = 0;
    for (let at = from; at < media.segments.length; at += 1) {
      const { durationSeconds, sizeBytes } = media.segments[at]!;
      length += durationSeconds;
      bits += sizeBytes * 8;
      if (length > 1.5 * target) break;
      if (length >= 0.5 * target) peak = Math.max(peak, bits / length);
    }
  }
  // A video shorter than half of its target duration has no such run.
  return peak || averageBitrate(media);
}

export function averageBitrate({ segments }: Sized): number {
  const sum = (of: (segment: Sized['segments'][number]) => number): number =>
    segments.reduce((total, segment) => total + of(segment), 0);
  return (8 * sum(({ sizeBytes }) => sizeBytes)) / sum(({ durationSeconds }) => durationSeconds);
}

/** The rate with the most demanding audio of its group. */
export function measured(stream: Stream, variant: Variant, rate: (media: MediaPlaylist) => number): number {
  const own = stream.media.find(({ uri }) => uri === variant.uri)!;
  const group = variant.attributes.get('AUDIO');
  const sounds = stream.renditions
    .filter(
      (rendition) => group !== undefined && rendition.get('GROUP-ID') === group && rendition.get('TYPE') === 'AUDIO',
    )
    .map((rendition) => stream.media.find(({ uri }) => uri === quoted(rendition.get('URI'))))
    .filter((media) => media !== undefined);
  const loudest = Math.max(0, ...sounds.map(rate));
  // Of an audio-only variant, one track plays at a time.
  return own.kind === 'audio' ? Math.max(rate(own), loudest) : rate(own) + loudest;
}

export const offBy = (declared: number, real: number): number => Math.abs(declared - real) / real;
export const isH264 = (codec: string): boolean => codec.startsWith('avc1.');
export const codecsOf = ({ attributes }: Variant): string[] =>
  (quoted(attributes.get('CODECS')) ?? '').split(',').filter(Boolean);
