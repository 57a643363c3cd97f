import { soundsOf } from '../../ports/transcoder.js';
import { audioOutput } from './audioOutput.js';
import { logoInput } from './brandOverlay.js';
import type { EncodePlan } from './encodePlan.js';
import { inputArguments, MAX_PIXELS } from './ffmpegInput.js';
import { posterOutput, storyboardOutput } from './pictureOutput.js';
import { filterGraph, videoOutput } from './videoOutput.js';

/**
 * The arguments of the one ffmpeg that makes a whole ladder: one decode, split into a scaler and an
 * encoder for each picture, and every track of sound. Every rung is an output of its own, so that each has its
 * folder with a playlist, an init segment and media segments.
 */
export function encodeArguments(plan: EncodePlan): string[] {
  const { probe, rungs } = plan;
  const videoRungs = rungs.filter((rung) => rung.quality !== 'audio');
  const audioRungs = rungs.filter((rung) => rung.quality === 'audio');
  const picture = videoRungs.length > 0 ? probe.video : null;
  const sounds = soundsOf(probe);
  return [
    ['-hide_banner', '-nostdin', '-y', '-loglevel', 'error'],
    ['-progress', 'pipe:1', '-stats_period', '0.5'],
    ['-max_pixels', `${MAX_PIXELS}`],
    ...inputArguments(probe.container, plan.inputPath),
    ...(picture === null || plan.brand === null ? [] : logoInput(plan.outputDir)),
    ...(picture === null ? [] : ['-filter_complex', filterGraph(picture, videoRungs, plan)]),
    ...videoRungs.flatMap((rung, index) => videoOutput(plan, rung, index)),
    ...audioRungs.flatMap((rung) => {
      const track = rung.track ?? 1;
      const sound = sounds[track - 1];
      return sound === undefined ? [] : audioOutput(plan, rung, { sound, loudness: plan.loudness.get(track) ?? null });
    }),
    ...(picture === null ? [] : posterOutput(plan)),
    ...(picture === null || plan.storyboard === null ? [] : storyboardOutput(plan, plan.storyboard)),
  ].flat();
}
