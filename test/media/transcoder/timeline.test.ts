import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { beforeAll, describe, expect, test } from 'vitest';

import { createFfmpegTranscoder } from '../../../src/adapters/transcode/ffmpegTranscoder.js';
import type { EncodedRendition, Rendition, SourceProbe, Transcoder } from '../../../src/ports/transcoder.js';
import { ffmpeg, makeClip, mediaFolder } from '../../support/media.js';
import { remux } from '../../support/transcoder/remux.js';
import { allPackets, joined, segmentStarts, tinyLadder } from './hls.js';
import { heard } from './sound.js';

let transcoder: Transcoder;

beforeAll(async () => {
  transcoder = await createFfmpegTranscoder({ preset: 'ultrafast' });
});

/** Two encodes of one frame are at least this similar; neighboring frames of a moving picture are not. */
const SAME_FRAME_DB = 30;

/** Of our own sound: an AAC packet, which a file shows as if it came first. */
const ENCODER_LEAD_IN_SECONDS = 1_024 / 48_000;

interface Clip {
  name: string;
  pictureSeconds: number;
  soundSeconds: number;
  /** How much later than the other track. */
  pictureDelaySeconds?: number;
  soundDelaySeconds?: number;
}

/** Bars of 25 frames a second, and a tone that is heard from 1 s to 7 s of its track. */
async function makeTracks(folder: string, clip: Clip): Promise<string> {
  const path = join(folder, clip.name);
  const delay = (seconds = 0): string[] => ['-itsoffset', `${seconds}`, '-f', 'lavfi', '-i'];
  const tone = `sine=frequency=440:sample_rate=44100:duration=${clip.soundSeconds}`;
  await ffmpeg(
    ...[
      [...delay(clip.pictureDelaySeconds), `testsrc2=size=160x90:rate=25:duration=${clip.pictureSeconds}`],
      [...delay(clip.soundDelaySeconds), `${tone},volume=0:enable='lt(t,1)+gt(t,7)'`],
      ['-map', '0', '-map', '1', '-fps_mode', 'passthrough', '-c:a', 'aac'],
      ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', path],
    ].flat(),
  );
  return path;
}

interface Made {
  outputDir: string;
  renditions: readonly EncodedRendition[];
}

async function encode(
  outputDir: string,
  source: { sourcePath: string; probe: SourceProbe },
  renditions: readonly Rendition[],
): Promise<Made> {
  const request = { ...source, renditions, outputDir, pictures: false, besidePicture: true };
  return { outputDir, renditions: (await transcoder.encode(request)).renditions };
}

function fileOf({ outputDir }: Made, { initPath, segmentPaths }: EncodedRendition): Promise<string> {
  return joined(outputDir, [initPath, ...segmentPaths]);
}

/** Of each frame of a rendition, how similar it is to the same frame of another video of that size, in decibels. */
async function similarity(folder: string, one: string, other: string, { skip = 0 } = {}): Promise<number[]> {
  const log = join(folder, 'psnr.log');
  const frames = `trim=start_frame=${skip},settb=1/25,setpts=N`;
  const graph = `[0:v]settb=1/25,setpts=N[a];[1:v]${frames}[b];[a][b]psnr=stats_file=${log}:shortest=1`;
  await ffmpeg('-i', one, '-i', other, '-lavfi', graph, '-fps_mode', 'passthrough', '-f', 'null', '-');
  return [...(await readFile(log, 'utf8')).matchAll(/psnr_y:(\S+)/g)].map(([, value]) =>
    value === 'inf' ? 99 : Number(value),
  );
}

describe('a picture that starts after the lead-in of its sound', () => {
  test.each(['clip.mkv', 'clip.ts'])('shows each frame once, and is in sync: %s', async (name) => {
    await using folder = await mediaFolder();
    const sourcePath = await makeTracks(folder.path, { name, pictureSeconds: 8, soundSeconds: 8 });
    const probe = await transcoder.probe(sourcePath);
    expect(probe.video?.startsAfterMs).toBe(23);

    const made = await encode(join(folder.path, 'out'), { sourcePath, probe }, tinyLadder(probe));

    const [large, small, sound] = made.renditions;
    expect(large).toMatchObject({ durationMs: 8_000 });
    expect(small).toMatchObject({ durationMs: 8_000 });
    expect(large!.segmentPaths).toHaveLength(2);
    const same = await similarity(folder.path, await fileOf(made, large!), sourcePath);
    expect(same).toHaveLength(200);
    const next = await similarity(folder.path, await fileOf(made, large!), sourcePath, { skip: 1 });
    for (const [index, other] of next.entries()) expect(same[index]).toBeGreaterThan(other + 3);
    const fromSeconds = (await heard(await fileOf(made, sound!))).fromSeconds - ENCODER_LEAD_IN_SECONDS;
    expect(Math.abs(fromSeconds - ((await heard(sourcePath)).fromSeconds - 0.023))).toBeLessThan(0.01);
  });
});

describe('stages of one video have the same times', () => {
  const late: [string, Clip][] = [
    [
      'a picture that starts three seconds late in a transport stream',
      { name: 'clip.ts', pictureSeconds: 5, soundSeconds: 8, pictureDelaySeconds: 3 },
    ],
    [
      'sound that starts late in a transport stream',
      { name: 'clip.ts', pictureSeconds: 8, soundSeconds: 7, soundDelaySeconds: 1 },
    ],
    [
      'a picture that starts late in Matroska',
      { name: 'clip.mkv', pictureSeconds: 5, soundSeconds: 8, pictureDelaySeconds: 3 },
    ],
  ];

  test.each(late)('with %s', async (_, clip) => {
    await using folder = await mediaFolder();
    const sourcePath = await makeTracks(folder.path, clip);
    const source = { sourcePath, probe: await transcoder.probe(sourcePath) };
    const [, small, sound] = tinyLadder(source.probe);
    const together = await encode(join(folder.path, 'together'), source, [small!, sound!]);
    const picture = await encode(join(folder.path, 'picture'), source, [small!]);
    const alone = await encode(join(folder.path, 'sound'), source, [sound!]);

    expect(picture.renditions[0]!.durationMs).toBe(together.renditions[0]!.durationMs);
    const files = [await fileOf(together, together.renditions[0]!), await fileOf(picture, picture.renditions[0]!)];
    expect(Math.min(...(await similarity(folder.path, files[0]!, files[1]!)))).toBeGreaterThan(SAME_FRAME_DB);
    const [one, other] = [
      await heard(await fileOf(together, together.renditions[1]!)),
      await heard(await fileOf(alone, alone.renditions[0]!)),
    ];
    expect(other.fromSeconds).toBeCloseTo(one.fromSeconds, 2);
  });
});

describe('a last segment of less than half a second is joined to the one before', () => {
  const ends: [string, clip: { name: string; frameRate: string }][] = [
    ['MP4', { name: 'clip.mp4', frameRate: '25' }],
    ['Matroska, with renditions of 60 and of 30 frames a second', { name: 'clip.mkv', frameRate: '60' }],
  ];

  test.each(ends)('in an encode of %s', async (_, clip) => {
    await using folder = await mediaFolder();
    const sourcePath = await makeClip(folder.path, { ...clip, durationSeconds: 8.3, width: 160, height: 90 });
    const probe = await transcoder.probe(sourcePath);
    const made = await encode(join(folder.path, 'out'), { sourcePath, probe }, tinyLadder(probe));
    for (const rendition of made.renditions) {
      const starts = await segmentStarts(made.outputDir, rendition);
      expect(starts).toHaveLength(2);
      expect(Math.abs(starts[1]! - 4)).toBeLessThan(0.3);
    }
  });

  test('in a passthrough, and in the renditions beside it', async () => {
    await using folder = await mediaFolder();
    const sourcePath = await makeClip(folder.path, {
      durationSeconds: 8.3,
      width: 160,
      height: 90,
      videoCodec: ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '500', '-force_key_frames', '4,8'],
    });
    const { boundaries, outputDir, top, low } = await remux(transcoder, folder.path, sourcePath);
    expect(boundaries).toEqual([0, 4_000]);
    for (const rendition of [top, low]) {
      expect(rendition.segmentPaths).toHaveLength(2);
      expect(Math.abs(rendition.durationMs - 8_300)).toBeLessThanOrEqual(40);
      const packets = await allPackets(outputDir, rendition);
      expect(packets).toHaveLength(Math.round(rendition.durationMs / 40));
      expect(Math.max(...packets.map(({ ptsSeconds }) => ptsSeconds))).toBeCloseTo(
        rendition.durationMs / 1_000 - 0.04,
        2,
      );
    }
  });
});

describe('picture and sound end together, when the source ends', () => {
  test.each(['clip.mp4', 'clip.mkv', 'clip.ts'])('if its sound is a few packets longer: %s', async (name) => {
    await using folder = await mediaFolder();
    const sourcePath = await makeTracks(folder.path, { name, pictureSeconds: 8, soundSeconds: 8.08 });
    const probe = await transcoder.probe(sourcePath);
    const made = await encode(join(folder.path, 'out'), { sourcePath, probe }, tinyLadder(probe));
    const [large, small, sound] = made.renditions;
    expect(small!.durationMs).toBe(large!.durationMs);
    expect(Math.abs(large!.durationMs - probe.durationMs)).toBeLessThanOrEqual(40);
    // The playlist counts the lead-in of the encoder.
    expect(Math.abs(sound!.durationMs - 21 - large!.durationMs)).toBeLessThanOrEqual(40);
    const ends: number[] = [];
    for (const [rendition, packetSeconds] of [
      [large!, 0.04],
      [sound!, 1_024 / 48_000],
    ] as const) {
      const times = (await allPackets(made.outputDir, rendition)).map(({ ptsSeconds }) => ptsSeconds);
      ends.push(Math.max(...times) + packetSeconds);
    }
    expect(Math.abs(ends[0]! - ends[1]!)).toBeLessThanOrEqual(0.04);
  });

  test('if its sound is passed through', async () => {
    await using folder = await mediaFolder();
    const sourcePath = join(folder.path, 'clip.mp4');
    await ffmpeg(
      ...[
        ['-f', 'lavfi', '-i', 'testsrc2=size=160x90:rate=25:duration=8'],
        ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000:duration=8.08', '-ac', '2'],
        ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '100', '-c:a', 'aac', sourcePath],
      ].flat(),
    );
    const { plan, top, sound } = await remux(transcoder, folder.path, sourcePath);
    expect(plan.renditions.filter(({ passthrough }) => passthrough).map(({ quality }) => quality)).toEqual([
      '720p',
      'audio',
    ]);
    expect(top.durationMs).toBe(8_000);
    expect(Math.abs(sound!.durationMs - 21 - top.durationMs)).toBeLessThanOrEqual(22);
  });
});
