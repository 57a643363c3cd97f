import { framesPerSecond, type EncodedRendition } from '../../../ports/transcoder.js';
import { withoutDominated } from '../pipeline/dominated.js';
import type { SoundTrack } from '../pipeline/soundTracks.js';
import type { TrickPlay } from './video.entity.js';

const AUDIO_GROUP = 'audio';
const CAPTIONS_GROUP = 'captions';

type MasterRendition = Pick<
  EncodedRendition,
  | 'quality'
  | 'playlistPath'
  | 'peakBandwidthBps'
  | 'averageBandwidthBps'
  | 'codecs'
  | 'width'
  | 'height'
  | 'frameRate'
  | 'keyFrames'
> &
  Partial<SoundTrack>;

/** A caption track that is available with all variants. */
export interface MasterCaption {
  /** BCP 47 */
  readonly language: string;
  /** One line, unique among the tracks. */
  readonly label: string;
  /** Forced subtitles: only lines that must be read. */
  readonly isForced?: boolean;
  /** For the deaf and hard of hearing. */
  readonly isSdh?: boolean;
  /** Of its media playlist. */
  readonly uri: string;
}

/** Small pictures at a constant interval, with the URI of their I-frame playlist. */
export type MasterTrickPlay = Omit<TrickPlay, 'path'> & { readonly uri: string };

/**
 * A bitrate that mobile connections carry. Safari starts with the first variant, so the one nearest to this comes first:
 * a light rendition, which starts quickly. Players switch to better ones within seconds if the connection allows.
 */
const FIRST_AVERAGE_BPS = 730_000;

/**
 * Writes the HLS multivariant playlist of finished renditions: first the one to start with, then the best first. It
 * leaves out dominated renditions: the first one of a video is published before the others are measured. It follows
 * draft-pantos-hls-rfc8216bis and Apple's authoring rules (`test/support/corpus/playlistRules.ts` lists them).
 *
 * Bandwidths are measured; a picture's include the largest sound that can play with it. Sound is also a variant of its
 * own, after the pictures, for players that want (or can afford) nothing else. All its tracks are one group, the first
 * by default; a single track without pictures needs no group. I-frame playlists come last.
 *
 * @param renditions with their playlist paths as written here: '1-2/720p/index.m3u8'
 */
export function masterPlaylist(
  renditions: readonly MasterRendition[],
  captions: readonly MasterCaption[] = [],
  trickPlay: MasterTrickPlay | null = null,
): string {
  const sounds = renditions
    .filter((rendition) => rendition.quality === 'audio')
    .toSorted((a, b) => (a.track ?? 1) - (b.track ?? 1));
  const videos = withoutDominated(renditions)
    .filter((rendition) => rendition.quality !== 'audio')
    .toSorted((a, b) => b.averageBandwidthBps - a.averageBandwidthBps);

  const lines = ['#EXTM3U', '#EXT-X-VERSION:7', '#EXT-X-INDEPENDENT-SEGMENTS'];
  const group = sounds.length > (videos.length > 0 ? 0 : 1) ? sounds : [];
  lines.push(...group.map(soundTag), ...captions.map(captionTag));
  const captioned = captions.length > 0 ? `,SUBTITLES="${CAPTIONS_GROUP}"` : '';
  for (const rendition of [...startingFirst(videos, group), ...sounds.slice(0, 1)]) {
    lines.push(variantTag(rendition, group) + captioned, rendition.playlistPath);
  }
  lines.push(...videos.flatMap(keyFramesTag), ...(trickPlay === null ? [] : [iframesTag(trickPlay)]));
  return `${lines.join('\n')}\n`;
}

/** Moves the variant nearest to `FIRST_AVERAGE_BPS` to the front. */
function startingFirst(videos: readonly MasterRendition[], sounds: readonly MasterRendition[]): MasterRendition[] {
  const soundBps = Math.max(0, ...sounds.map((sound) => sound.averageBandwidthBps));
  const distance = (rendition: MasterRendition): number =>
    Math.abs(rendition.averageBandwidthBps + soundBps - FIRST_AVERAGE_BPS);
  const nearest = Math.min(...videos.map(distance));
  return videos.toSorted((a, b) => Number(distance(b) === nearest) - Number(distance(a) === nearest));
}

/** Players that choose by themselves get one track per language and purpose (AUTOSELECT): the first. */
function soundTag(sound: MasterRendition, index: number, group: readonly MasterRendition[]): string {
  const { track = 1, language = 'und', label = 'Main', isDescription = false, playlistPath } = sound;
  const isFirst =
    group.findIndex((of) => of.language === sound.language && of.isDescription === sound.isDescription) === index;
  return [
    `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="${AUDIO_GROUP}",NAME="${quotable(label)}"`,
    `LANGUAGE="${language}"`,
    `DEFAULT=${track === 1 ? 'YES' : 'NO'},AUTOSELECT=${isFirst ? 'YES' : 'NO'}`,
    ...(isDescription ? ['CHARACTERISTICS="public.accessibility.describes-video"'] : []),
    `CHANNELS="2",URI="${playlistPath}"`,
  ].join(',');
}

const SDH = 'public.accessibility.describes-music-and-sound,public.accessibility.transcribes-spoken-dialog';

function captionTag({ language, label, isForced = false, isSdh = false, uri }: MasterCaption): string {
  return [
    `#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="${CAPTIONS_GROUP}",NAME="${quotable(label)}"`,
    `LANGUAGE="${language}"`,
    `DEFAULT=NO,AUTOSELECT=YES,FORCED=${isForced ? 'YES' : 'NO'}`,
    ...(isSdh ? [`CHARACTERISTICS="${SDH}"`] : []),
    `URI="${uri}"`,
  ].join(',');
}

/** The I-frame playlist, which players show during trick play. */
function keyFramesTag({ keyFrames, codecs, width, height }: MasterRendition): string[] {
  if (keyFrames === undefined) return [];
  const { playlistPath: uri, peakBandwidthBps: bitrate, averageBandwidthBps: averageBitrate } = keyFrames;
  return [iframesTag({ uri, bitrate, averageBitrate, codecs, width, height })];
}

function iframesTag(track: {
  uri: string;
  bitrate: number;
  averageBitrate: number;
  codecs: string;
  width: number | null;
  height: number | null;
}): string {
  const attributes = [
    `BANDWIDTH=${Math.ceil(track.bitrate)}`,
    `AVERAGE-BANDWIDTH=${Math.ceil(track.averageBitrate)}`,
    `CODECS="${track.codecs}",RESOLUTION=${track.width}x${track.height}`,
    `URI="${track.uri}"`,
  ];
  return `#EXT-X-I-FRAME-STREAM-INF:${attributes.join(',')}`;
}

/** A quoted string of a playlist cannot contain quotes. */
function quotable(text: string): string {
  return text.replaceAll('"', "'");
}

/** A variant of sound alone has the bandwidth of the largest track of its group. */
function variantTag(rendition: MasterRendition, group: readonly MasterRendition[]): string {
  const isPicture = rendition.quality !== 'audio';
  const largest = (rate: (of: MasterRendition) => number): number =>
    isPicture ? rate(rendition) + Math.max(0, ...group.map(rate)) : Math.max(rate(rendition), ...group.map(rate));
  const codecs = new Set([rendition.codecs, ...group.map((sound) => sound.codecs)]);
  const attributes = [
    `BANDWIDTH=${Math.ceil(largest((of) => of.peakBandwidthBps))}`,
    `AVERAGE-BANDWIDTH=${Math.ceil(largest((of) => of.averageBandwidthBps))}`,
    `CODECS="${[...codecs].join(',')}"`,
  ];
  if (rendition.width !== null && rendition.height !== null) {
    attributes.push(`RESOLUTION=${rendition.width}x${rendition.height}`);
  }
  if (rendition.frameRate !== null) {
    attributes.push(`FRAME-RATE=${framesPerSecond(rendition.frameRate).toFixed(3)}`);
  }
  if (group.length > 0) {
    attributes.push(`AUDIO="${AUDIO_GROUP}"`);
  }
  return `#EXT-X-STREAM-INF:${attributes.join(',')}`;
}
