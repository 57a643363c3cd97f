import type { Brand } from '../../../ports/brand.js';
import { MAX_SEGMENT_SECONDS, type PassthroughCut } from '../../../ports/packets.js';
import { PLAYLIST_FILE, type Rendition, type SourceProbe } from '../../../ports/transcoder.js';
import type { Loudness } from './loudness.js';
import { INIT_FILE, NO_METADATA, OVERRUN_SECONDS, SEGMENT_SECONDS } from './outputFormat.js';
import type { StoryboardPlan } from '../pictures/storyboard.js';

const MAX_STUB_SECONDS = 0.35;
/** More than any encoder of sound has. */
const LEAD_IN_SECONDS = 0.1;

export interface EncodePlan {
  /** As the encoder sees them. */
  inputPath: string;
  outputDir: string;
  probe: SourceProbe;
  renditions: readonly Rendition[];
  preset: string;
  /** 0 is one per core and a half, x264's own choice. */
  threads: number;
  /** Whether a poster is made, and perhaps a storyboard. */
  pictures: boolean;
  /** Whether a picture to which this belongs is made elsewhere. */
  besidePicture: boolean;
  /** Null for none. */
  storyboard: StoryboardPlan | null;
  /** By track: of those that are to be brought to a loudness, and are not silent. */
  loudness: ReadonlyMap<number, Loudness | null>;
  /** How the picture that is copied is cut. */
  packets: PassthroughCut | null;
  /** Where the segments of encoded pictures begin, in milliseconds; null is by the clock. */
  boundaries: readonly number[] | null;
  /** Its logo lies in `outputDir`. Null for none. */
  brand: Brand | null;
  /** Whether this ffmpeg can make SDR of HDR. */
  toneMaps: boolean;
  /** Whether it can make a storyboard's moving preview. */
  previews: boolean;
}

/** No segment of an encoded picture is longer. */
export function longestSegmentSeconds({ boundaries }: Pick<EncodePlan, 'boundaries'>): number {
  return boundaries === null ? SEGMENT_SECONDS : MAX_SEGMENT_SECONDS;
}

/** So short that the muxer begins a segment with every keyframe of an encoded picture. */
export function shortestSegmentSeconds({ boundaries }: Pick<EncodePlan, 'boundaries'>): number {
  return boundaries === null ? SEGMENT_SECONDS / 2 : 0.5;
}

/**
 * Sound has no keyframes to wait for: it is cut by the clock, at the pace of the picture. It is slowed down a little where
 * the last segment would be a packet or two: with its encoder's lead-in, that ends before it begins by the playlist,
 * and players ask for it again and again.
 */
export function soundSegmentSeconds({ packets, boundaries, probe }: EncodePlan): number {
  const seconds = probe.durationMs / 1_000;
  const atBoundaries = boundaries === null ? SEGMENT_SECONDS : seconds / boundaries.length;
  const pace = packets?.meanSegmentSeconds ?? atBoundaries;
  const segments = Math.max(1, Math.ceil((seconds - MAX_STUB_SECONDS) / pace));
  return Math.max(pace, (seconds + LEAD_IN_SECONDS) / segments);
}

/** Of a rendition: a folder of its own with a playlist, an init segment and media segments. */
export function hlsOutput(
  plan: Pick<EncodePlan, 'outputDir' | 'probe'>,
  folder: string,
  segmentSeconds: number,
): string[] {
  return [
    ...commonOutput(plan),
    // A picture is shown from zero on, however far its encoder looks ahead: by offsets below zero, since players do not
    // agree on edit lists. Otherwise it would be late, and renditions that look ahead differently would not be aligned.
    ['-avoid_negative_ts', 'disabled'],
    ...(folder.startsWith('audio') ? [] : [['-hls_segment_options', 'movflags=+negative_cts_offsets']]),
    ['-f', 'hls', '-hls_time', `${segmentSeconds}`],
    ['-hls_playlist_type', 'vod', '-hls_list_size', '0'],
    ['-hls_segment_type', 'fmp4', '-hls_flags', 'independent_segments'],
    ['-hls_fmp4_init_filename', INIT_FILE],
    ['-hls_segment_filename', `${plan.outputDir}/${folder}/seg_%05d.m4s`],
    `${plan.outputDir}/${folder}/${PLAYLIST_FILE}`,
  ].flat();
}

export function commonOutput({ probe }: Pick<EncodePlan, 'probe'>): string[] {
  return [...NO_METADATA, '-t', (probe.durationMs / 1_000 + OVERRUN_SECONDS).toFixed(3)];
}
