import type { AudioRendition, SourceAudio } from '../../../ports/transcoder.js';
import { renditionFolder } from '../../../ports/transcoder.js';
import { hlsOutput, readTracks, soundSegmentSeconds, type EncodePlan } from './encodePlan.js';
import { levelingFilters, type Leveling } from './leveling.js';
import { mixdown } from './mixdown.js';

export function audioOutput(
  plan: EncodePlan,
  rendition: AudioRendition,
  { sound, leveling }: { sound: SourceAudio; leveling: Leveling | null },
): string[] {
  const filters = [
    ...mixdown(sound, rendition.sampleRate, { probe: plan.probe, read: readTracks(plan) }),
    ...(leveling === null ? [] : levelingFilters(leveling, rendition.sampleRate)),
    // Players stop when one of the tracks they play ends, so pad the sound. Audio alone keeps its own length.
    ...((sound.endsBeforeMs ?? 1) > 0 && isBeside(plan, rendition)
      ? [`apad=whole_dur=${plan.probe.durationMs}ms`]
      : []),
  ];
  return [
    ['-map', `0:${sound.streamIndex}`, '-af', filters.join(',')],
    soundEncoder(rendition),
    ...hlsOutput(plan, renditionFolder(rendition), soundSegmentSeconds(plan)),
  ].flat();
}

/** @param index of the track among those of the same file */
export function soundEncoder({ bitrateBps, sampleRate }: AudioRendition, index = 0): string[] {
  return [
    [`-c:a:${index}`, 'aac', `-b:a:${index}`, `${bitrateBps}`],
    [`-ac:a:${index}`, '2', `-ar:a:${index}`, `${sampleRate}`],
  ].flat();
}

/** Whether it plays with another track, whose length shows whether the file is complete. */
function isBeside({ renditions, besidePicture }: EncodePlan, { track = 1 }: AudioRendition): boolean {
  return track > 1 || besidePicture || renditions.some(({ quality }) => quality !== 'audio');
}
