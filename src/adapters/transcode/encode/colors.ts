import type { SourceVideo } from '../../../ports/transcoder.js';

/** Videos up to this size were made for standard-definition television, which uses another color matrix. */
const STANDARD_DEFINITION_LINES = 576;
const HD_COLUMNS = 1280;
/** RGB pixel formats, as ffmpeg names them. */
const RGB = /^(?:0|x2)?(?:rgb|bgr|gbr|argb|abgr|pal8)/;
/** Standards whose matrix, primaries and transfer share one name. */
const NAMES_ALL = new Set(['bt709', 'smpte170m']);
const UNSAID = new Set<string | null | undefined>([null, undefined, 'unknown', 'reserved', 'gbr']);

/** The color matrix of a picture: what it declares, or what is usual at its size. */
export function colorMatrixOf({ colorMatrix, pixelFormat, displayWidth, displayHeight }: SourceVideo): string {
  if (colorMatrix && !UNSAID.has(colorMatrix)) return colorMatrix;
  const [lines = 0, columns = 0] = [displayWidth, displayHeight].sort((a, b) => a - b);
  // An HD video cropped to cinema format has no more lines than standard definition, so check columns as well.
  const isHd = lines > STANDARD_DEFINITION_LINES || columns >= HD_COLUMNS;
  return isHd || RGB.test(pixelFormat) ? 'bt709' : 'smpte170m';
}

/**
 * Declares what the source leaves open, in the same way for all encoded renditions, because players guess differently
 * when nothing is declared. Converts RGB to the declared matrix.
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
