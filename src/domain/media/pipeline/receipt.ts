import type { EncodedRendition } from '../../../ports/transcoder.js';

/** How one rendition was made, and what of: kept with it for as long as it is. */
export interface RenditionReceipt {
  /** Name of the pinned encoder settings; 'copied' where the source's own packets were kept. */
  readonly profile: string;
  readonly ffmpegVersion: string;
  /** Stored: init and media segments, and the playlist. */
  readonly bits: number;
  readonly secondsBilled: number;
  /** Against the source; null for sound, and where it could not be measured. */
  readonly ssim: number | null;
  /** How many were compared; 0 where nothing had to be. */
  readonly ssimFrames: number;
  /** What `sha256sum init.mp4 seg_*.m4s | sha256sum` says of the stored files. */
  readonly sha256: string | null;
}

/** @param durationMs what was paid for */
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
