import { crc32, deflateSync } from 'node:zlib';

import type { Brand } from '../../../ports/brand.js';

/** White letters on a dark plate, one character per cell. */
const CELLS = [
  '.........................',
  '.#####.#####..####.#####.',
  '...#...#.....#.......#...',
  '...#...#.....#.......#...',
  '...#...####...###....#...',
  '...#...#.........#...#...',
  '...#...#.........#...#...',
  '...#...#####.####....#...',
  '.........................',
];
const PIXELS_PER_CELL = 16;
const WIDTH = 25 * PIXELS_PER_CELL;
const HEIGHT = CELLS.length * PIXELS_PER_CELL;
const LETTER = [255, 255, 255, 255];
const PLATE = [0, 0, 0, 160];
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** The word TEST in the middle of the picture, drawn by the filter that draws logos. */
export const TEST_MARK: Brand = {
  position: 'center',
  widthPercent: 40,
  marginPercent: 0,
  opacityPercent: 80,
  logo: { png: draw(), width: WIDTH, height: HEIGHT },
};

function draw(): Buffer {
  const lines = CELLS.flatMap((cells) => {
    const line = Buffer.from([0, ...cells.split('').flatMap((cell) => repeat(cell === '#' ? LETTER : PLATE))]);
    return Array.from({ length: PIXELS_PER_CELL }, () => line);
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(WIDTH, 0);
  header.writeUInt32BE(HEIGHT, 4);
  // Eight bits for each of red, green, blue and opacity.
  header.set([8, 6], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(lines))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function repeat(pixel: readonly number[]): number[] {
  return Array.from({ length: PIXELS_PER_CELL }, () => pixel).flat();
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([ends.subarray(0, 4), named, ends.subarray(4)]);
}
