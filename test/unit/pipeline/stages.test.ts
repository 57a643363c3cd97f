import { expect, test } from 'vitest';

import { renditionsFor } from '../../../src/domain/media/pipeline/ladder.js';
import type { Rendition, RenditionQuality, SourceProbe } from '../../../src/ports/transcoder.js';
import { StageProgress } from '../../../src/worker/stageProgress.js';
import { planStages, type Stage } from '../../../src/domain/media/pipeline/stages.js';
import { paperProbe } from '../../support/worker/paperProbe.js';

const SOUND = { streamIndex: 1, codec: 'aac', channels: 2, channelLayout: null, sampleRate: 48_000, bitrateBps: null };
const VIDEO: SourceProbe = { ...paperProbe(600_000, 1080), audio: { ...SOUND, startsAfterMs: 0 } };
const NOTHING = { renditions: [], pictures: false };

test('the smallest picture comes first, with the audio and the pictures', () => {
  expect(stagesOf(renditionsFor('1080p', VIDEO))).toEqual(['360p audio +pictures', '1080p 720p 480p 432p']);
});

test('a short video, a single picture and audio alone are one stage', () => {
  const short = { ...VIDEO, durationMs: 59_999 };
  expect(stagesOf(renditionsFor('1080p', short), { probe: short })).toEqual([
    '1080p 720p 480p 432p 360p audio +pictures',
  ]);
  expect(stagesOf(renditionsFor('480p', VIDEO).slice(-2))).toEqual(['360p audio +pictures']);
  expect(stagesOf(renditionsFor('audio', VIDEO))).toEqual(['audio']);
});

test('passthrough comes first, with the audio, and the first decode makes the pictures', () => {
  expect(stagesOf(copying('1080p'))).toEqual(['1080p audio', '360p +pictures', '720p 480p 432p']);
  expect(stagesOf(copying('360p'))).toEqual(['360p audio', '1080p 720p 480p 432p +pictures']);
  expect(stagesOf(copying('1080p', '720p', '480p', '432p', '360p'))).toEqual([
    '1080p 720p 480p 432p 360p audio +pictures',
  ]);
});

test('a later run makes only what is missing', () => {
  const renditions = renditionsFor('1080p', VIDEO);
  const after = (published: RenditionQuality[], pictures = true) =>
    stagesOf(renditions, { published: { renditions: published, pictures } });
  const light = ['432p', '360p'] as const;
  expect(after(['360p', 'audio'])).toEqual(['1080p 720p 480p 432p']);
  expect(after(['1080p', 'audio'], false)).toEqual(['360p +pictures', '720p 480p 432p']);
  expect(after(['720p', '480p', ...light, 'audio'])).toEqual(['1080p']);
  expect(after(['1080p', '720p', '480p', ...light])).toEqual(['audio']);
  expect(after(['1080p', '720p', '480p', ...light, 'audio'], false)).toEqual([]);
});

test('a run that began before there were light renditions gains them, the smallest first', () => {
  const published = { renditions: ['480p', 'audio'] as RenditionQuality[], pictures: true };
  expect(stagesOf(renditionsFor('1080p', VIDEO), { published })).toEqual(['360p', '1080p 720p 432p']);
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

  const rest = { ...plan, published: { renditions: ['360p', 'audio'] as RenditionQuality[], pictures: true } };
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
  }: { probe?: SourceProbe; published?: { renditions: RenditionQuality[]; pictures: boolean } } = {},
): string[] {
  return planStages({ renditions, probe, published }).map(wordsOf);
}

function wordsOf({ renditions, pictures }: Stage): string {
  return [...renditions.map(({ quality }) => quality), ...(pictures ? ['+pictures'] : [])].join(' ');
}

function copying(...qualities: RenditionQuality[]): Rendition[] {
  return renditionsFor('1080p', VIDEO).map((rendition) =>
    qualities.includes(rendition.quality) ? { ...rendition, passthrough: true } : rendition,
  );
}
