import type { EncodedRendition } from '../../../ports/transcoder.js';

/** How one rendition was made, and from what. Kept as long as the rendition. */
export interface RenditionReceipt {
  /** Name of the pinned encoder settings; 'copied' for a passthrough. */
  readonly profile: string;
  readonly ffmpegVersion: string;
  /** Stored bits: init and media segments, and the playlist. */
  readonly bits: number;
  readonly secondsBilled: number;
  /** Compared with the source; null for sound, and if it could not be measured. */
  readonly ssim: number | null;
  /** Number of compared frames; 0 if no comparison was needed. */
  readonly ssimFrames: number;
  /** The output of `sha256sum init.mp4 seg_*.m4s | sha256sum` over the stored files. */
  readonly sha256: string | null;
}

/** @param durationMs the duration that was paid for */
export function receiptOf(
  { making, sizeBytes, sha256 }: EncodedRendition,
  durationMs: number,
): RenditionReceipt | null {
  if (making === undefined) return null;
  const { profile, ffmpegVersion, similarity } = making;
  return {
    profile,
    ffmpegVersion,
    bits: sizeBytes * 8,
    secondsBilled: durationMs / 1000,
    ssim: similarity && Number(similarity.ssim.toFixed(5)),
    ssimFrames: similarity?.frames ?? 0,
    sha256: sha256 ?? null,
  };
}
