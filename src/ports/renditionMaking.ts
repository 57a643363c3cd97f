/** What a rendition is made with: as long as that is the same, so is what comes out. */
export interface RenditionRecipe {
  /** The name of its pinned settings: 'h264-2026.11.5'; 'copied' where packets were kept. */
  profile: string;
  /** As it calls itself: '5.1.9'. */
  ffmpegVersion: string;
}

/** How a rendition was made. */
export interface RenditionMaking extends RenditionRecipe {
  /** Null for sound, and where it could not be measured. */
  similarity: Similarity | null;
}

/** How much a rendition looks like its source, by the structural similarity (SSIM) of its frames at its size. */
export interface Similarity {
  /** 1 is the same; of luma, the mean of the compared frames. */
  ssim: number;
  frames: number;
}
