import { describe, expect, it } from 'vitest';

import { renditionsFor } from '../../../src/domain/media/pipeline/ladder.js';
import type { PassthroughPlan } from '../../../src/domain/media/pipeline/passthrough.js';
import { cutOf, planVideo, type PlanFacts, type VideoPlan } from '../../../src/domain/media/pipeline/planVideo.js';
import type { Quality, RenditionQuality, SourceProbe } from '../../../src/ports/transcoder.js';
import { paperProbe } from '../../support/worker/paperProbe.js';

const SOUND = { streamIndex: 1, codec: 'aac', channels: 2, channelLayout: null, sampleRate: 48_000, bitrateBps: null };
const MINUTE_MS = 60_000;
const ALL: readonly RenditionQuality[] = ['1080p', '720p', '480p', '432p', '360p', 'audio'];

/** With audio; its packets seem to allow passthrough. */
function source(durationMs: number, height = 1080): SourceProbe {
  const { video, ...probe } = paperProbe(durationMs, height);
  return { ...probe, video: { ...video!, profile: 'High' }, audio: { ...SOUND, startsAfterMs: 0 } };
}

function facts(probe: SourceProbe, more: Partial<PlanFacts> = {}): PlanFacts {
  const published = { renditions: [], pictures: false };
  return { quality: '1080p', probe, normalizeLoudness: false, isBranded: false, published, kept: null, ...more };
}

/** Each stage in words: its renditions, `+` for pictures, and whether it is cut into chunks. */
function stagesOf({ stages }: VideoPlan): string[] {
  return stages.map(({ renditions, pictures, chunkable }) => {
    const words = renditions.map(({ quality, passthrough }) => (passthrough ? `${quality}=` : quality));
    if (pictures) words.push('+');
    if (chunkable) words.push(chunkable.aside ? 'in chunks, rest aside' : 'in chunks');
    return words.join(' ');
  });
}

/** Passthrough of the picture in this quality, and of the audio. */
function keeping(probe: SourceProbe, quality: Quality = '1080p'): PassthroughPlan {
  const renditions = renditionsFor('1080p', probe).map((rendition) =>
    rendition.quality === quality || rendition.quality === 'audio'
      ? { ...rendition, passthrough: true as const }
      : rendition,
  );
  return { renditions, packets: { segmentSeconds: 4, meanSegmentSeconds: 4, reorderFrames: 2, frames: 100 } };
}

describe('the plan of a video', () => {
  const short = source(59_999);
  const long = source(20 * MINUTE_MS);
  const longest = source(60 * MINUTE_MS);
  it.each<[string, PlanFacts, string[]]>([
    ['one stage for a short video', facts(short), ['1080p 720p 480p 432p 360p audio +']],
    ['a first stage with the smallest picture', facts(source(5 * MINUTE_MS)), ['360p audio +', '1080p 720p 480p 432p']],
    ['chunks for a long video, after something plays', facts(long), ['360p audio +', '1080p 720p 480p 432p in chunks']],
    [
      'a separate stage for the pictures of a very long video',
      facts(longest, { isCuttable: true }),
      ['360p audio in chunks, rest aside', '+', '1080p 720p 480p 432p in chunks'],
    ],
    [
      'the pictures in its first stage if the video cannot be cut',
      facts(longest, { isCuttable: false }),
      ['360p audio + in chunks, rest aside', '1080p 720p 480p 432p in chunks'],
    ],
    [
      'passthrough renditions before all others',
      facts(source(5 * MINUTE_MS), { kept: keeping(short) }),
      ['1080p= audio=', '360p +', '720p 480p 432p'],
    ],
    ['only audio if only audio was bought', facts(short, { quality: 'audio' }), ['audio']],
    ['no rendition above the bought quality', facts(short, { quality: '480p' }), ['480p 432p 360p audio +']],
    [
      'only what earlier runs did not publish',
      facts(short, { published: { renditions: ['480p', 'audio'], pictures: true } }),
      ['1080p 720p 432p 360p'],
    ],
    ['no stages if everything is published', facts(short, { published: { renditions: ALL, pictures: true } }), []],
  ])('has %s', (_, given, expected) => {
    expect(stagesOf(planVideo(given))).toEqual(expected);
  });

  it('depends on lengths that are settings', () => {
    const settings = { earlyPlayFromSeconds: 1, chunksFromSeconds: 2, chunkSeconds: 1 };
    expect(stagesOf(planVideo(facts(source(3_000)), settings))).toEqual([
      '360p audio +',
      '1080p 720p 480p 432p in chunks',
    ]);
  });
});

describe('planning asks for a missing fact', () => {
  const missing = (probe: SourceProbe, more: Partial<PlanFacts>) => {
    const { kept, ...rest } = facts(probe, more);
    return planVideo('kept' in more ? { ...rest, kept: kept ?? null } : rest).missing;
  };
  const short = source(10_000);

  it('about the packets, if passthrough is possible', () => {
    expect(missing(short, {})).toBe('kept');
    expect(missing(short, { kept: null })).toBeNull();
  });

  it.each<[string, SourceProbe, Partial<PlanFacts>]>([
    ['of a video with a logo', short, { isBranded: true }],
    ['after something was published', short, { published: { renditions: ['480p'], pictures: true } }],
    ['of a source with another codec', { ...short, video: { ...short.video!, codec: 'hevc' } }, {}],
    ['if less than the source was bought', short, { quality: '720p' }],
    ['if everything is published', short, { published: { renditions: ALL, pictures: true } }],
  ])('but not about the packets %s', (_, probe, more) => {
    expect(missing(probe, more)).toBeNull();
  });

  it('about cutting, if the pictures would be a separate stage', () => {
    const long = source(60 * MINUTE_MS);
    expect(missing(long, {})).toBe('kept');
    expect(missing(long, { kept: null })).toBe('isCuttable');
    expect(missing(long, { kept: null, isCuttable: false })).toBeNull();
    // Its packets were read, and what is passed through can be cut. Of a transport stream, other tracks matter.
    expect(missing(long, { kept: keeping(long) })).toBeNull();
    const stream = { ...long, container: 'mpegts' as const };
    expect(missing(stream, { kept: keeping(stream) })).toBe('isCuttable');
    // The second stage is early enough: nothing of the first depends on it.
    expect(missing(source(20 * MINUTE_MS), { kept: null })).toBeNull();
  });
});

it('a stage is cut at its own packets, or at the boundaries of earlier stages', () => {
  const probe = source(5 * MINUTE_MS);
  const kept = keeping(probe);
  const [passed, encoded] = planVideo(facts(probe, { kept })).stages;
  expect(cutOf(passed!, kept, null)).toEqual({ packets: kept.packets });
  expect(cutOf(encoded!, kept, [0, 4000])).toEqual({ boundaries: [0, 4000] });
  expect(cutOf(encoded!, null, null)).toEqual({});
});

it('a plan is plain data', () => {
  const plan = planVideo(facts(source(60 * MINUTE_MS), { isCuttable: true }));
  expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
});
