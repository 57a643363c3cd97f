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
    // Its limiter works at four times the rate.
    ...(rendition.loudness && loudness
      ? [
          loudnessFilter(rendition.loudness, loudness),
          `aresample=${rendition.sampleRate}`,
          'aformat=channel_layouts=stereo',
        ]
      : []),
    // Players stop where one of the tracks they play does. A file that only says how long it is stays as short as it is.
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

/** Whether it is played with another track, by whose length it can be told whether the file is whole. */
function isBeside({ renditions, besidePicture }: EncodePlan, { track = 1 }: AudioRendition): boolean {
  return track > 1 || besidePicture || renditions.some(({ quality }) => quality !== 'audio');
}
