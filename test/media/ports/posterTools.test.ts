import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exifOrientation } from '../../../src/adapters/transcode/probe/exifOrientation.js';
import { FfmpegPosterTools } from '../../../src/adapters/transcode/pictures/ffmpegPosterTools.js';
import { UnusablePictureError } from '../../../src/ports/posters.js';
import { ffmpeg, ffprobe, mediaFolder } from '../../support/media.js';

const tools = new FfmpegPosterTools({ searchPath: process.env['PATH'] ?? '', mustConfine: false });

/** 'mjpeg,640,360' of the rendered picture, and its top left corner as '#rrggbb'. */
async function look(folder: string, jpeg: Uint8Array): Promise<{ size: string; corner: string; end: string }> {
  const path = join(folder, 'drawn.jpg');
  await writeFile(path, jpeg);
  const size = await ffprobe('-of', 'csv=p=0', '-show_entries', 'stream=codec_name,width,height', path);
  await ffmpeg('-i', path, '-f', 'rawvideo', '-pix_fmt', 'rgb24', join(folder, 'raw'));
  const raw = await readFile(join(folder, 'raw'));
  return { size: size.trim(), corner: raw.toString('hex', 0, 3), end: raw.toString('hex', raw.length - 3) };
}

/** An EXIF block with an orientation, and with a place and a name that must not survive. */
function withExif(jpeg: Buffer, orientation: number): Buffer {
  const tiff = Buffer.alloc(26);
  tiff.write('MM\0*', 'latin1');
  tiff.writeUInt32BE(8, 4);
  tiff.writeUInt16BE(1, 8);
  tiff.writeUInt16BE(0x0112, 10);
  tiff.writeUInt16BE(3, 12);
  tiff.writeUInt32BE(1, 14);
  tiff.writeUInt16BE(orientation, 18);
  const content = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff, Buffer.from('MY-HOME')]);
  const block = Buffer.alloc(4);
  block.writeUInt16BE(0xffe1);
  block.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([jpeg.subarray(0, 2), block, content, jpeg.subarray(2)]);
}

describe('an uploaded picture', () => {
  test('is rendered again, upright and within limits, without any other data of the file', async () => {
    await using folder = await mediaFolder();
    const path = join(folder.path, 'photo.jpg');
    // Red on the left, blue on the right.
    const graph = 'color=red:s=1000x1500[a];color=blue:s=1000x1500[b];[a][b]hstack';
    await ffmpeg('-f', 'lavfi', '-i', graph, '-frames:v', '1', '-q:v', '2', path);
    const photo = Buffer.concat([withExif(await readFile(path), 6), Buffer.from('<script>alert(1)</script>')]);

    const drawn = await tools.drawUpload(photo);

    const { size, corner, end } = await look(folder.path, drawn);
    expect(size).toBe('mjpeg,960,1280');
    expect(corner).toMatch(/^f[0-9a-f]0/);
    expect(end).toMatch(/f[0-9a-f]$/);
    const text = Buffer.from(drawn).toString('latin1');
    expect(text).not.toMatch(/MY-HOME|script|Exif|Lavc/);
  });

  test('becomes black where it is transparent', async () => {
    await using folder = await mediaFolder();
    const path = join(folder.path, 'clear.png');
    await ffmpeg('-f', 'lavfi', '-i', 'color=white@0.0:s=64x32,format=rgba', '-frames:v', '1', path);
    const drawn = await look(folder.path, await tools.drawUpload(await readFile(path)));
    expect(drawn).toEqual({ size: 'mjpeg,64,32', corner: '000000', end: '000000' });
  });

  const refused: [string, Buffer][] = [
    ['an empty file', Buffer.alloc(0)],
    ['text', Buffer.from('#EXTM3U\nfile:///etc/passwd')],
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['a JPEG that ends after its magic', Buffer.from('ffd8ffe0', 'hex')],
    ['a JPEG of noise', Buffer.concat([Buffer.from('ffd8ff', 'hex'), Buffer.alloc(5000, 0x5a)])],
    ['a PNG that declares 60,000 × 60,000', hugePng()],
  ];

  test.each(refused)('is refused with a message if it is invalid: %s', async (_, bytes) => {
    await expect(tools.drawUpload(bytes)).rejects.toBeInstanceOf(UnusablePictureError);
  });

  test('waits for others if many arrive at once', async () => {
    await using folder = await mediaFolder();
    const path = join(folder.path, 'p.png');
    await ffmpeg('-f', 'lavfi', '-i', 'color=red:s=64x36', '-frames:v', '1', path);
    const bytes = await readFile(path);
    const drawn = await Promise.all(Array.from({ length: 5 }, () => tools.drawUpload(bytes)));
    expect(drawn.every((jpeg) => jpeg.length > 100)).toBe(true);
  });
});

function hugePng(): Buffer {
  const png = Buffer.alloc(60);
  Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').copy(png);
  png.writeUInt32BE(60_000, 16);
  png.writeUInt32BE(60_000, 20);
  Buffer.from('0802000000', 'hex').copy(png, 24);
  return png;
}

test('a moment is exactly the frame that plays then, and the last frame after the end', async () => {
  await using folder = await mediaFolder();
  const path = join(folder.path, 'video.mp4');
  // Brightness encodes time: ten frames in a second, each 20 brighter than the one before.
  const video = "color=black:s=64x36:r=10:d=1,format=gray,geq=lum='16+20*N',format=yuv420p";
  const fragmented = ['-movflags', '+frag_keyframe+empty_moov+default_base_moof'];
  await ffmpeg('-f', 'lavfi', '-i', video, '-c:v', 'libx264', '-qp', '1', ...fragmented, path);
  const bytes = await readFile(path);
  const brightness = async (seconds: number): Promise<number> =>
    Number.parseInt(
      (await look(folder.path, await tools.drawMoment(() => Promise.resolve(bytes), seconds))).corner.slice(0, 2),
      16,
    );
  const [first, fifth, last, beyond] = [
    await brightness(0),
    await brightness(0.4),
    await brightness(0.9),
    await brightness(1.5),
  ];
  expect(first).toBeLessThan(24);
  expect(Math.abs(fifth - 96)).toBeLessThan(8);
  expect(Math.abs(last - 196)).toBeLessThan(8);
  expect(beyond).toBe(last);
});

test('videos wait without being read', async () => {
  let held = 0;
  let mostHeld = 0;
  const video = async (): Promise<Uint8Array> => {
    held += 1;
    mostHeld = Math.max(mostHeld, held);
    return Promise.resolve(Buffer.from('no video'));
  };
  const drawn = Array.from({ length: 6 }, () => tools.drawMoment(video, 0).catch(() => (held -= 1)));
  await Promise.all(drawn);
  expect([held, mostHeld]).toEqual([0, 2]);
});

test.each([0, 1, 3, 8, 9])('an orientation of %i is used only if it is valid', (orientation) => {
  const told = exifOrientation(withExif(Buffer.from('ffd8ffd9', 'hex'), orientation));
  expect(told).toBe(orientation >= 1 && orientation <= 8 ? orientation : 1);
});
