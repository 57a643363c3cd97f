import type { VideoRendition } from '../../../ports/transcoder.js';
import { soundsOf } from '../../../ports/transcoder.js';
import { audioOutput } from './audioOutput.js';
import { logoInput } from '../pictures/brandOverlay.js';
import { passthroughPicture, passthroughSound } from './passthroughOutput.js';
import type { EncodePlan } from './encodePlan.js';
import { inputArguments, steadyFilters } from '../probe/ffmpegInput.js';
import { filterThreads } from './filterThreads.js';
import { ENCODER_LOG } from './similarity.js';
import { posterOutput } from './pictureOutput.js';
import { storyboardOutput } from '../pictures/storyboard.js';
import { filterGraph, videoOutput } from './videoOutput.js';

/**
 * The arguments of the one ffmpeg that makes a whole ladder: one decode, split into a scaler and an encoder per
 * picture, and every sound track. Every rendition is a separate output, with its folder of playlist, init segment
 * and media segments.
 */
export function encodeArguments(plan: EncodePlan): string[] {
  const { probe, renditions } = plan;
  const videoRenditions = renditions.filter((rendition) => rendition.quality !== 'audio');
  const encodedRenditions = videoRenditions.filter((rendition) => rendition.passthrough !== true);
  const audioRenditions = renditions.filter((rendition) => rendition.quality === 'audio');
  const picture = encodedRenditions.length > 0 || plan.pictures ? probe.video : null;
  const sounds = soundsOf(probe);
  return [
    ['-hide_banner', '-nostdin', '-y', ...ENCODER_LOG],
    ['-progress', 'pipe:1', '-stats_period', '0.5'],
    // For posters and thumbnails alone, keyframes are enough: they come every few seconds and cost a tenth to decode.
    ...(videoRenditions.length === 0 && plan.pictures ? ['-skip_frame', 'nokey'] : []),
    ...(picture === null ? [] : steadyFilters(picture)),
    ...inputArguments(probe.container, plan.inputPath),
    ...(picture === null || plan.brand === null ? [] : logoInput(plan.outputDir)),
    ...(picture === null
      ? []
      : [...filterThreads(picture, plan), '-filter_complex', filterGraph(picture, encodedRenditions, plan)]),
    ...encodedRenditions.flatMap((rendition, index) => videoOutput(plan, rendition, index)),
    ...videoRenditions
      .filter((rendition) => rendition.passthrough === true)
      .flatMap((rendition) => pictureAsItIs(plan, rendition)),
    ...audioRenditions.flatMap((rendition) => {
      const track = rendition.track ?? 1;
      const sound = sounds[track - 1];
      if (sound === undefined) return [];
      return rendition.passthrough === true
        ? passthroughSound(plan, rendition, sound)
        : audioOutput(plan, rendition, { sound, leveling: plan.levelings.get(track) ?? null });
    }),
    ...(picture === null || !plan.pictures ? [] : posterOutput(plan)),
    ...(picture === null || plan.storyboard === null
      ? []
      : storyboardOutput(plan.storyboard, { ...plan, alone: encodedRenditions.length === 0 })),
  ].flat();
}

/** @throws if the request does not say how to cut it */
function pictureAsItIs(plan: EncodePlan, rendition: VideoRendition): string[] {
  const { packets, probe } = plan;
  if (packets === null || probe.video === null) {
    throw new Error(`${rendition.quality} cannot be passed through: its packets are unknown.`);
  }
  return passthroughPicture(plan, rendition, { video: probe.video, packets });
}
