import type { SourceAudio } from '../../../ports/transcoder.js';

/**
 * Any sound as stereo that starts with the video and stays with the picture. ffmpeg's own way adds channels up until they
 * clip, and makes one channel quieter than it was.
 */
export function mixdown({ channels, startsAfterMs }: SourceAudio, sampleRate: number): string[] {
  const startsLate = startsAfterMs > 20;
  return [
    ...(channels === 1 ? ['pan=stereo|c0=c0|c1=c0'] : []),
    // Beyond 7.1 there is no rule for mixing down: keep the first two.
    ...(channels > 8 ? ['pan=stereo|c0=c0|c1=c1'] : []),
    // Fills gaps with silence, so that sound stays with the picture.
    `aresample=${sampleRate}:async=1:rematrix_maxval=1${startsLate ? ':first_pts=0' : ''}`,
    'aformat=channel_layouts=stereo',
  ];
}
