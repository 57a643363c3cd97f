import { expect, test } from 'vitest';

import { chunkable, picturesApart, planChunks } from '../../../src/domain/media/pipeline/chunkPlan.js';
import { renditionsFor } from '../../../src/domain/media/pipeline/ladder.js';
import type { SourceProbe } from '../../../src/ports/transcoder.js';

test.each([
  [600_000, 120],
  [601_234, 120],
  [7_200_000, 120],
  [43_200_000, 120],
  [100, 120],
  [9_000, 8],
])('chunks of %i ms are whole segments, in sequence, and cover the video', (durationMs, chunkSeconds) => {
  const { chunks, endSegment } = planChunks({ durationMs, video: null }, { chunkSeconds });
  expect(chunks[0]!.firstSegment).toBe(0);
  expect(chunks.at(-1)!.endSegment).toBeNull();
  for (const [index, chunk] of chunks.slice(1).entries()) expect(chunk.firstSegment).toBe(chunks[index]!.endSegment);
  expect(endSegment * 4_000).toBeGreaterThanOrEqual(durationMs);
  expect(chunks.length).toBeLessThanOrEqual(500);
  expect(chunks.length).toBeCloseTo(Math.max(1, durationMs / 1_000 / chunkSeconds), -0.5);
});

test.each([
  [8_499, 2],
  [8_500, 3],
  [400, 1],
])('a last segment of less than half a second is part of the one before: %i ms have %i', (durationMs, segments) => {
  const { endSegment } = planChunks({ durationMs, video: null }, {});
  // One more than planned may be there.
  expect(endSegment).toBe(segments + 1);
});

test('chunks beside a passthrough rendition are whole segments of it', () => {
  const boundaries = Array.from({ length: 200 }, (_, n) => n * 5_400);
  const { chunks, endSegment } = planChunks({ durationMs: 200 * 5_400, video: null }, {}, boundaries);
  expect(endSegment).toBe(200);
  expect(chunks.map(({ firstSegment }) => firstSegment)).toEqual([0, 23, 46, 69, 92, 115, 138, 161, 184]);
});

test('only long stages are cut into chunks, and audio and posters are made beside the chunks of much longer videos', () => {
  const [p720, p480, , , audio] = renditionsFor('720p', source);
  const rest = { renditions: [p720!], pictures: false };
  const first = { renditions: [p480!, audio!], pictures: true };
  const passed = { renditions: [{ ...p720!, passthrough: true as const }], pictures: false };

  expect(chunkable(rest, { durationMs: 599_999 }, {})).toBeNull();
  expect(chunkable(rest, { durationMs: 600_000 }, {})).toEqual({ renditions: [p720], aside: null });
  expect(chunkable(passed as typeof rest, { durationMs: 7_200_000 }, {})).toBeNull();
  expect(chunkable(first, { durationMs: 1_200_000 }, {})).toBeNull();
  expect(chunkable(first, { durationMs: 7_200_000 }, {})).toEqual({
    renditions: [p480],
    aside: { renditions: [audio], pictures: true },
  });
});

test('pictures of a long video are a separate stage once something plays, and never the last one', () => {
  const [p720, p480, , , audio] = renditionsFor('720p', source);
  const long = { durationMs: 7_200_000 };
  const first = { renditions: [p480!, audio!], pictures: true };
  const rest = { renditions: [p720!], pictures: false };
  const mute = { renditions: [p480!, audio!], pictures: false };
  const apart = { renditions: [], pictures: true };

  expect(picturesApart([first, rest], long, { plays: false })).toEqual([mute, apart, rest]);
  // A later run, whose first stage already plays.
  expect(picturesApart([{ ...rest, pictures: true }], long, { plays: true })).toEqual([apart, rest]);
  // After a passthrough rendition.
  const passed = { renditions: [{ ...p720!, passthrough: true as const }], pictures: false };
  expect(picturesApart([passed, { ...rest, pictures: true }], long, { plays: false })).toEqual([passed, apart, rest]);

  const asTheyWere = [
    { stages: [first], durationMs: 7_200_000, plays: false },
    { stages: [first, rest], durationMs: 1_799_999, plays: false },
    { stages: [mute, rest], durationMs: 7_200_000, plays: false },
    { stages: [], durationMs: 7_200_000, plays: true },
  ];
  for (const { stages, durationMs, plays } of asTheyWere) {
    expect(picturesApart(stages, { durationMs }, { plays })).toBeNull();
  }
});

const rate = { numerator: 25, denominator: 1 };
const source = {
  video: {
    displayWidth: 1280,
    displayHeight: 720,
    frameRate: rate,
    tickRate: rate,
    variableFrameRate: false,
  },
  audio: { streamIndex: 1, channels: 2, sampleRate: 48_000 },
} as unknown as SourceProbe;
