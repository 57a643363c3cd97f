import type { AudioRendition, SourceAudio } from '../../../ports/transcoder.js';
import { renditionFolder } from '../../../ports/transcoder.js';
import { hlsOutput, soundSegmentSeconds, type EncodePlan } from './encodePlan.js';
import { loudnessFilter, type Loudness } from './loudness.js';
import { mixdown } from './mixdown.js';

export function audioOutput(
  plan: EncodePlan,
  rendition: AudioRendition,
  { sound, loudness }: { sound: SourceAudio; loudness: Loudness | null },
): string[] {
  const filters = [
    ...mixdown(sound, rendition.sampleRate),
    // The filter's limiter works at four times the sample rate.
    ...(rendition.loudness && loudness
      ? [
          loudnessFilter(rendition.loudness, loudness),
          `aresample=${rendition.sampleRate}`,
          'aformat=channel_layouts=stereo',
        ]
      : []),
    // Players stop when one of the tracks they play ends, so pad the sound. Audio alone keeps its own length.
    ...((sound.endsBeforeMs ?? 1) > 0 && isBeside(plan, rendition)
      ? [`apad=whole_dur=${plan.probe.durationMs}ms`]
      : []),
  ];
  return [
    ['-map', `0:${sound.streamIndex}`, '-af', filters.join(',')],
    ['-c:a', 'aac', '-b:a', `${rendition.bitrateBps}`],
    ['-ac', '2', '-ar', `${rendition.sampleRate}`],
    ...hlsOutput(plan, renditionFolder(rendition), soundSegmentSeconds(plan)),
  ].flat();
}

/** Whether it plays with another track, whose length shows whether the file is complete. */
function isBeside({ renditions, besidePicture }: EncodePlan, { track = 1 }: AudioRendition): boolean {
  return track > 1 || besidePicture || renditions.some(({ quality }) => quality !== 'audio');
}
