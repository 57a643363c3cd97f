import { describe, expect, test } from 'vitest';
import { constantFrameRate } from '../../../src/domain/media/pipeline/frameRate.js';
import { h264Level } from '../../../src/domain/media/pipeline/h264Level.js';
import {
  capQuality,
  ladderQualities,
  renditionsFor,
  renditionSize,
  sourceQuality,
} from '../../../src/domain/media/pipeline/ladder.js';
import {
  framesPerSecond,
  type FrameRate,
  type Quality,
  type SourceAudio,
  type SourceVideo,
  type VideoQuality,
} from '../../../src/ports/transcoder.js';

const AUDIO: SourceAudio = {
  streamIndex: 1,
  codec: 'aac',
  channels: 2,
  channelLayout: 'stereo',
  sampleRate: 48_000,
  bitrateBps: null,
  startsAfterMs: 0,
};

function rate(numerator: number, denominator = 1): FrameRate {
  return { numerator, denominator };
}

function video(displayWidth: number, displayHeight: number, more?: Partial<SourceVideo>): SourceVideo {
  return {
    streamIndex: 0,
    codec: 'h264',
    profile: 'High',
    width: displayWidth,
    height: displayHeight,
    displayWidth,
    displayHeight,
    rotation: 0,
    frameRate: rate(25),
    tickRate: rate(25),
    variableFrameRate: false,
    interlaced: false,
    pixelFormat: 'yuv420p',
    colorTransfer: null,
    bitrateBps: null,
    startsAfterMs: 0,
    ...more,
  };
}

describe('the quality of a source', () => {
  const sources: [number, number, Quality][] = [
    [3840, 2160, '2160p'],
    [2160, 3840, '2160p'],
    [3840, 1600, '2160p'],
    [3838, 2158, '1440p'],
    [2560, 1440, '1440p'],
    [1920, 1080, '1080p'],
    [1920, 800, '1080p'],
    [1440, 1080, '1080p'],
    [1918, 1078, '720p'],
    [1280, 720, '720p'],
    [854, 480, '480p'],
    [853, 479, '480p'],
    [321, 241, '480p'],
    [16, 16, '480p'],
  ];
  test.each(sources)('of %i × %i is %s', (width, height, quality) => {
    expect(sourceQuality({ video: video(width, height) })).toBe(quality);
  });

  test('without a picture is audio', () => {
    expect(sourceQuality({ video: null })).toBe('audio');
  });
});

describe('the ladder', () => {
  test('has the bought quality and all below', () => {
    expect(ladderQualities('1080p', '2160p')).toEqual(['1080p', '720p', '480p', '432p', '360p', 'audio']);
    expect(ladderQualities('audio', '2160p')).toEqual(['audio']);
  });

  test('ends at the quality of the source', () => {
    expect(capQuality('2160p', '720p')).toBe('720p');
    expect(capQuality('720p', '2160p')).toBe('720p');
    expect(ladderQualities('2160p', 'audio')).toEqual(['audio']);
  });

  test('has no audio if the source has none', () => {
    const silent = { video: video(1280, 720), audio: null };
    expect(renditionsFor('2160p', silent).map((rendition) => rendition.quality)).toEqual([
      '720p',
      '480p',
      '432p',
      '360p',
    ]);
    expect(renditionsFor('audio', silent)).toEqual([]);
  });

  test('has only audio if the source has nothing else', () => {
    const renditions = renditionsFor('1080p', { video: null, audio: AUDIO });
    expect(renditions).toEqual([{ quality: 'audio', track: 1, bitrateBps: 128_000, sampleRate: 48_000 }]);
  });

  test('needs a lower bitrate with every step down', () => {
    const renditions = renditionsFor('2160p', { video: video(3840, 2160), audio: AUDIO });
    const rates = renditions.map((rendition) =>
      rendition.quality === 'audio' ? rendition.bitrateBps : rendition.maxBitrateBps,
    );
    expect(rates).toEqual(rates.toSorted((a, b) => b - a));
    expect(new Set(rates).size).toBe(8);
  });
});

describe('light renditions', () => {
  const qualitiesOf = (width: number, height: number): string[] =>
    renditionsFor('480p', { video: video(width, height), audio: null }).map(({ quality }) => quality);

  test('come with every picture, and with no sound alone', () => {
    for (const bought of ['480p', '1080p', '2160p'] as const) {
      expect(ladderQualities(bought, '2160p').slice(-3)).toEqual(['432p', '360p', 'audio']);
    }
    expect(ladderQualities('audio', '2160p')).toEqual(['audio']);
  });

  test('of a small source are one, since the second would be the same picture again', () => {
    expect(qualitiesOf(854, 480)).toEqual(['480p', '432p', '360p']);
    expect(qualitiesOf(700, 400)).toEqual(['480p', '432p', '360p']);
    expect(qualitiesOf(640, 360)).toEqual(['480p', '360p']);
    expect(qualitiesOf(16, 9)).toEqual(['480p', '360p']);
  });

  const rates: [FrameRate, FrameRate, FrameRate][] = [
    [rate(25), rate(25), rate(25)],
    [rate(30), rate(30), rate(30)],
    [rate(48), rate(48), rate(24)],
    [rate(50), rate(50), rate(25)],
    [rate(60_000, 1001), rate(60_000, 1001), rate(30_000, 1001)],
    [rate(35), rate(35), rate(35, 2)],
    [rate(144), rate(48), rate(24)],
  ];
  test.each(rates)('of a source at %j, large ones are at %j and those up to 480p at %j', (source, large, small) => {
    const shown = video(1920, 1080, { frameRate: source, tickRate: source });
    for (const rendition of renditionsFor('1080p', { video: shown, audio: null })) {
      if (rendition.quality === 'audio') continue;
      const isLarge = ['1080p', '720p'].includes(rendition.quality);
      expect(framesPerSecond(rendition.frameRate)).toBeCloseTo(framesPerSecond(isLarge ? large : small), 6);
    }
  });
});

describe('the size of a rendition', () => {
  const sizes: [VideoQuality, [number, number], [number, number]][] = [
    ['1080p', [1920, 1080], [1920, 1080]],
    ['480p', [1920, 1080], [854, 480]],
    ['720p', [1080, 1920], [720, 1280]],
    ['720p', [1440, 1080], [960, 720]],
    ['720p', [1920, 800], [1280, 534]],
    ['480p', [320, 240], [320, 240]],
    ['432p', [1920, 1080], [768, 432]],
    ['360p', [1920, 1080], [640, 360]],
    ['360p', [1080, 1920], [360, 640]],
    ['360p', [1440, 1080], [480, 360]],
    ['360p', [320, 240], [320, 240]],
    ['480p', [321, 241], [320, 240]],
    ['480p', [8000, 20], [854, 2]],
  ];
  test.each(sizes)('in %s of %j is %j', (quality, [displayWidth, displayHeight], [width, height]) => {
    expect(renditionSize(quality, { displayWidth, displayHeight })).toEqual({ width, height });
  });

  test('is even, no larger than the source, and keeps its aspect ratio, for every source', () => {
    for (let displayWidth = 8; displayWidth < 4_200; displayWidth += 61) {
      for (let displayHeight = 8; displayHeight < 4_200; displayHeight += 67) {
        const { width, height } = renditionSize('720p', { displayWidth, displayHeight });
        expect(width % 2).toBe(0);
        expect(height % 2).toBe(0);
        expect(width).toBeLessThanOrEqual(displayWidth);
        expect(height).toBeLessThanOrEqual(displayHeight);
        expect(Math.min(width, height)).toBeLessThanOrEqual(720);
        const long = Math.max(displayWidth, displayHeight);
        const short = Math.min(displayWidth, displayHeight);
        const scale = Math.min(1, 1280 / long, 720 / short);
        expect(Math.abs(width - displayWidth * scale)).toBeLessThan(2);
        expect(Math.abs(height - displayHeight * scale)).toBeLessThan(2);
      }
    }
  });
});

describe('the frame rate', () => {
  const constant: [FrameRate, FrameRate][] = [
    [rate(25), rate(25)],
    [rate(24_000, 1001), rate(24_000, 1001)],
    [rate(2997, 100), rate(30_000, 1001)],
    [rate(60), rate(60)],
    [rate(120), rate(60)],
    [rate(120_000, 1001), rate(60_000, 1001)],
    [rate(144), rate(144, 3)],
    [rate(90), rate(90, 2)],
    [rate(602, 10), rate(60)],
    [rate(1, 2), rate(2, 2)],
    [rate(0, 1), rate(30)],
  ];
  test.each(constant)('of a source with a constant %j is %j', (source, wanted) => {
    const shown = constantFrameRate({ frameRate: source, tickRate: source, variableFrameRate: false });
    expect(framesPerSecond(shown)).toBeCloseTo(framesPerSecond(wanted), 6);
  });

  const variable: [FrameRate, FrameRate, FrameRate][] = [
    [rate(27), rate(30), rate(30)],
    [rate(11), rate(60), rate(60)],
    [rate(29), rate(1_000), rate(30_000, 1001)],
    [rate(5), rate(90_000), rate(10)],
    [rate(90), rate(1_000), rate(45)],
  ];
  test.each(variable)('of a source with an average %j and ticks of %j is %j', (frameRate, tickRate, wanted) => {
    const shown = constantFrameRate({ frameRate, tickRate, variableFrameRate: true });
    expect(framesPerSecond(shown)).toBeCloseTo(framesPerSecond(wanted), 6);
  });
});

describe('the H.264 level', () => {
  const levels: [number, number, FrameRate, string][] = [
    [854, 480, rate(25), '3.0'],
    [854, 480, rate(30), '3.1'],
    [1280, 720, rate(30), '3.1'],
    [1280, 720, rate(60), '3.2'],
    [1920, 1080, rate(30), '4.0'],
    [1920, 1080, rate(60), '4.2'],
    [2560, 1440, rate(30), '5.0'],
    [2560, 1440, rate(60), '5.1'],
    [3840, 2160, rate(30), '5.1'],
    [3840, 2160, rate(60), '5.2'],
    [2160, 3840, rate(60), '5.2'],
  ];
  test.each(levels)('of %i × %i at %j is %s', (width, height, frameRate, level) => {
    expect(h264Level({ width, height, frameRate, maxBitrateBps: 1_000_000 })).toBe(level);
  });

  test('allows for the bitrate and for long thin frames', () => {
    const frameRate = rate(25);
    expect(h264Level({ width: 320, height: 180, frameRate, maxBitrateBps: 60_000_000 })).toBe('4.2');
    expect(h264Level({ width: 3840, height: 64, frameRate, maxBitrateBps: 1 })).toBe('4.0');
  });
});
