import type { Similarity, Rendition } from '../../../ports/transcoder.js';

/*
 * The names of what renditions are encoded with. A receipt shows them, so one name stands for the same settings for ever:
 * whoever changes rate control, filters or encoder settings gives a new name, and adds its hash to the test that holds
 * names to settings.
 */
export const PICTURE_PROFILE = 'h264-2026.11.5';
export const SOUND_PROFILE = 'aac-2026.11';
const COPIED = 'copied';

/** Settings are pinned for one preset; another one is told by its name. */
const PINNED_PRESET = 'veryfast';

export function profileOf(rendition: Rendition, preset: string): string {
  if (rendition.copy === true) return COPIED;
  if (rendition.quality === 'audio') return SOUND_PROFILE;
  return preset === PINNED_PRESET ? PICTURE_PROFILE : `${PICTURE_PROFILE}-${preset}`;
}

/** What was kept is the source itself. */
export const SAME: Similarity = { ssim: 1, frames: 0 };
