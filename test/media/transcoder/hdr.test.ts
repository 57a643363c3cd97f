import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { createFfmpegTranscoder } from '../../../src/adapters/transcode/ffmpegTranscoder.js';
import { isHdr, type EncodedLadder, type Transcoder } from '../../../src/ports/transcoder.js';
import { brandOf, frameOf, plainLogo } from '../../support/branding/pixels.js';
import { ffprobe, mediaFolder } from '../../support/media.js';
import { patchVideo, PATCH_VIDEO, TRANSFERS, type Light, type Transfer } from './hdr.js';
import { joined } from './hls.js';
import { smallLadder } from '../../support/transcoder/remux.js';

let transcoder: Transcoder;

beforeAll(async () => {
  transcoder = await createFfmpegTranscoder({ preset: 'ultrafast' });
});

const grey = (nits: number): Light => [nits, nits, nits];
const GREYS = [0, 1, 26, 100, 203, 500, 900].map(grey);
const COLORS: readonly Light[] = [
  [100, 0, 0],
  [0, 100, 0],
  [0, 0, 100],
];
const WHITE_NITS = 203;
const NEAR = 4;

type Rgb = readonly [number, number, number];

async function encode(
  from: Transcoder,
  folder: string,
  sourcePath: string,
  brand: Parameters<typeof brandOf>[0] | null,
) {
  const probe = await from.probe(sourcePath);
  const outputDir = join(folder, 'out');
  const request = { sourcePath, probe, renditions: smallLadder(probe), outputDir, brand: brand && brandOf(brand) };
  return { probe, outputDir, ladder: await from.encode(request) };
}

/** The color in the middle of each column of a rendition, a poster or a sheet. */
async function columnsOf(
  folder: string,
  picture: string,
  count: number,
  {
    matrix = 'bt709',
    size = PATCH_VIDEO,
    within = size.width,
  }: { matrix?: string; size?: typeof PATCH_VIDEO; within?: number } = {},
): Promise<Rgb[]> {
  const frame = await frameOf(folder, picture, size, { matrix });
  return Array.from({ length: count }, (_, index) => frame.at(Math.floor(((index + 0.5) * within) / count), 40));
}

async function videoOf(outputDir: string, { renditions }: EncodedLadder, index = 0): Promise<string> {
  return joined(outputDir, [renditions[index]!.initPath, ...renditions[index]!.segmentPaths]);
}

/** The SDR value of light that is not compressed. */
function sdrOf(nits: number): number {
  return 255 * (nits / WHITE_NITS) ** (1 / 2.4);
}

function expectNear(got: Rgb | undefined, wanted: number, tolerance = NEAR): void {
  for (const channel of got!) expect(Math.abs(channel - wanted)).toBeLessThanOrEqual(tolerance);
}

/** Greys keep their brightness, white stays nearly white, and brighter light is above it in decreasing steps. */
function expectSdr([black, ...columns]: readonly Rgb[]): void {
  const [one, mid, bright, white, brighter, brightest] = columns;
  expectNear(black, 0);
  expectNear(one, sdrOf(1), 6);
  expectNear(mid, sdrOf(26));
  expectNear(bright, sdrOf(100));
  expectNear(white, 227, 6);
  expect(brighter![1]).toBeGreaterThan(white![1] + 12);
  expect(brightest![1]).toBeGreaterThan(brighter![1] + 2);
  expect(brightest![1]).toBeLessThan(255);
  const [red, green, blue] = columns.slice(-3);
  for (const [index, color] of [red, green, blue].entries()) {
    expect(color![index]).toBeGreaterThan(180);
    expect(color!.filter((channel, other) => other !== index && channel > 24)).toEqual([]);
  }
}

describe.each(Object.keys(TRANSFERS) as Transfer[])('a video in %s', (transfer) => {
  test('becomes SDR in every rendition, the poster and the storyboard, frame by frame', async () => {
    await using folder = await mediaFolder();
    const lights = [...GREYS, ...COLORS];
    const source = await patchVideo(folder.path, transfer, lights);
    const { probe, outputDir, ladder } = await encode(transcoder, folder.path, source, null);
    expect(probe.video).toMatchObject({
      colorTransfer: transfer,
      colorPrimaries: 'bt2020',
      pixelFormat: 'yuv420p10le',
    });

    const video = await videoOf(outputDir, ladder);
    expectSdr(await columnsOf(folder.path, video, lights.length));
    const small = await videoOf(outputDir, ladder, 1);
    expectSdr(await columnsOf(folder.path, small, lights.length, { size: { width: 160, height: 90 } }));
    // JPEG has only one matrix.
    const poster = join(outputDir, ladder.posterPath!);
    expectSdr(await columnsOf(folder.path, poster, lights.length, { matrix: 'bt601' }));
    const sheet = join(outputDir, 'storyboard/sheet_1.jpg');
    const tiled = { matrix: 'bt601', size: { width: 480, height: 90 }, within: 160 };
    expectNear((await columnsOf(folder.path, sheet, lights.length, tiled))[4], 227, 8);

    // Duration, boundaries and frames equal those of SDR, and the video is tagged as SDR.
    expect(ladder.renditions.map(({ durationMs, segmentPaths }) => [durationMs, segmentPaths.length])).toEqual([
      [6_000, 2],
      [6_000, 2],
    ]);
    const entries =
      'stream=pix_fmt,color_range,color_space,color_transfer,color_primaries,chroma_location,nb_read_frames';
    const said = await ffprobe('-count_frames', '-of', 'default=nw=1', '-show_entries', entries, small);
    expect(said.trim().split('\n').toSorted()).toEqual([
      'chroma_location=left',
      'color_primaries=bt709',
      'color_range=tv',
      'color_space=bt709',
      'color_transfer=bt709',
      'nb_read_frames=60',
      'pix_fmt=yuv420p',
    ]);
    const first = await ffprobe('-of', 'json', '-show_frames', '-read_intervals', '%+#1', small);
    expect(first).not.toMatch(/[Mm]astering|light level/);
  });
});

/** Metadata that cameras, editors and bugs write. */
const ODD: [string, Parameters<typeof patchVideo>[3] & object][] = [
  ['with no tag but its transfer', { tags: [] }],
  ['with the primaries and the matrix of SDR', { tags: ['-color_primaries', 'bt709', '-colorspace', 'bt709'] }],
  ['with tags that make no sense', { tags: ['-color_primaries', 'film', '-colorspace', 'ycgco'] }],
  [
    'in 8 bits and the full range',
    {
      filters: 'scale=out_range=pc,format=yuvj420p',
      codec: ['-c:v', 'libx264', '-qp', '1'],
      tags: ['-color_primaries', 'bt2020', '-colorspace', 'bt2020nc', '-color_range', 'pc'],
    },
  ],
  ['in 4:4:4', { filters: 'format=yuv444p12le', tags: ['-colorspace', 'bt2020nc'] }],
  ['in RGB', { filters: 'scale=in_color_matrix=bt2020,format=gbrp10le', tags: [] }],
  ['of an odd size', { filters: 'crop=319:179:0:0:exact=1,format=yuv444p10le', tags: ['-colorspace', 'bt2020nc'] }],
  ['of 16 × 8 pixels', { filters: 'scale=16:8', tags: [] }],
];

test.each(ODD)('a video in PQ %s is processed', async (_, options) => {
  await using folder = await mediaFolder();
  const source = await patchVideo(folder.path, 'smpte2084', GREYS, { frames: 10, ...options });
  const { probe, outputDir, ladder } = await encode(transcoder, folder.path, source, null);
  expect(isHdr(probe.video!)).toBe(true);
  const { width, height } = ladder.renditions[0]!;
  const size = { width: width!, height: height! };
  if (size.height < 90) return;
  const columns = await columnsOf(folder.path, await videoOf(outputDir, ladder), GREYS.length, { size });
  expectNear(columns[2], sdrOf(26), 8);
  expectNear(columns[4], 227, 8);
});

test('a logo on an HDR video keeps its own colors', async () => {
  await using folder = await mediaFolder();
  const source = await patchVideo(folder.path, 'smpte2084', [grey(1)], { frames: 10 });
  const { outputDir, ladder } = await encode(transcoder, folder.path, source, await plainLogo(folder.path, 'red'));
  const frame = await frameOf(folder.path, await videoOf(outputDir, ladder), PATCH_VIDEO, { matrix: 'bt709' });
  const [red, green, blue] = frame.at(40, 30);
  expect([red > 245, green < 12, blue < 12]).toEqual([true, true, true]);
});

test('an ffmpeg that cannot tone map is detected at the start, and still processes the video', async () => {
  await using folder = await mediaFolder();
  const ffmpegPath = join(folder.path, 'ffmpeg');
  await writeFile(ffmpegPath, '#!/bin/sh\ncase "$*" in *-filters*) exit 0;; esac\nexec /usr/bin/ffmpeg "$@"\n');
  await chmod(ffmpegPath, 0o755);
  const plain = await createFfmpegTranscoder({ ffmpegPath, preset: 'ultrafast', searchPath: process.env['PATH'] });
  expect([plain.canToneMap(), transcoder.canToneMap()]).toEqual([false, true]);

  const source = await patchVideo(folder.path, 'smpte2084', GREYS, { frames: 10 });
  const { outputDir, ladder } = await encode(plain, folder.path, source, null);
  expect(ladder.renditions).toHaveLength(2);
  const playlist = await readFile(join(outputDir, ladder.renditions[0]!.playlistPath), 'utf8');
  expect(playlist.match(/#EXTINF/g)).toHaveLength(1);
  expect(await readdir(outputDir)).toContain('poster.jpg');
});
