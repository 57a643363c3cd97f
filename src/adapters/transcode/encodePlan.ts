import type { Brand } from '../../ports/brand.js';
import type { Rung, SourceProbe } from '../../ports/transcoder.js';
import type { Loudness } from './loudness.js';
import type { StoryboardPlan } from './storyboard.js';

export const SEGMENT_SECONDS = 4;
export const PLAYLIST_FILE = 'index.m3u8';
export const INIT_FILE = 'init.mp4';

/** A source that goes on after its announced end is cut here: what is delivered was paid for. */
const OVERRUN_SECONDS = 2;

export interface EncodePlan {
  /** As the encoder sees them. */
  inputPath: string;
  outputDir: string;
  probe: SourceProbe;
  rungs: readonly Rung[];
  preset: string;
  /** 0 is one per core and a half, x264's own choice. */
  threads: number;
  /** Null for none. */
  storyboard: StoryboardPlan | null;
  /** By track: of those that are to be brought to a loudness, and are not silent. */
  loudness: ReadonlyMap<number, Loudness | null>;
  /** Its logo lies in `outputDir`. Null for none. */
  brand: Brand | null;
}

/** Of a rung: a folder of its own with a playlist, an init segment and media segments. */
export function hlsOutput(plan: EncodePlan, folder: string, segmentSeconds: number): string[] {
  return [
    ...commonOutput(plan),
    ['-f', 'hls', '-hls_time', `${segmentSeconds}`],
    ['-hls_playlist_type', 'vod', '-hls_list_size', '0'],
    ['-hls_segment_type', 'fmp4', '-hls_flags', 'independent_segments'],
    ['-hls_fmp4_init_filename', INIT_FILE],
    ['-hls_segment_filename', `${plan.outputDir}/${folder}/seg_%05d.m4s`],
    `${plan.outputDir}/${folder}/${PLAYLIST_FILE}`,
  ].flat();
}

/** Metadata stays behind: a telephone writes where its owner lives into it. */
export function commonOutput({ probe }: EncodePlan): string[] {
  return [
    ['-map_metadata', '-1', '-map_chapters', '-1'],
    ['-t', (probe.durationMs / 1_000 + OVERRUN_SECONDS).toFixed(3)],
  ].flat();
}
