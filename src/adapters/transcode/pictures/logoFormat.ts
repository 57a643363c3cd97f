import { UnusableLogoError, type BrandLogo } from '../../../ports/brand.js';

export type LogoFormat = { readonly kind: 'png'; readonly width: number; readonly height: number } | { kind: 'svg' };

/** Maximum pixels of a decoded picture. Larger declared sizes are refused before a decoder sees them. */
export const MAX_LOGO_PIXELS = 16_777_216;
const MAX_SIDE = 16_384;
const MIN_SIDE = 8;

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
/** Signature, length and name of the first chunk, and its content. */
const PNG_HEAD_BYTES = 8 + 8 + 13;
const RGBA = 6;
/** An SVG may begin with a declaration, comments and a doctype. */
const SVG_HEAD_BYTES = 65_536;

/** Other formats people try to upload, by their first bytes in hex. */
const OTHERS: readonly [RegExp, string][] = [
  [/^ffd8ff/, 'JPEG'],
  [/^47494638/, 'GIF'],
  [/^52494646.{8}57454250/, 'WebP'],
  [/^.{8}66747970(61766966|68656963|68656978|6d696631)/, 'AVIF or HEIC'],
  [/^25504446/, 'PDF'],
  [/^1f8b/, 'compressed'],
];

/**
 * Detects the format by content; the file name is ignored. @throws UnusableLogoError with a message for the uploader
 */
export function sniffLogo(bytes: Uint8Array): LogoFormat {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = pngSize(buffer);
  if (size) {
    const { width, height } = size;
    if (width * height > MAX_LOGO_PIXELS || Math.max(width, height) > MAX_SIDE) {
      throw new UnusableLogoError(`The picture is ${width} × ${height} pixels. 4096 × 4096 are the most.`);
    }
    if (Math.min(width, height) < MIN_SIDE) {
      throw new UnusableLogoError(
        `The picture is ${width} × ${height} pixels. ${MIN_SIDE} × ${MIN_SIDE} are the least.`,
      );
    }
    return { kind: 'png', width, height };
  }
  const head = buffer.subarray(0, SVG_HEAD_BYTES).toString('latin1');
  if (/^(\xef\xbb\xbf)?\s*</.test(head) && /<svg[\s>]/.test(head)) return { kind: 'svg' };
  const magic = buffer.toString('hex', 0, 12);
  const other = OTHERS.find(([pattern]) => pattern.test(magic))?.[1];
  throw new UnusableLogoError(
    other === undefined ? 'This is no PNG or SVG file.' : `This is a ${other} file. A logo is a PNG or SVG file.`,
  );
}

/** The size of our own PNG, from its header. @throws if it is invalid, because then our own tool failed */
export function ownLogo(png: Buffer, maxSide: number): BrandLogo {
  const size = pngSize(png);
  const [depth, color] = [png[24], png[25]];
  if (!size || Math.max(size.width, size.height) > maxSide || depth !== 8 || color !== RGBA) {
    throw new Error('the normalised logo is not the PNG that it should be');
  }
  return { png, ...size };
}

function pngSize(bytes: Buffer): { width: number; height: number } | null {
  const isPng =
    bytes.length >= PNG_HEAD_BYTES &&
    bytes.subarray(0, 8).equals(PNG_SIGNATURE) &&
    bytes.toString('latin1', 12, 16) === 'IHDR';
  return isPng ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) } : null;
}
