import type { SourceVideo } from '../../../ports/transcoder.js';

/** Up to here videos were made for television of the old kind, whose colours are others. */
const STANDARD_DEFINITION_LINES = 576;
const HD_COLUMNS = 1280;
/** Pixels of red, green and blue, as ffmpeg names them. */
const RGB = /^(?:0|x2)?(?:rgb|bgr|gbr|argb|abgr|pal8)/;
/** Of whose standards matrix, primaries and transfer go by one name. */
const NAMES_ALL = new Set(['bt709', 'smpte170m']);
const UNSAID = new Set<string | null | undefined>([null, undefined, 'unknown', 'reserved', 'gbr']);

/** What a picture's colours are made with: what it says, or else what is usual at its size. */
export function colorMatrixOf({ colorMatrix, pixelFormat, displayWidth, displayHeight }: SourceVideo): string {
  if (colorMatrix && !UNSAID.has(colorMatrix)) return colorMatrix;
  const [lines = 0, columns = 0] = [displayWidth, displayHeight].sort((a, b) => a - b);
  // Cut to the shape of a cinema's screen, a video in HD has no more lines than one of the old kind.
  const isHd = lines > STANDARD_DEFINITION_LINES || columns >= HD_COLUMNS;
  return isHd || RGB.test(pixelFormat) ? 'bt709' : 'smpte170m';
}

/**
 * Says what the source leaves open, once and for all renditions that are encoded: players take what says nothing for something
 * of their own choice, and not all for the same. Pixels of red, green and blue become what is said.
 */
export function colorFilters(video: SourceVideo): string[] {
  const matrix = colorMatrixOf(video);
  const isRgb = RGB.test(video.pixelFormat);
  const said = [
    ...(isRgb || UNSAID.has(video.colorMatrix) ? [`colorspace=${matrix}`] : []),
    ...(NAMES_ALL.has(matrix) && UNSAID.has(video.colorPrimaries) ? [`color_primaries=${matrix}`] : []),
    ...(NAMES_ALL.has(matrix) && UNSAID.has(video.colorTransfer) ? [`color_trc=${matrix}`] : []),
  ];
  return [
    ...(isRgb ? [`scale=flags=bicubic:out_color_matrix=${matrix}:out_range=tv`, 'format=yuv420p'] : []),
    ...(said.length > 0 ? [`setparams=${said.join(':')}`] : []),
  ];
}
