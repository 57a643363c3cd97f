/** An account's logo and how it lies in the picture; whoever draws it and whoever shows it share these. */

export const BRAND_POSITIONS = ['top_left', 'top_right', 'bottom_left', 'bottom_right', 'center'] as const;

export type BrandPosition = (typeof BRAND_POSITIONS)[number];

/** Lengths are percent of the picture's width, in portrait, too. */
export interface BrandPlacement {
  readonly position: BrandPosition;
  readonly widthPercent: number;
  /** From both edges of its corner; in the centre only the least distance from the edges above and below. */
  readonly marginPercent: number;
  readonly opacityPercent: number;
}

/** Our own PNG with transparency: nothing of an uploaded file is in it but how it looks. */
export interface BrandLogo {
  readonly png: Uint8Array;
  readonly width: number;
  readonly height: number;
}

export interface Brand extends BrandPlacement {
  readonly logo: BrandLogo;
}

/** A still of a video, made by us, and the size of that video: what of the still goes beyond its shape is cut off. */
export interface BrandStill {
  readonly jpeg: AsyncIterable<Uint8Array>;
  readonly width: number;
  readonly height: number;
}

/** What is done to logos outside a video. */
export interface LogoTools {
  /**
   * Draws an uploaded logo anew.
   *
   * @param bytes PNG or SVG, as uploaded
   * @throws UnusableLogoError when the file is the problem; TranscoderUnavailableError when we are.
   */
  normaliseLogo(bytes: Uint8Array): Promise<BrandLogo>;

  /**
   * A JPEG of the logo over a still, or over a neutral card, by the filter that burns it into videos.
   * @throws TranscoderUnavailableError
   */
  drawBrand(brand: Brand, still: BrandStill | null): Promise<Uint8Array>;
}

/** The file cannot be a logo. `message` is for the person who uploaded it. */
export class UnusableLogoError extends Error {
  override readonly name = 'UnusableLogoError';

  constructor(
    message: string,
    /** The last lines of the tool, for logs only: it can contain what the file contains. */
    readonly technicalTail = '',
  ) {
    super(message);
  }
}
