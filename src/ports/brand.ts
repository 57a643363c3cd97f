/** An account's logo and its placement, shared by the code that draws it and the code that shows it. */

export const BRAND_POSITIONS = ['top_left', 'top_right', 'bottom_left', 'bottom_right', 'center'] as const;

export type BrandPosition = (typeof BRAND_POSITIONS)[number];

/** Lengths are percent of the picture's width, also in portrait. */
export interface BrandPlacement {
  readonly position: BrandPosition;
  readonly widthPercent: number;
  /**
   * Distance from both edges of its corner. In the centre, only the minimum distance from the edges above and below.
   */
  readonly marginPercent: number;
  readonly opacityPercent: number;
}

/** A PNG with transparency that we drew ourselves. It contains nothing of the uploaded file but its look. */
export interface BrandLogo {
  readonly png: Uint8Array;
  readonly width: number;
  readonly height: number;
}

export interface Brand extends BrandPlacement {
  readonly logo: BrandLogo;
}

/** A still of a video, made by us, with that video's size. Parts of the still outside the video's shape are cropped. */
export interface BrandStill {
  readonly jpeg: AsyncIterable<Uint8Array>;
  readonly width: number;
  readonly height: number;
}

/** Operations on logos outside a video. */
export interface LogoTools {
  /**
   * Redraws an uploaded logo.
   *
   * @param bytes PNG or SVG, as uploaded
   * @throws UnusableLogoError if the file is the problem; TranscoderUnavailableError if we are
   */
  normaliseLogo(bytes: Uint8Array): Promise<BrandLogo>;

  /**
   * Returns a JPEG of the logo over a still or a neutral card, drawn by the same filter that burns it into videos.
   * @throws TranscoderUnavailableError
   */
  drawBrand(brand: Brand, still: BrandStill | null): Promise<Uint8Array>;
}

/** The file cannot be a logo. `message` is for the person who uploaded it. */
export class UnusableLogoError extends Error {
  override readonly name = 'UnusableLogoError';

  constructor(
    message: string,
    /** The last lines of the tool's output. For logs only, because it may contain parts of the file. */
    readonly technicalTail = '',
  ) {
    super(message);
  }
}
