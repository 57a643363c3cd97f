import type { PassthroughCut } from '../../../ports/packets.js';
import type { AudioRendition, FrameRate, SourceAudio, SourceVideo, VideoRendition } from '../../../ports/transcoder.js';
import { renditionFolder } from '../../../ports/transcoder.js';
import { endSeconds, hlsOutput, soundSegmentSeconds, type EncodePlan } from './encodePlan.js';

const MIN_TICKS_PER_SECOND = 10_000;
/** Of AAC LC. */
const PACKET_SAMPLES = 1_024;

/**
 * A rendition made of the source's own packets. Its times are moved to the frame grid, counted from the first frame, to
 * match the encoded renditions: a container's clock may tick in milliseconds and have no decode times.
 */
export function passthroughPicture(
  plan: EncodePlan,
  rendition: VideoRendition,
  { video, packets }: { video: SourceVideo; packets: PassthroughCut },
): string[] {
  const { ticksPerSecond, frameTicks } = clockOf(rendition.frameRate);
  const times = [
    `pts=round((PTS-STARTPTS)/${frameTicks})*${frameTicks}`,
    `dts=(N-${packets.reorderFrames})*${frameTicks}`,
    `duration=${frameTicks}`,
  ];
  return [
    ['-map', `0:${video.streamIndex}`, '-c:v', 'copy', '-time_base', `1/${ticksPerSecond}`],
    ['-bsf:v', `setts=${times.join(':')}`],
    // I-frame playlists list byte ranges, and a range must begin with a fragment.
    ...hlsOutput(plan, rendition.quality, packets.segmentSeconds, { fragmentEachKeyFrame: true }),
  ].flat();
}

/**
 * Uses the clock of the samples: a container's milliseconds truncate durations, and the playlist would add up the
 * errors.
 */
export function passthroughSound(plan: EncodePlan, rendition: AudioRendition, sound: SourceAudio): string[] {
  const filters = [
    ...(plan.probe.container === 'mpegts' ? ['aac_adtstoasc'] : []),
    `setts=pts=PTS:dts=DTS:duration=${PACKET_SAMPLES}`,
  ];
  return [
    ['-map', `0:${sound.streamIndex}`, '-c:a', 'copy', '-time_base', `1/${sound.sampleRate}`],
    ['-bsf:a', filters.join(',')],
    // Its last packet may reach a little beyond the picture.
    ...hlsOutput(plan, renditionFolder(rendition), soundSegmentSeconds(plan), { untilSeconds: endSeconds(plan) }),
  ].flat();
}

/**
 * A clock with a whole number of ticks per frame, fast enough for the muxer to keep it. The muxer doubles a slower
 * clock after the times have been set.
 */
function clockOf({ numerator, denominator }: FrameRate): { ticksPerSecond: number; frameTicks: number } {
  let times = 1;
  while (numerator * times < MIN_TICKS_PER_SECOND) times *= 2;
  return { ticksPerSecond: numerator * times, frameTicks: denominator * times };
}
