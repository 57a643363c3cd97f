import type { Brand } from '../../../ports/brand.js';
import { MAX_SEGMENT_SECONDS, type PassthroughCut } from '../../../ports/packets.js';
import {
  framesPerSecond,
  PLAYLIST_FILE,
  soundsOf,
  type Rendition,
  type SourceAudio,
  type SourceProbe,
  type SourceVideo,
} from '../../../ports/transcoder.js';
import type { Leveling } from './leveling.js';
import { endIsJoined, LEAST_LAST_SECONDS, SEGMENT_SECONDS, shownMs } from '../../../ports/timeline.js';
import { INIT_FILE, NO_METADATA, OVERRUN_SECONDS } from './outputFormat.js';
import type { StoryboardPlan } from '../pictures/storyboard.js';

/** More than the lead-in of any audio encoder. */
const LEAD_IN_SECONDS = 0.1;

/** A track may end this long before the video, besides one frame, without the probe telling it. */
export const UNTOLD_GAP_MS = 50;

export interface EncodePlan {
  /** Paths as the encoder sees them. */
  inputPath: string;
  outputDir: string;
  probe: SourceProbe;
  renditions: readonly Rendition[];
  preset: string;
  /** 0 lets x264 choose: one and a half per core. */
  threads: number;
  /** Whether to make a poster, and possibly a storyboard. */
  pictures: boolean;
  /** Whether a picture that belongs to this sound is made elsewhere. */
  besidePicture: boolean;
  /** Null for none. */
  storyboard: StoryboardPlan | null;
  /** By track, for tracks whose loudness is normalized; null if there is nothing to measure. */
  levelings: ReadonlyMap<number, Leveling | null>;
  /** How the passthrough picture is cut. */
  packets: PassthroughCut | null;
  /** Segment boundaries of encoded pictures in milliseconds; null for segments of constant length. */
  boundaries: readonly number[] | null;
  /** The branding, with its logo in `outputDir`. Null for none. */
  brand: Brand | null;
  /** Whether this ffmpeg can tone map. */
  toneMaps: boolean;
  /** Whether it can make a storyboard's moving preview. */
  previews: boolean;
}

/** The tracks of the source that are read for a plan. */
export function readTracks({
  probe,
  renditions,
  pictures,
}: Pick<EncodePlan, 'probe' | 'renditions' | 'pictures'>): (SourceVideo | SourceAudio)[] {
  const sounds = soundsOf(probe);
  const showsPicture = pictures || renditions.some(({ quality }) => quality !== 'audio');
  return [
    ...(showsPicture && probe.video ? [probe.video] : []),
    ...renditions.flatMap((one) => (one.quality === 'audio' ? (sounds[(one.track ?? 1) - 1] ?? []) : [])),
  ];
}

/** When the picture ends, as far as it is known beforehand. */
export function endSeconds({ probe, packets, renditions }: EncodePlan): number {
  const passed = renditions.find((rendition) => rendition.quality !== 'audio' && rendition.passthrough === true);
  return packets !== null && passed !== undefined && passed.quality !== 'audio'
    ? packets.frames / framesPerSecond(passed.frameRate)
    : shownMs(probe) / 1_000;
}

/** The maximum segment length of an encoded picture. */
export function longestSegmentSeconds({ boundaries, probe }: Pick<EncodePlan, 'boundaries' | 'probe'>): number {
  if (boundaries !== null) return MAX_SEGMENT_SECONDS;
  return SEGMENT_SECONDS + (endIsJoined(shownMs(probe)) ? LEAST_LAST_SECONDS + OVERRUN_SECONDS : 0);
}

/** Short enough that the muxer begins a segment with every keyframe of an encoded picture. */
export function shortestSegmentSeconds({ boundaries }: Pick<EncodePlan, 'boundaries'>): number {
  return boundaries === null ? SEGMENT_SECONDS / 2 : 0.5;
}

/**
 * Sound has no keyframes, so it is cut at constant intervals, about as long as the picture's segments. The interval
 * grows a little if the last segment would be only a packet or two: with the encoder's lead-in, such a segment ends
 * before the playlist says it begins, and players request it again and again.
 */
export function soundSegmentSeconds(plan: EncodePlan): number {
  const { packets, boundaries } = plan;
  const seconds = endSeconds(plan);
  const atBoundaries = boundaries === null ? SEGMENT_SECONDS : seconds / boundaries.length;
  const pace = packets?.meanSegmentSeconds ?? atBoundaries;
  const segments = Math.max(1, Math.ceil((seconds - LEAST_LAST_SECONDS) / pace));
  return Math.max(pace, (seconds + LEAD_IN_SECONDS) / segments);
}

/** The output of a rendition: its own folder with a playlist, an init segment and media segments. */
export function hlsOutput(
  plan: Pick<EncodePlan, 'outputDir' | 'probe'>,
  folder: string,
  segmentSeconds: number,
  { fragmentEachKeyFrame = false, ...limit }: { fragmentEachKeyFrame?: boolean; untilSeconds?: number } = {},
): string[] {
  const pictureFlags = `+negative_cts_offsets${fragmentEachKeyFrame ? '+frag_keyframe' : ''}`;
  return [
    ...commonOutput(plan, limit),
    // A picture starts at zero, however far its encoder looks ahead. This uses negative offsets, because players handle
    // edit lists differently. Otherwise the picture would be late, and renditions with different lookahead would not be
    // aligned.
    ['-avoid_negative_ts', 'disabled'],
    ...(folder.startsWith('audio') ? [] : [['-hls_segment_options', `movflags=${pictureFlags}`]]),
    ['-f', 'hls', '-hls_time', `${segmentSeconds}`],
    ['-hls_playlist_type', 'vod', '-hls_list_size', '0'],
    ['-hls_segment_type', 'fmp4', '-hls_flags', 'independent_segments'],
    ['-hls_fmp4_init_filename', INIT_FILE],
    ['-hls_segment_filename', `${plan.outputDir}/${folder}/seg_%05d.m4s`],
    `${plan.outputDir}/${folder}/${PLAYLIST_FILE}`,
  ].flat();
}

export function commonOutput(
  { probe }: Pick<EncodePlan, 'probe'>,
  { untilSeconds = probe.durationMs / 1_000 + OVERRUN_SECONDS }: { untilSeconds?: number } = {},
): string[] {
  return [...NO_METADATA, '-t', untilSeconds.toFixed(3)];
}
