import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { createFfmpegTranscoder } from '../../../src/adapters/transcode/ffmpegTranscoder.js';
import { SimilarityReader } from '../../../src/adapters/transcode/encode/similarity.js';
import { withMaking } from '../../../src/adapters/transcode/encode/making.js';
import { PICTURE_PROFILE, SOUND_PROFILE } from '../../../src/adapters/transcode/probe/profiles.js';
import {
  framesPerSecond,
  type EncodedRendition,
  type FrameRate,
  type Similarity,
  type Rendition,
  type SourceProbe,
  type Transcoder,
} from '../../../src/ports/transcoder.js';
import { ffmpeg, makeClip, mediaFolder, type ClipOptions } from '../../support/media.js';
import { joined, tinyLadder } from './hls.js';

let transcoder: Transcoder;

beforeAll(async () => {
  transcoder = await createFfmpegTranscoder({ preset: 'ultrafast' });
});

/** Compares what a player decodes with the source after the same filters. @returns the SSIM of each frame */
async function decodedSimilarity(
  folder: string,
  source: string,
  outputDir: string,
  { rendition, rate }: { rendition: EncodedRendition; rate: FrameRate },
): Promise<number[]> {
  const video = await joined(outputDir, [rendition.initPath, ...rendition.segmentPaths]);
  const log = join(folder, `${rendition.quality}.log`);
  const { numerator, denominator } = rendition.frameRate!;
  const step = Math.round(framesPerSecond(rate) / framesPerSecond(rendition.frameRate!));
  const common = `fps=${rate.numerator}/${rate.denominator}:start_time=0,framestep=${step}`;
  const tick = `${denominator}/${numerator}`;
  const graph = [
    `[0:v]${common},scale=${rendition.width}:${rendition.height}:flags=bicubic:out_range=tv,format=yuv420p,settb=${tick},setpts=N[a]`,
    `[1:v]settb=${tick},setpts=N[b]`,
    `[a][b]ssim=shortest=1:stats_file=${log}`,
  ].join(';');
  await ffmpeg('-i', source, '-i', video, '-filter_complex', graph, '-f', 'null', '-');
  return [...(await readFile(log, 'utf8')).matchAll(/Y:([\d.]+)/g)].map(([, value]) => Number(value));
}

async function encode(folder: string, source: string, probe?: SourceProbe) {
  const outputDir = join(folder, 'out');
  const measured = probe ?? (await transcoder.probe(source));
  const renditions = tinyLadder(measured);
  const ladder = await transcoder.encode({ sourcePath: source, probe: measured, renditions, outputDir });
  return { outputDir, ladder };
}

describe('a receipt', () => {
  const sources: [string, ClipOptions][] = [
    ['25 fps', {}],
    ['29.97 fps in a transport stream, which starts late', { name: 'clip.ts', frameRate: '30000/1001' }],
    ['a variable frame rate in Matroska', { name: 'clip.mkv', frameRate: '30', variableFrameRate: true }],
    ['a picture that starts late', { videoDelaySeconds: 2 }],
    ['120 fps, which is halved', { frameRate: '120' }],
  ];

  test.each(sources)('has the SSIM over every frame of a source with %s', async (_, options) => {
    await using folder = await mediaFolder();
    const source = await makeClip(folder.path, { durationSeconds: 5, ...options });
    const { outputDir, ladder } = await encode(folder.path, source);

    const rate = ladder.renditions[0]!.frameRate!;
    for (const rendition of ladder.renditions.filter(({ quality }) => quality !== 'audio')) {
      const { similarity, profile, ffmpegVersion } = rendition.making!;
      expect(profile).toBe(`${PICTURE_PROFILE}-ultrafast`);
      expect(ffmpegVersion).toMatch(/^\d+\./);
      const decoded = await decodedSimilarity(folder.path, source, outputDir, { rendition, rate });
      // For a source that starts late, there may be one frame fewer here than in its video.
      expect(Math.abs(similarity!.frames - decoded.length)).toBeLessThanOrEqual(1);
      const mean = decoded.reduce((sum, value) => sum + value, 0) / decoded.length;
      // The encoder's blocks are two pixels from the filter's. With a moving picture, an offset of one frame would be
      // far off.
      expect(Math.abs(similarity!.ssim - mean)).toBeLessThan(0.004);
    }
    expect(ladder.renditions.at(-1)!.making).toMatchObject({ profile: SOUND_PROFILE, similarity: null });
  });
});

describe('the SSIM that encoders print at their end', () => {
  const encoder = (frames: number[], mean: string): string[] => [
    ...frames.map(
      (count, kind) => `[libx264 @ 0x55d4] [info] frame ${'IPB'[kind]}:${count}     Avg QP: 9.85  size: 15553`,
    ),
    `[libx264 @ 0x55d4] [info] SSIM Mean Y:${mean} (21.406db)`,
  ];

  test('is read in the order of the renditions, without purely informational lines', () => {
    const reader = new SimilarityReader();
    const lines = [
      '[info]     title           : [libx264 @ 0x1] [info] SSIM Mean Y:1.0000000',
      '[h264 @ 0x2] [error] corrupt',
      ...encoder([2, 119, 239], '0.9927658'),
      ...encoder([2, 139], '0.9895194'),
    ];
    expect(lines.filter(reader.readsLine)).toEqual(['[h264 @ 0x2] [error] corrupt']);
    expect(reader.found).toEqual([
      { ssim: 0.9927658, frames: 360 },
      { ssim: 0.9895194, frames: 141 },
    ]);
  });

  test('is that of the source for a passthrough picture, and none for sound', () => {
    const renditions = [
      { quality: '720p', passthrough: true },
      { quality: 'audio', passthrough: true },
      { quality: 'audio' },
    ] as Rendition[];
    const made = withMaking(renditions, renditions, [], { preset: 'veryfast', ffmpegVersion: '5.1.9' });
    expect(made.map(({ making }) => making.similarity)).toEqual([{ ssim: 1, frames: 0 }, null, null]);
  });

  test('is used for no rendition if one of them prints none', () => {
    const renditions = [{ quality: '720p' }, { quality: '480p' }] as Rendition[];
    const similarities = (found: Similarity[]) =>
      withMaking(renditions, renditions, found, { preset: 'veryfast', ffmpegVersion: '5.1.9' }).map(
        ({ making }) => making.similarity,
      );
    const [one, other] = [
      { ssim: 0.9, frames: 25 },
      { ssim: 0.8, frames: 25 },
    ];
    expect(similarities([one, other])).toEqual([one, other]);
    expect(similarities([one])).toEqual([null, null]);
  });
});
