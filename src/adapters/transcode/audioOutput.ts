import type { AudioRung, SourceAudio } from '../../ports/transcoder.js';
import { rungFolder } from '../../ports/transcoder.js';
import { hlsOutput, soundSegmentSeconds, type EncodePlan } from './encodePlan.js';
import { loudnessFilter, type Loudness } from './loudness.js';
import { mixdown } from './mixdown.js';

export function audioOutput(
  plan: EncodePlan,
  rung: AudioRung,
  { sound, loudness }: { sound: SourceAudio; loudness: Loudness | null },
): string[] {
  const filters = [
    ...mixdown(sound, rung.sampleRate),
    // Its limiter works at four times the rate.
    ...(rung.loudness && loudness
      ? [loudnessFilter(rung.loudness, loudness), `aresample=${rung.sampleRate}`, 'aformat=channel_layouts=stereo']
      : []),
    // Players stop where one of the tracks they play does. A file that only says how long it is stays as short as it is.
    ...((sound.endsBeforeMs ?? 1) > 0 && isBeside(plan, rung) ? [`apad=whole_dur=${plan.probe.durationMs}ms`] : []),
  ];
  return [
    ['-map', `0:${sound.streamIndex}`, '-af', filters.join(',')],
    ['-c:a', 'aac', '-b:a', `${rung.bitrateBps}`],
    ['-ac', '2', '-ar', `${rung.sampleRate}`],
    ...hlsOutput(plan, rungFolder(rung), soundSegmentSeconds(plan)),
  ].flat();
}

/** Whether it is played with another track, by whose length it can be told whether the file is whole. */
function isBeside({ rungs, besidePicture }: EncodePlan, { track = 1 }: AudioRung): boolean {
  return track > 1 || besidePicture || rungs.some(({ quality }) => quality !== 'audio');
}
