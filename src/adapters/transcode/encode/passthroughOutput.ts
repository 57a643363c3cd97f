import type { PassthroughCut } from '../../../ports/packets.js';
import type { AudioRendition, FrameRate, SourceAudio, SourceVideo, VideoRendition } from '../../../ports/transcoder.js';
import { renditionFolder } from '../../../ports/transcoder.js';
import { hlsOutput, soundSegmentSeconds, type EncodePlan } from './encodePlan.js';

const MIN_TICKS_PER_SECOND = 10_000;
/** Of AAC LC. */
const PACKET_SAMPLES = 1_024;

/**
 * A rendition out of the source's own packets. Its times are put on the grid of the frame rate, from the first frame on, where
 * the encoded renditions have theirs: a container's clock may tick in milliseconds, and know no decode times at all.
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
    ...hlsOutput(plan, rendition.quality, packets.segmentSeconds),
  ].flat();
}

/** On the clock of its samples: the playlist would add up durations that a container's milliseconds have cut short. */
export function passthroughSound(plan: EncodePlan, rendition: AudioRendition, sound: SourceAudio): string[] {
  const filters = [
    ...(plan.probe.container === 'mpegts' ? ['aac_adtstoasc'] : []),
    `setts=pts=PTS:dts=DTS:duration=${PACKET_SAMPLES}`,
  ];
  return [
    ['-map', `0:${sound.streamIndex}`, '-c:a', 'copy', '-time_base', `1/${sound.sampleRate}`],
    ['-bsf:a', filters.join(',')],
    ...hlsOutput(plan, renditionFolder(rendition), soundSegmentSeconds(plan)),
  ].flat();
}

/**
 * A clock on which a frame has a whole number of ticks, and so fast that the muxer takes it as it is: it would double a
 * slower one, unseen by what sets the times.
 */
function clockOf({ numerator, denominator }: FrameRate): { ticksPerSecond: number; frameTicks: number } {
  let times = 1;
  while (numerator * times < MIN_TICKS_PER_SECOND) times *= 2;
  return { ticksPerSecond: numerator * times, frameTicks: denominator * times };
}
