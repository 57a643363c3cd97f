import { createHash } from 'node:crypto';

import { expect, test } from 'vitest';

import { colorFilters } from '../../../src/adapters/transcode/encode/colors.js';
import { levelingFilters } from '../../../src/adapters/transcode/encode/leveling.js';
import { PICTURE_PROFILE, profileOf, SOUND_PROFILE } from '../../../src/adapters/transcode/probe/profiles.js';
import { toneMapFilters } from '../../../src/adapters/transcode/encode/toneMap.js';
import { h264Settings, presetOf, scaleFilters } from '../../../src/adapters/transcode/encode/videoOutput.js';
import { renditionsFor } from '../../../src/domain/media/pipeline/ladder.js';
import type { SourceAudio, SourceVideo } from '../../../src/ports/transcoder.js';

/**
 * Append-only: receipts refer to these names, so a name must never mean other settings. To change settings, add a line
 * and a new name in profiles.ts.
 */
const PINNED: Readonly<Record<string, string>> = {
  'h264-2026.11': 'daa022a1eb4e1dc42a84cdcbc92acfa0d50ca1383fd2fa78b51db5825ca9076f',
  'h264-2026.11.2': '26f427c4bdecda1fe4b0ccfa489e96e5960e614487cc87d355ad4216ce0ad5ef',
  'h264-2026.11.3': '174a4a22f3ba9bd7f8126bfba9346c648a371404dd59404be6f4b36c1c11495c',
  'h264-2026.11.4': 'a67b6b2553cf965db407c785e8effb80ab8d0f47eb3f2e6dc06eff73090fe422',
  'h264-2026.11.5': '4f3ceb21000045ea56b8d6d0df8f62e167f78e0f97b25270f6ff7b575ffa0a83',
  'h264-2026.11.6': '05ec8d44e5de1b543ec383ff1fc8db562a96db044beb227bedbbf0e449536d05',
  'h264-2026.11.7': 'd0b1cfe1840fd1d20b42fb4adf0f8f75e61f0a90f406cbb447c36c44ae6d5b89',
  // The same settings; frames are those of the picture, without a lead-in.
  'h264-2026.11.8': 'd0b1cfe1840fd1d20b42fb4adf0f8f75e61f0a90f406cbb447c36c44ae6d5b89',
  'h264-2026.11.9': '7925d532f73849973f629acdb4f3b1cdedc93851aab52e8831769cbc6a05c99d',
  'h264-2026.11.10': '8e33ad8e23e5029fa00f8407af89d134a24228b4ec4b7befdbaccf6fff7c25ae',
  'aac-2026.11': '2ad7019b32c335f80391a4832ba0335056b8a6ca2b61b1467df41a3ba9ba6286',
  'aac-2026.11.2': '4d86e50ba95a90814282b9a8d5334209aa30c1e31229f08d867afcbb2fa8b7e1',
};

const video = {
  displayWidth: 3840,
  displayHeight: 2160,
  frameRate: { numerator: 25, denominator: 1 },
  tickRate: { numerator: 25, denominator: 1 },
  variableFrameRate: false,
} as SourceVideo;
const renditions = renditionsFor('2160p', { video, audio: { channels: 2 } as SourceAudio });

function hashOf(settings: unknown): string {
  return createHash('sha256').update(JSON.stringify(settings)).digest('hex');
}

test('the name of the picture settings identifies these settings', () => {
  const settings = renditions.flatMap((rendition) =>
    rendition.quality === 'audio'
      ? []
      : [[presetOf(rendition, 'veryfast'), h264Settings(rendition), scaleFilters(rendition)]],
  );
  const toSdr = ['smpte2084', 'arib-std-b67'].map((colorTransfer) =>
    toneMapFilters({ ...video, colorTransfer }, { width: 3840, height: 2160 }),
  );
  expect(settings).toHaveLength(7);
  const colors = ['yuv420p', 'gbrp'].flatMap((pixelFormat) =>
    [576, 720].map((lines) => colorFilters({ ...video, pixelFormat, displayWidth: 720, displayHeight: lines })),
  );
  expect(hashOf([settings, toSdr, colors])).toBe(PINNED[PICTURE_PROFILE]);
});

test('the name of the sound settings identifies these settings', () => {
  const sound = renditions.find((rendition) => rendition.quality === 'audio')!;
  const { bitrateBps, sampleRate } = sound;
  const leveling = levelingFilters({ gainDb: 6, limitDbtp: -2 }, sampleRate);
  expect(hashOf({ bitrateBps, sampleRate, leveling })).toBe(PINNED[SOUND_PROFILE]);
});

test('another preset has another name, and a passthrough has none of ours', () => {
  const [rendition] = renditions;
  expect(profileOf(rendition!, 'veryfast')).toBe(PICTURE_PROFILE);
  expect(profileOf(rendition!, 'ultrafast')).not.toBe(PICTURE_PROFILE);
  expect(profileOf({ ...rendition!, passthrough: true }, 'veryfast')).toBe('copied');
});
