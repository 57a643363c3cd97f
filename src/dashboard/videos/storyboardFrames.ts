import { parseVtt } from '../../player/vtt.js';

/** A thumbnail of a video, as a part of a sheet. */
export interface Frame {
  readonly atSeconds: number;
  readonly sheetUrl: string;
  /** Width divided by height. */
  readonly aspect: number;
  /** For CSS, in percent: the sheet's size relative to the frame, and the frame's position on it. */
  readonly size: string;
  readonly position: string;
}

const TILE = /^(\S+)#xywh=(\d+),(\d+),(\d+),(\d+)$/;

/** Up to `most` frames of a storyboard, evenly spaced. */
export function framesOf(vtt: string, url: string, most: number): Frame[] {
  const tiles = parseVtt(vtt).flatMap(({ startSeconds, endSeconds, text }) => {
    const [, file = '', ...numbers] = TILE.exec(text) ?? [];
    const [x, y, width, height] = numbers.map(Number);
    return width && height ? [{ startSeconds, endSeconds, file, x: x!, y: y!, width, height }] : [];
  });
  // All sheets have the size of the first, which is full or the only one.
  const sheetWidth = Math.max(...tiles.map(({ x, width }) => x + width));
  const sheetHeight = Math.max(...tiles.map(({ y, height }) => y + height));
  const count = Math.min(most, tiles.length);
  return Array.from({ length: count }, (_, place) => {
    const tile = tiles[Math.floor((place * tiles.length) / count)]!;
    return {
      atSeconds: tile.startSeconds,
      sheetUrl: new URL(tile.file, url).href,
      aspect: tile.width / tile.height,
      size: `${(sheetWidth / tile.width) * 100}% ${(sheetHeight / tile.height) * 100}%`,
      position: `${share(tile.x, sheetWidth - tile.width)}% ${share(tile.y, sheetHeight - tile.height)}%`,
    };
  });
}

function share(offset: number, range: number): number {
  return range === 0 ? 0 : (offset / range) * 100;
}
