import { expect, test } from 'vitest';

import { renditionsFor } from '../../../src/domain/media/pipeline/ladder.js';
import type { Quality, Rendition, SourceProbe } from '../../../src/ports/transcoder.js';
import { StageProgress } from '../../../src/worker/stageProgress.js';
import { planStages, type Stage } from '../../../src/domain/media/pipeline/stages.js';
import { paperProbe } from '../../support/worker/paperProbe.js';

const SOUND = { streamIndex: 1, codec: 'aac', channels: 2, channelLayout: null, sampleRate: 48_000, bitrateBps: null };
const VIDEO: SourceProbe = { ...paperProbe(600_000, 1080), audio: { ...SOUND, startsAfterMs: 0 } };
const NOTHING = { renditions: [], pictures: false };

test('the smallest picture comes first, with the audio and the pictures', () => {
  expect(stagesOf(renditionsFor('1080p', VIDEO))).toEqual(['480p audio +pictures', '1080p 720p']);
});

test('a short video, a single picture and audio alone are one stage', () => {
  const short = { ...VIDEO, durationMs: 59_999 };
  expect(stagesOf(renditionsFor('1080p', short), { probe: short })).toEqual(['1080p 720p 480p audio +pictures']);
  expect(stagesOf(renditionsFor('480p', VIDEO))).toEqual(['480p audio +pictures']);
  expect(stagesOf(renditionsFor('audio', VIDEO))).toEqual(['audio']);
});

test('passthrough comes first, with the audio, and the first decode makes the pictures', () => {
  expect(stagesOf(copying('1080p'))).toEqual(['1080p audio', '480p +pictures', '720p']);
  expect(stagesOf(copying('480p'))).toEqual(['480p audio', '1080p 720p +pictures']);
  expect(stagesOf(copying('1080p', '720p', '480p'))).toEqual(['1080p 720p 480p audio +pictures']);
});

test('a later run makes only what is missing', () => {
  const renditions = renditionsFor('1080p', VIDEO);
  const after = (published: Quality[], pictures = true) =>
    stagesOf(renditions, { published: { renditions: published, pictures } });
  expect(after(['480p', 'audio'])).toEqual(['1080p 720p']);
  expect(after(['1080p', 'audio'], false)).toEqual(['480p +pictures', '720p']);
  expect(after(['720p', '480p', 'audio'])).toEqual(['1080p']);
  expect(after(['1080p', '720p', '480p'])).toEqual(['audio']);
  expect(after(['1080p', '720p', '480p', 'audio'], false)).toEqual([]);
});

test('one progress bar over all stages only rises, and starts with what earlier runs made', () => {
  const renditions = renditionsFor('1080p', VIDEO);
  const plan = { renditions, probe: VIDEO, published: NOTHING };
  const bar = new StageProgress(planStages(plan), plan);
  const seen = [0, 1].flatMap((index) => [
    bar.encoding(index, { step: 'encoding', percent: 0, speed: 10, etaSeconds: 60 }),
    bar.encoding(index, { step: 'encoding', percent: 50, speed: 10, etaSeconds: 30 }),
    bar.encoding(index, { step: 'measuring', percent: 99, speed: null, etaSeconds: 0 }),
    bar.storing(index, 1),
  ]);
  const percents = seen.map(({ percent }) => percent);
  expect(percents).toEqual(percents.toSorted((a, b) => a - b));
  expect([percents[0], percents.at(-1)]).toEqual([0, 100]);
  // A minute for the small rendition, and several for the large ones after it.
  expect(seen[0]!.etaSeconds).toBeGreaterThan(60 * 3);
  expect(seen[5]!.etaSeconds).toBe(30);

  const rest = { ...plan, published: { renditions: ['480p', 'audio'] as Quality[], pictures: true } };
  const later = new StageProgress(planStages(rest), rest);
  const { percent } = later.encoding(0, { step: 'encoding', percent: 0, speed: null, etaSeconds: null });
  expect(percent).toBeGreaterThan(10);
  expect(percent).toBeLessThan(40);
});

function stagesOf(
  renditions: readonly Rendition[],
  {
    probe = VIDEO,
    published = NOTHING,
  }: { probe?: SourceProbe; published?: { renditions: Quality[]; pictures: boolean } } = {},
): string[] {
  return planStages({ renditions, probe, published }).map(wordsOf);
}

function wordsOf({ renditions, pictures }: Stage): string {
  return [...renditions.map(({ quality }) => quality), ...(pictures ? ['+pictures'] : [])].join(' ');
}

function copying(...qualities: Quality[]): Rendition[] {
  return renditionsFor('1080p', VIDEO).map((rendition) =>
    qualities.includes(rendition.quality) ? { ...rendition, copy: true } : rendition,
  );
}
