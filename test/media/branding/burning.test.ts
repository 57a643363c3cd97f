import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { createFfmpegTranscoder } from '../../../src/adapters/transcode/ffmpegTranscoder.js';
import { renditionsFor } from '../../../src/domain/media/pipeline/ladder.js';
import type { Brand, BrandPosition } from '../../../src/ports/brand.js';
import type { EncodedLadder, EncodedRendition, Transcoder, VideoRendition } from '../../../src/ports/transcoder.js';
import { joined } from '../transcoder/hls.js';
import { ffmpeg, makeClip, mediaFolder } from '../../support/media.js';
import { boxOf, brandOf, frameOf, plainVideo, plainLogo, type Box } from '../../support/branding/pixels.js';

let transcoder: Transcoder;

beforeAll(async () => {
  transcoder = await createFfmpegTranscoder({ preset: 'ultrafast', searchPath: process.env['PATH'] });
});

/** Only the bought rendition and one half its size, so that a test takes a second. */
async function burn(
  folder: string,
  sourcePath: string,
  brand: Brand | null,
): Promise<{ outputDir: string; ladder: EncodedLadder }> {
  const probe = await transcoder.probe(sourcePath);
  const [top, ...sound] = renditionsFor('2160p', probe);
  const large = top as VideoRendition;
  const half = (length: number) => Math.max(2, Math.floor(length / 4) * 2);
  const small: VideoRendition = { ...large, quality: '480p', width: half(large.width), height: half(large.height) };
  const renditions = [
    { ...large, quality: '720p' as const },
    small,
    ...sound.filter(({ quality }) => quality === 'audio'),
  ];
  const outputDir = join(folder, 'out');
  return { outputDir, ladder: await transcoder.encode({ sourcePath, probe, renditions, outputDir, brand }) };
}

const isWhite = ([red]: [number, number, number]) => red > 140;

async function whiteBox(outputDir: string, rendition: EncodedRendition, atSeconds = 0): Promise<Box | null> {
  const video = await joined(outputDir, [rendition.initPath, ...rendition.segmentPaths]);
  const size = { width: rendition.width!, height: rendition.height! };
  return boxOf(await frameOf(outputDir, video, size, { atSeconds }), isWhite);
}

/** Sides are even, and the scaler and x264 blur each by half a pixel. */
function expectBox(found: Box | null, wanted: Box): void {
  for (const side of ['x', 'y', 'width', 'height'] as const) {
    expect(Math.abs((found?.[side] ?? Infinity) - wanted[side]), `${side} of ${JSON.stringify(found)}`).toBeLessThan(3);
  }
}

describe('a logo is burned into every rendition', () => {
  // A quarter of 640 is 160 wide, so 80 high; a twentieth is 32 from the edges.
  const places: [BrandPosition, Box][] = [
    ['top_left', { x: 32, y: 32, width: 160, height: 80 }],
    ['top_right', { x: 448, y: 32, width: 160, height: 80 }],
    ['bottom_left', { x: 32, y: 248, width: 160, height: 80 }],
    ['bottom_right', { x: 448, y: 248, width: 160, height: 80 }],
    ['center', { x: 240, y: 140, width: 160, height: 80 }],
  ];
  test.each(places)('at %s', async (position, box) => {
    await using folder = await mediaFolder();
    const source = await plainVideo(folder.path);
    const brand = brandOf(await plainLogo(folder.path, 'white'), { position });
    const { outputDir, ladder } = await burn(folder.path, source, brand);

    const [large, small] = ladder.renditions;
    expectBox(await whiteBox(outputDir, large!), box);
    const halves = { x: box.x / 2, y: box.y / 2, width: box.width / 2, height: box.height / 2 };
    expectBox(await whiteBox(outputDir, small!), halves);
    // In the last frame, and not only in the first.
    expectBox(await whiteBox(outputDir, large!, 0.96), box);
  });

  const shapes: [string, (folder: string) => Promise<string>, { width: number; height: number }][] = [
    ['a portrait video', (folder) => plainVideo(folder, { width: 360, height: 640 }), { width: 360, height: 640 }],
    ['a rotated video', (folder) => turnedVideo(folder), { width: 180, height: 320 }],
    ['an anamorphic video', (folder) => anamorphicVideo(folder), { width: 256, height: 144 }],
  ];
  test.each(shapes)('in the visible corner, undistorted, of %s', async (_, video, { width, height }) => {
    await using folder = await mediaFolder();
    const source = await video(folder.path);
    const brand = brandOf(await plainLogo(folder.path, 'white'), { position: 'top_right' });
    const { outputDir, ladder } = await burn(folder.path, source, brand);
    const [large] = ladder.renditions;
    expect(large).toMatchObject({ width, height });
    const box = { width: width / 4, height: width / 8 };
    expectBox(await whiteBox(outputDir, large!), { ...box, x: width * 0.95 - box.width, y: width * 0.05 });
  });

  test('a picture of a few pixels has a logo, and a logo larger than its picture is scaled down', async () => {
    await using folder = await mediaFolder();
    const source = await plainVideo(folder.path, { width: 64, height: 16 });
    // A column: at half the width it would be 160 high.
    const logo = await plainLogo(folder.path, 'white', 20, 100);
    const brand = brandOf(logo, { widthPercent: 50, marginPercent: 20 });
    const { outputDir, ladder } = await burn(folder.path, source, brand);
    expectBox(await whiteBox(outputDir, ladder.renditions[0]!), { x: 4, y: 4, width: 2, height: 8 });
  });

  test('a video of several segments that starts late, with sound, has a logo', async () => {
    await using folder = await mediaFolder();
    const source = await makeClip(folder.path, { durationSeconds: 5, videoDelaySeconds: 1 });
    const brand = brandOf(await plainLogo(folder.path, 'white'), { widthPercent: 50 });
    const { outputDir, ladder } = await burn(folder.path, source, brand);
    expect(ladder.renditions.map(({ quality }) => quality)).toEqual(['720p', '480p', 'audio']);
    for (const atSeconds of [0, 2, 4.9]) {
      const [large] = ladder.renditions;
      const video = await joined(outputDir, [large!.initPath, ...large!.segmentPaths]);
      const frame = await frameOf(outputDir, video, { width: 320, height: 180 }, { atSeconds });
      expect(Math.min(...frame.at(60, 40))).toBeGreaterThan(240);
    }
  });

  test('a video without branding has no logo, and a poster and a storyboard never have one', async () => {
    await using folder = await mediaFolder();
    const source = await plainVideo(folder.path, { seconds: 6 });
    const brand = brandOf(await plainLogo(folder.path, 'white'));
    const branded = await burn(folder.path, source, brand);
    const size = { width: 640, height: 360 };
    const poster = await frameOf(folder.path, join(branded.outputDir, 'poster.jpg'), size);
    expect(boxOf(poster, isWhite)).toBeNull();
    const sheet = join(branded.outputDir, 'storyboard/sheet_1.jpg');
    const tiles = join(folder.path, 'tiles.png');
    await ffmpeg('-i', sheet, '-vf', 'scale=640:360', tiles);
    expect(boxOf(await frameOf(folder.path, tiles, size), isWhite)).toBeNull();

    const plain = await burn(join(folder.path, 'plain'), source, null);
    expect(await whiteBox(plain.outputDir, plain.ladder.renditions[0]!)).toBeNull();
    expect(await readdir(plain.outputDir)).not.toContain('logo.png');
  });
});

describe('the colors of a logo', () => {
  test('mix with the video at half opacity, and let it through where the logo is transparent', async () => {
    await using folder = await mediaFolder();
    const source = await plainVideo(folder.path, { color: '0x404040' });
    const path = join(folder.path, 'ring.png');
    // Left half opaque, right half invisible and of another color.
    const halves = `geq=r='if(lt(X,100),224,0)':g='if(lt(X,100),224,255)':b='if(lt(X,100),224,0)':a='if(lt(X,100),255,0)'`;
    await ffmpeg('-f', 'lavfi', '-i', `color=s=200x100,format=rgba,${halves}`, '-frames:v', '1', path);
    const logo = { png: await readFile(path), width: 200, height: 100 };
    const { outputDir, ladder } = await burn(folder.path, source, brandOf(logo, { opacityPercent: 50 }));
    for (const rendition of ladder.renditions) {
      const video = await joined(outputDir, [rendition.initPath, ...rendition.segmentPaths]);
      const size = { width: rendition.width!, height: rendition.height! };
      const frame = await frameOf(outputDir, video, size);
      const point = (x: number) => frame.at(Math.round((size.width * x) / 640), Math.round((size.height * 72) / 360));
      for (const channel of point(70)) expect(Math.abs(channel - 0x90)).toBeLessThan(6);
      for (const channel of point(150)) expect(Math.abs(channel - 0x40)).toBeLessThan(4);
      // None of the invisible green leaks at the edge between them.
      for (let x = 104; x < 120; x += 1) {
        const [red, green] = point(x);
        expect(green - red).toBeLessThan(12);
      }
    }
  });

  const videos: [string, string, string[]][] = [
    ['tagged bt709', 'bt709', ['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709']],
    ['tagged smpte170m', 'bt601', ['-colorspace', 'smpte170m']],
    ['without tags, below 720 lines', 'bt601', []],
  ];
  test.each(videos)('stay the same red in a video %s', async (_, matrix, tags) => {
    await using folder = await mediaFolder();
    const source = await plainVideo(folder.path, { tags });
    const { outputDir, ladder } = await burn(folder.path, source, brandOf(await plainLogo(folder.path, '0xd21034')));
    const [large] = ladder.renditions;
    const video = await joined(outputDir, [large!.initPath, ...large!.segmentPaths]);
    const frame = await frameOf(outputDir, video, { width: 640, height: 360 }, { matrix });
    const [red, green, blue] = frame.at(112, 72);
    expect(Math.abs(red - 0xd2)).toBeLessThan(6);
    expect(Math.abs(green - 0x10)).toBeLessThan(8);
    expect(Math.abs(blue - 0x34)).toBeLessThan(6);
  });
});

async function turnedVideo(folder: string): Promise<string> {
  const video = await plainVideo(folder, { width: 320, height: 180 });
  const turned = join(folder, 'turned.mp4');
  await ffmpeg('-i', video, '-c', 'copy', '-metadata:s:v:0', 'rotate=90', turned);
  return turned;
}

async function anamorphicVideo(folder: string): Promise<string> {
  const video = await plainVideo(folder, { width: 180, height: 144 });
  const wide = join(folder, 'wide.mp4');
  await ffmpeg('-i', video, '-vf', 'setsar=64/45', '-c:v', 'libx264', '-preset', 'ultrafast', wide);
  return wide;
}
