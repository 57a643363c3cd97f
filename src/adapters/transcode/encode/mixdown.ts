import type { SourceAudio } from '../../../ports/transcoder.js';

/**
 * Converts any sound to stereo that starts with the video and stays in sync. ffmpeg's default mixdown adds channels
 * until they clip, and makes mono quieter.
 */
export function mixdown({ channels, startsAfterMs }: SourceAudio, sampleRate: number): string[] {
  const startsLate = startsAfterMs > 20;
  return [
    ...(channels === 1 ? ['pan=stereo|c0=c0|c1=c0'] : []),
    // There is no rule for mixing down more than 7.1, so keep the first two channels.
    ...(channels > 8 ? ['pan=stereo|c0=c0|c1=c1'] : []),
    // Fill gaps with silence, to keep sound and picture in sync.
    `aresample=${sampleRate}:async=1:rematrix_maxval=1${startsLate ? ':first_pts=0' : ''}`,
    'aformat=channel_layouts=stereo',
  ];
}
