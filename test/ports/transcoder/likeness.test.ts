import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { createFfmpegTranscoder } from '../../../src/adapters/transcode/ffmpegTranscoder.js';
import { chooseSamples, samplesOfPart } from '../../../src/adapters/transcode/samples.js';
import type { EncodedRung, SourceProbe, Transcoder } from '../../../src/ports/transcoder.js';
import { ffmpeg, makeClip, mediaFolder, type ClipOptions } from '../../setup/media.js';
import { joined, tinyLadder } from './hls.js';

let transcoder: Transcoder;

beforeAll(async () => {
  transcoder = await createFfmpegTranscoder({ preset: 'ultrafast' });
});

/** Over every frame from the beginning, without seeking: what a sample must come near. */
async function ssimOfAll(folder: string, source: string, outputDir: string, rung: EncodedRung): Promise<number> {
  const film = await joined(outputDir, [rung.initPath, ...rung.segmentPaths]);
  const log = join(folder, `${rung.quality}.log`);
  const { numerator, denominator } = rung.frameRate!;
  const rate = `${numerator}/${denominator}`;
  const tick = `${denominator}/${numerator}`;
  const graph = [
    `[0:v]fps=${rate}:start_time=0,scale=${rung.width}:${rung.height}:flags=bicubic:out_range=tv,format=yuv420p,settb=${tick},setpts=N[a]`,
    `[1:v]settb=${tick},setpts=N[b]`,
    `[a][b]ssim=shortest=1:stats_file=${log}`,
  ].join(';');
  await ffmpeg('-i', source, '-i', film, '-filter_complex', graph, '-f', 'null', '-');
  const values = [...(await readFile(log, 'utf8')).matchAll(/All:([\d.]+)/g)].map(([, value]) => Number(value));
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

async function encode(folder: string, source: string, probe?: SourceProbe) {
  const outputDir = join(folder, 'out');
  const measured = probe ?? (await transcoder.probe(source));
  const rungs = tinyLadder(measured);
  const ladder = await transcoder.encode({ sourcePath: source, probe: measured, rungs, outputDir });
  return { outputDir, ladder };
}

describe('how a rung was made', () => {
  const sources: [string, ClipOptions][] = [
    ['25 fps', {}],
    // So long that its second sample is sought, past a keyframe every 8 s.
    [
      '29.97 fps in a transport stream, which starts late',
      { name: 'clip.ts', frameRate: '30000/1001', durationSeconds: 27 },
    ],
    ['variable frame rate in matroska', { name: 'clip.mkv', frameRate: '30', variableFrameRate: true }],
    ['a picture that starts late', { videoDelaySeconds: 2 }],
    ['120 fps, halved', { frameRate: '120' }],
  ];

  test.each(sources)('is told with its likeness to the source, frame by frame: %s', async (_, options) => {
    await using folder = await mediaFolder();
    const source = await makeClip(folder.path, { durationSeconds: 9, ...options });
    const { outputDir, ladder } = await encode(folder.path, source);

    for (const rung of ladder.rungs.filter(({ quality }) => quality !== 'audio')) {
      const { likeness, profile, ffmpegVersion } = rung.making!;
      expect(profile).toBe('h264-2026.11.2-ultrafast');
      expect(ffmpegVersion).toMatch(/^\d+\./);
      expect(likeness!.frames).toBeGreaterThanOrEqual(6);
      // Of pictures that move, one frame beside would be far off.
      expect(Math.abs(likeness!.ssim - (await ssimOfAll(folder.path, source, outputDir, rung)))).toBeLessThan(0.015);
    }
    expect(ladder.rungs.at(-1)!.making).toMatchObject({ profile: 'aac-2026.11', likeness: null });
    expect(await readdir(outputDir)).not.toContain('likeness');
  });
});

test('samples are spread evenly, and bounded for films of any length', () => {
  const film = (count: number) => Array.from({ length: count }, () => ({ durationSeconds: 4 }));
  expect(chooseSamples(film(5))).toEqual([{ index: 2, startSeconds: 8, seconds: 3 }]);
  expect(chooseSamples(film(1))).toEqual([{ index: 0, startSeconds: 0, seconds: 1 }]);
  expect(chooseSamples([])).toEqual([]);
  const day = chooseSamples(film(10_800));
  expect(day.map(({ index }) => index)).toEqual([675, 2025, 3375, 4725, 6075, 7425, 8775, 10_125]);
  expect(day.reduce((sum, { seconds }) => sum + seconds, 0)).toBe(32);
});

test('the samples of all parts are those of the whole film, each from its first frame', () => {
  const durationMs = 601_234;
  const rate = { numerator: 24_000, denominator: 1_001 };
  const whole = chooseSamples(Array.from({ length: 151 }, (_, n) => ({ durationSeconds: n < 150 ? 4 : 1.234 })));
  const borders = [0, 30, 60, 61, 90, 120, null];
  const parts = borders.slice(0, -1).map((first, n) => ({ firstSegment: first!, endSegment: borders[n + 1]! }));
  const samples = parts.flatMap((part) =>
    samplesOfPart(part, { rate, borders: null }, durationMs).map((sample) => ({
      ...sample,
      index: part.firstSegment + sample.index,
    })),
  );
  expect(samples.map(({ index, seconds }) => [index, seconds])).toEqual(
    whole.map(({ index, seconds }) => [index, seconds]),
  );
  for (const [place, { startSeconds }] of samples.entries()) {
    const frame = (startSeconds * rate.numerator) / rate.denominator;
    expect(frame).toBeCloseTo(Math.round(frame), 6);
    expect(startSeconds - whole[place]!.startSeconds).toBeGreaterThanOrEqual(0);
    expect(startSeconds - whole[place]!.startSeconds).toBeLessThan(1_001 / 24_000);
  }
});
