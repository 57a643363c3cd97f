import type { VideoRung } from '../../ports/transcoder.js';
import { soundsOf } from '../../ports/transcoder.js';
import { audioOutput } from './audioOutput.js';
import { logoInput } from './brandOverlay.js';
import { copiedPicture, copiedSound } from './copyOutput.js';
import type { EncodePlan } from './encodePlan.js';
import { inputArguments, steadyFilters } from './ffmpegInput.js';
import { filterThreads } from './filterThreads.js';
import { ENCODER_LOG } from './likeness.js';
import { posterOutput } from './pictureOutput.js';
import { storyboardOutput } from './storyboard.js';
import { filterGraph, videoOutput } from './videoOutput.js';

/**
 * The arguments of the one ffmpeg that makes a whole ladder: one decode, split into a scaler and an
 * encoder for each picture, and every track of sound. Every rung is an output of its own, so that each has its
 * folder with a playlist, an init segment and media segments.
 */
export function encodeArguments(plan: EncodePlan): string[] {
  const { probe, rungs } = plan;
  const videoRungs = rungs.filter((rung) => rung.quality !== 'audio');
  const encodedRungs = videoRungs.filter((rung) => rung.copy !== true);
  const audioRungs = rungs.filter((rung) => rung.quality === 'audio');
  const picture = encodedRungs.length > 0 || plan.pictures ? probe.video : null;
  const sounds = soundsOf(probe);
  return [
    ['-hide_banner', '-nostdin', '-y', ...ENCODER_LOG],
    ['-progress', 'pipe:1', '-stats_period', '0.5'],
    // Posters and sheets alone are worth no more: a film's keyframes come seconds apart, and cost a tenth to decode.
    ...(videoRungs.length === 0 && plan.pictures ? ['-skip_frame', 'nokey'] : []),
    ...(picture === null ? [] : steadyFilters(picture)),
    ...inputArguments(probe.container, plan.inputPath),
    ...(picture === null || plan.brand === null ? [] : logoInput(plan.outputDir)),
    ...(picture === null
      ? []
      : [...filterThreads(picture, plan), '-filter_complex', filterGraph(picture, encodedRungs, plan)]),
    ...encodedRungs.flatMap((rung, index) => videoOutput(plan, rung, index)),
    ...videoRungs.filter((rung) => rung.copy === true).flatMap((rung) => pictureAsItIs(plan, rung)),
    ...audioRungs.flatMap((rung) => {
      const track = rung.track ?? 1;
      const sound = sounds[track - 1];
      if (sound === undefined) return [];
      return rung.copy === true
        ? copiedSound(plan, rung, sound)
        : audioOutput(plan, rung, { sound, loudness: plan.loudness.get(track) ?? null });
    }),
    ...(picture === null || !plan.pictures ? [] : posterOutput(plan)),
    ...(picture === null || plan.storyboard === null
      ? []
      : storyboardOutput(plan.storyboard, { ...plan, alone: encodedRungs.length === 0 })),
  ].flat();
}

/** @throws where nobody said how it is to be cut */
function pictureAsItIs(plan: EncodePlan, rung: VideoRung): string[] {
  const { packets, probe } = plan;
  if (packets === null || probe.video === null) {
    throw new Error(`${rung.quality} cannot be copied: its packets are unknown.`);
  }
  return copiedPicture(plan, rung, { video: probe.video, packets });
}
