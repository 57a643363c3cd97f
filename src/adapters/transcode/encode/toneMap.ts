import { isHdr, type SourceVideo } from '../../../ports/transcoder.js';

/** Reference white of an HDR video, by BT.2408. It becomes nearly white, and highlights are compressed above it. */
const WHITE_NITS = 203;
/** The luminance of the brightest signal. The file's own metadata is often missing or wrong, so it is ignored. */
const PEAK_NITS: Readonly<Record<string, number>> = { smpte2084: 10_000, 'arib-std-b67': 1_000 };
/** Luminance up to half of white, which covers faces and everything darker, stays unchanged. */
const KNEE = 0.5;

/** In zscale's spelling. A video without valid primaries is taken as BT.2020. */
const PRIMARIES: ReadonlyMap<string | null, string> = new Map([
  ['bt709', '709'],
  ['smpte432', 'smpte432'],
]);

/** Whether the video is HDR and this ffmpeg can tone map it. */
export function isToned(video: SourceVideo, { toneMaps }: { toneMaps: boolean }): boolean {
  return toneMaps && isHdr(video);
}

/**
 * Converts HDR frames to SDR in BT.709 at the wanted size, because floating-point work costs by the pixel. Declares
 * everything zscale needs, since it refuses frames with missing properties. A scaler runs first, because zscale does
 * not accept every odd size, RGB or full range.
 */
export function toneMapFilters(video: SourceVideo, { width, height }: { width: number; height: number }): string[] {
  const transfer = video.colorTransfer ?? '';
  const primaries = PRIMARIES.get(video.colorPrimaries ?? null) ?? '2020';
  const [matrix, spelled] = video.colorMatrix === 'bt709' ? ['bt709', '709'] : ['bt2020', '2020_ncl'];
  const peak = ((PEAK_NITS[transfer] ?? WHITE_NITS) / WHITE_NITS).toFixed(3);
  return [
    `scale=${width}:${height}:flags=bicubic:in_color_matrix=${matrix}:out_color_matrix=${matrix}:out_range=tv`,
    'setsar=1',
    'format=yuv420p10le',
    `zscale=tin=${transfer}:pin=${primaries}:min=${spelled}:rin=tv:t=linear:p=709:m=gbr:npl=${WHITE_NITS}`,
    'format=gbrpf32le',
    `tonemap=mobius:param=${KNEE}:desat=0:peak=${peak}`,
    'zscale=t=709:p=709:m=709:r=tv:c=left:d=ordered',
    'format=yuv420p',
  ];
}
