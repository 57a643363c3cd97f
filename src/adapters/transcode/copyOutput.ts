import type { PacketCopy } from '../../ports/packets.js';
import type { AudioRung, FrameRate, SourceAudio, SourceVideo, VideoRung } from '../../ports/transcoder.js';
import { rungFolder } from '../../ports/transcoder.js';
import { hlsOutput, soundSegmentSeconds, type EncodePlan } from './encodePlan.js';

const MIN_TICKS_PER_SECOND = 10_000;

/**
 * A rung out of the source's own packets. Its times are put on the grid of the frame rate, from the first frame on, where
 * the encoded rungs have theirs: a container's clock may tick in milliseconds, and know no decode times at all.
 */
export function copiedPicture(
  plan: EncodePlan,
  rung: VideoRung,
  { video, packets }: { video: SourceVideo; packets: PacketCopy },
): string[] {
  const { ticksPerSecond, frameTicks } = clockOf(rung.frameRate);
  const times = [
    `pts=round((PTS-STARTPTS)/${frameTicks})*${frameTicks}`,
    `dts=(N-${packets.reorderFrames})*${frameTicks}`,
    `duration=${frameTicks}`,
  ];
  return [
    ['-map', `0:${video.streamIndex}`, '-c:v', 'copy', '-time_base', `1/${ticksPerSecond}`],
    ['-bsf:v', `setts=${times.join(':')}`],
    ...hlsOutput(plan, rung.quality, packets.segmentSeconds),
  ].flat();
}

export function copiedSound(plan: EncodePlan, rung: AudioRung, sound: SourceAudio): string[] {
  return [
    ['-map', `0:${sound.streamIndex}`, '-c:a', 'copy'],
    ...(plan.probe.container === 'mpegts' ? [['-bsf:a', 'aac_adtstoasc']] : []),
    ...hlsOutput(plan, rungFolder(rung), soundSegmentSeconds(plan)),
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
