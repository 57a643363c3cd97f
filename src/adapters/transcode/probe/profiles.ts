import type { Similarity, Rendition } from '../../../ports/transcoder.js';

/*
 * The names of encoder settings. Receipts show them, so a name stands for the same settings forever. If you change rate
 * control, filters or encoder settings, choose a new name and add its hash to the test that compares names with
 * settings.
 */
export const PICTURE_PROFILE = 'h264-2026.11.10';
export const SOUND_PROFILE = 'aac-2026.11.2';
const PASSTHROUGH = 'copied';

/** The default x264 preset. Settings are pinned for it; others are named in the profile. */
export const PINNED_PRESET = 'veryfast';

export function profileOf(rendition: Rendition, preset: string): string {
  if (rendition.passthrough === true) return PASSTHROUGH;
  if (rendition.quality === 'audio') return SOUND_PROFILE;
  return preset === PINNED_PRESET ? PICTURE_PROFILE : `${PICTURE_PROFILE}-${preset}`;
}

/** A passthrough is identical with the source. */
export const SAME: Similarity = { ssim: 1, frames: 0 };
