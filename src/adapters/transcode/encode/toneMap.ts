import { isHdr, type SourceVideo } from '../../../ports/transcoder.js';

/** White paper in an HDR video, by BT.2408. It becomes nearly white, with what is brighter squeezed in above it. */
const WHITE_NITS = 203;
/** What the brightest signal stands for. A file's own word for it is not asked: it is often missing or wrong. */
const PEAK_NITS: Readonly<Record<string, number>> = { smpte2084: 10_000, 'arib-std-b67': 1_000 };
/** Up to half of white, which is faces and everything darker, light stays as it is. */
const KNEE = 0.5;

/** As zscale spells them. A video that says nothing, or nonsense, is in BT.2020. */
const PRIMARIES: ReadonlyMap<string | null, string> = new Map([
  ['bt709', '709'],
  ['smpte432', 'smpte432'],
]);

/** A video in HDR, and an ffmpeg that can make it SDR. */
export function isToned(video: SourceVideo, { toneMaps }: { toneMaps: boolean }): boolean {
  return toneMaps && isHdr(video);
}

/**
 * From the frames of an HDR video to SDR in BT.709, at the size that is wanted: light is worked on in floating point,
 * which costs by the pixel. Everything zscale needs to know is said here, since it refuses a frame that leaves it open;
 * and it takes no odd sizes, RGB or full range for granted, which the scaler before it deals with.
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
