import { expect, test } from 'vitest';

import { withoutDominated, withoutDominatedRenditions } from '../../../src/domain/media/pipeline/dominated.js';
import { masterPlaylist } from '../../../src/domain/media/library/masterPlaylist.js';
import type { RenditionQuality } from '../../../src/ports/transcoder.js';
import { ladderOf } from '../../db/processing/paperLadder.js';

type Rates = Partial<Record<RenditionQuality, number>>;

/** Names and kilobits a second. */
function made(rates: Rates) {
  return Object.entries(rates).map(([quality, kbps]) => ({
    quality: quality as RenditionQuality,
    averageBandwidthBps: kbps * 1_000,
  }));
}

function keptOf(rates: Rates, others: Rates = {}): string[] {
  return withoutDominated(made(rates), made(others)).map(({ quality }) => quality);
}

test('what costs as much as a larger picture is left out: a screen recording keeps its text, and something small', () => {
  expect(keptOf({ '1080p': 441, '720p': 898, '480p': 801, '432p': 600, '360p': 365, audio: 128 })).toEqual([
    '1080p',
    '360p',
    'audio',
  ]);
  expect(keptOf({ '1080p': 441, '720p': 400, '480p': 300, '360p': 200 })).toEqual(['1080p', '480p', '360p']);
});

test('a ladder whose pictures cost less with every step is kept as it is, in its order', () => {
  const photographs = { '1080p': 6_500, '720p': 3_700, '480p': 1_500, '432p': 700, '360p': 350, audio: 128 };
  expect(keptOf(photographs)).toEqual(Object.keys(photographs));
});

test('the smallest picture stays as long as it costs less than all others', () => {
  expect(keptOf({ '1080p': 380, '360p': 365 })).toEqual(['1080p', '360p']);
  expect(keptOf({ '1080p': 365, '360p': 365 })).toEqual(['1080p']);
  expect(keptOf({ '480p': 20 })).toEqual(['480p']);
  expect(keptOf({ audio: 128 })).toEqual(['audio']);
});

test('what the run made before counts, and is not named again', () => {
  expect(keptOf({ '720p': 800, '480p': 300, audio: 128 }, { '1080p': 441 })).toEqual(['480p', 'audio']);
  expect(keptOf({ '360p': 350 }, { '1080p': 300 })).toEqual([]);
});

test('renditions that are left out cost no storage', () => {
  const ladder = ladderOf(['1080p', '720p', 'audio']);
  const [large, small] = ladder.renditions;
  const odd = {
    ...ladder,
    renditions: [large!, { ...small!, averageBandwidthBps: large!.averageBandwidthBps + 1 }, ladder.renditions[2]!],
  };
  const least = ladderOf(['360p']).renditions;
  const kept = withoutDominatedRenditions(odd, least);
  expect(kept.renditions.map(({ quality }) => quality)).toEqual(['1080p', 'audio']);
  expect(kept.sizeBytes).toBe(ladder.sizeBytes - small!.sizeBytes);
});

test('a small picture that was made first, and turns out to cost as much as a better one, is no longer offered', () => {
  const [large, small, sound] = ladderOf(['1080p', '360p', 'audio']).renditions;
  const offered = (kbps: number) =>
    [...masterPlaylist([large!, { ...small!, averageBandwidthBps: kbps }, sound!]).matchAll(/^(\w+)\/index/gm)].map(
      ([, quality]) => quality,
    );
  expect(offered(large!.averageBandwidthBps - 1)).toContain('360p');
  expect(offered(large!.averageBandwidthBps)).not.toContain('360p');
});
