import { leadInMs } from '../../../ports/timeline.js';
import type { SourceAudio, SourceProbe } from '../../../ports/transcoder.js';
import { shiftFilter, shiftMs, type Track } from './clock.js';

/**
 * Converts any sound to stereo that starts with the video and stays in sync. ffmpeg's default mixdown adds channels
 * until they clip, and makes mono quieter.
 * @param read the tracks that ffmpeg reads beside it, and itself
 */
export function mixdown(
  { channels, startsAfterMs }: SourceAudio,
  sampleRate: number,
  { probe, read }: { probe: SourceProbe; read: readonly Track[] },
): string[] {
  const startsLate = startsAfterMs - leadInMs(probe) > 20;
  return [
    ...shiftFilter('asetpts', shiftMs(probe, read)),
    ...(leadInMs(probe) > 0 ? ['atrim=start=0'] : []),
    ...(channels === 1 ? ['pan=stereo|c0=c0|c1=c0'] : []),
    // There is no rule for mixing down more than 7.1, so keep the first two channels.
    ...(channels > 8 ? ['pan=stereo|c0=c0|c1=c1'] : []),
    // Fill gaps with silence, to keep sound and picture in sync.
    `aresample=${sampleRate}:async=1:rematrix_maxval=1${startsLate ? ':first_pts=0' : ''}`,
    'aformat=channel_layouts=stereo',
  ];
}
