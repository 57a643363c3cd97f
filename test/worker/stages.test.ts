import { expect, test } from 'vitest';

import { rungsFor } from '../../src/domain/processing/ladder.js';
import type { Quality, Rung, SourceProbe } from '../../src/ports/transcoder.js';
import { StageProgress } from '../../src/worker/stageProgress.js';
import { planStages, type Stage } from '../../src/worker/stages.js';
import { paperProbe } from './paperProbe.js';

const SOUND = { streamIndex: 1, codec: 'aac', channels: 2, channelLayout: null, sampleRate: 48_000, bitrateBps: null };
const FILM: SourceProbe = { ...paperProbe(600_000, 1080), audio: { ...SOUND, startsAfterMs: 0 } };
const NOTHING = { rungs: [], pictures: false };

test('the smallest picture comes first, with the sound and the pictures', () => {
  expect(stagesOf(rungsFor('1080p', FILM))).toEqual(['480p audio +pictures', '1080p 720p']);
});

test('a short film, a single picture and sound alone are one stage', () => {
  const short = { ...FILM, durationMs: 59_999 };
  expect(stagesOf(rungsFor('1080p', short), { probe: short })).toEqual(['1080p 720p 480p audio +pictures']);
  expect(stagesOf(rungsFor('480p', FILM))).toEqual(['480p audio +pictures']);
  expect(stagesOf(rungsFor('audio', FILM))).toEqual(['audio']);
});

test('what is copied comes before all, with the sound; the first decode brings the pictures', () => {
  expect(stagesOf(copying('1080p'))).toEqual(['1080p audio', '480p +pictures', '720p']);
  expect(stagesOf(copying('480p'))).toEqual(['480p audio', '1080p 720p +pictures']);
  expect(stagesOf(copying('1080p', '720p', '480p'))).toEqual(['1080p 720p 480p audio +pictures']);
});

test('a later run makes what is missing, and only that', () => {
  const rungs = rungsFor('1080p', FILM);
  const after = (published: Quality[], pictures = true) =>
    stagesOf(rungs, { published: { rungs: published, pictures } });
  expect(after(['480p', 'audio'])).toEqual(['1080p 720p']);
  expect(after(['1080p', 'audio'], false)).toEqual(['480p +pictures', '720p']);
  expect(after(['720p', '480p', 'audio'])).toEqual(['1080p']);
  expect(after(['1080p', '720p', '480p'])).toEqual(['audio']);
  expect(after(['1080p', '720p', '480p', 'audio'], false)).toEqual([]);
});

test('one bar over all stages rises to the end, and begins with what earlier runs made', () => {
  const rungs = rungsFor('1080p', FILM);
  const plan = { rungs, probe: FILM, published: NOTHING };
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
  // A minute for the small picture, and several for the large ones that follow it.
  expect(seen[0]!.etaSeconds).toBeGreaterThan(60 * 3);
  expect(seen[5]!.etaSeconds).toBe(30);

  const rest = { ...plan, published: { rungs: ['480p', 'audio'] as Quality[], pictures: true } };
  const later = new StageProgress(planStages(rest), rest);
  const { percent } = later.encoding(0, { step: 'encoding', percent: 0, speed: null, etaSeconds: null });
  expect(percent).toBeGreaterThan(10);
  expect(percent).toBeLessThan(40);
});

function stagesOf(
  rungs: readonly Rung[],
  {
    probe = FILM,
    published = NOTHING,
  }: { probe?: SourceProbe; published?: { rungs: Quality[]; pictures: boolean } } = {},
): string[] {
  return planStages({ rungs, probe, published }).map(wordsOf);
}

function wordsOf({ rungs, pictures }: Stage): string {
  return [...rungs.map(({ quality }) => quality), ...(pictures ? ['+pictures'] : [])].join(' ');
}

function copying(...qualities: Quality[]): Rung[] {
  return rungsFor('1080p', FILM).map((rung) => (qualities.includes(rung.quality) ? { ...rung, copy: true } : rung));
}
