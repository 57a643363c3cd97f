import type { AudioRung, SourceAudio } from '../../ports/transcoder.js';
import { hlsOutput, SEGMENT_SECONDS, type EncodePlan } from './encodePlan.js';

export function audioOutput(plan: EncodePlan, rung: AudioRung, audio: SourceAudio): string[] {
  const startsLate = audio.startsAfterMs > 20;
  const filters = [
    // Beyond 7.1 there is no rule for mixing down: keep the first two.
    ...(audio.channels > 8 ? ['pan=stereo|c0=c0|c1=c1'] : []),
    // Fills gaps with silence, so that sound stays with the picture.
    `aresample=${rung.sampleRate}:async=1${startsLate ? ':first_pts=0' : ''}`,
  ];
  return [
    ['-map', `0:${audio.streamIndex}`, '-af', filters.join(',')],
    ['-c:a', 'aac', '-b:a', `${rung.bitrateBps}`],
    ['-ac', '2', '-ar', `${rung.sampleRate}`],
    ...hlsOutput(plan, rung.quality, SEGMENT_SECONDS),
  ].flat();
}
