const EXIF_HEADER = Buffer.from('Exif\0\0', 'latin1');
const START_OF_SCAN = 0xda;
const APP1 = 0xe1;
const ORIENTATION = 0x0112;
const MAX_ENTRIES = 200;

/**
 * The camera orientation, 1 to 8, from a JPEG's EXIF block; 1 if there is no valid one. ffmpeg does not rotate still
 * pictures by it.
 */
export function exifOrientation(bytes: Uint8Array): number {
  const jpeg = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 2;
  while (at + 4 <= jpeg.length && jpeg[at] === 0xff && jpeg[at + 1] !== START_OF_SCAN) {
    const end = at + 2 + jpeg.readUInt16BE(at + 2);
    const block = jpeg.subarray(at + 4, end);
    if (jpeg[at + 1] === APP1 && block.subarray(0, 6).equals(EXIF_HEADER)) return orientationOf(block.subarray(6));
    at = Math.max(end, at + 4);
  }
  return 1;
}

/** Reads the first directory of the TIFF structure in EXIF. */
function orientationOf(tiff: Buffer): number {
  if (tiff.length < 14) return 1;
  const isLittle = tiff.toString('latin1', 0, 2) === 'II';
  const short = (at: number): number => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (directory + 2 > tiff.length) return 1;
  const entries = Math.min(short(directory), MAX_ENTRIES);
  for (let entry = 0; entry < entries; entry += 1) {
    const at = directory + 2 + 12 * entry;
    if (at + 12 > tiff.length) return 1;
    if (short(at) !== ORIENTATION) continue;
    const value = short(at + 8);
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}
