import type { AudioRendition, SourceAudio } from '../../../ports/transcoder.js';
import { renditionFolder } from '../../../ports/transcoder.js';
import {
  UNTOLD_GAP_MS,
  endSeconds,
  hlsOutput,
  readTracks,
  soundSegmentSeconds,
  type EncodePlan,
} from './encodePlan.js';
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
    ...(isBeside(plan, rendition) ? asLongAsTheVideo(plan, sound) : []),
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

/** Players stop when one of the tracks they play ends. Audio alone keeps its own length. */
function asLongAsTheVideo(plan: EncodePlan, { endsBeforeMs = 1 }: SourceAudio): string[] {
  const endMs = Math.round(endSeconds(plan) * 1_000);
  // A file that was cut off tells no gap either: its picture is shorter, too.
  const silence = endsBeforeMs > 0 ? `whole_dur=${endMs}ms` : `pad_dur=${UNTOLD_GAP_MS}ms`;
  return [`apad=${silence}`, `atrim=end=${endMs}ms`];
}

/** Whether it plays with another track, whose length shows whether the file is complete. */
function isBeside({ renditions, besidePicture }: EncodePlan, { track = 1 }: AudioRendition): boolean {
  return track > 1 || besidePicture || renditions.some(({ quality }) => quality !== 'audio');
}
