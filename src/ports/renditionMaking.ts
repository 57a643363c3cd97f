/** What determines a rendition: the same recipe gives the same output. */
export interface RenditionRecipe {
  /** The name of the pinned settings, such as 'h264-2026.11.5'; 'copied' for passthrough. */
  profile: string;
  /** The version ffmpeg reports: '5.1.9'. */
  ffmpegVersion: string;
}

/** How a rendition was made. */
export interface RenditionMaking extends RenditionRecipe {
  /** Null for sound, and if it could not be measured. */
  similarity: Similarity | null;
}

/** How close a rendition is to its source: the structural similarity (SSIM) of their frames at the rendition's size. */
export interface Similarity {
  /** 1 means identical. Luma only, the mean over the compared frames. */
  ssim: number;
  frames: number;
}
