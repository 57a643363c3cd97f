/** Draws posters: small JPEGs in which nothing is left of a file but how it looks. */
export interface PosterTools {
  /**
   * A picture as it was uploaded: JPEG or PNG, whatever it claims to be.
   * @throws UnusablePictureError when the file is the problem; TranscoderUnavailableError when we are.
   */
  drawUpload(bytes: Uint8Array): Promise<Uint8Array>;

  /**
   * A moment of a video of our own making.
   * @param video an init segment and one media segment; read when it is its turn, so that few are held in memory
   * @param seconds from the beginning of the segment; the last frame up to a second after its end
   * @throws TranscoderUnavailableError, and what `video` throws
   */
  drawMoment(video: () => Promise<Uint8Array>, seconds: number): Promise<Uint8Array>;
}

/** The file cannot be a poster. `message` is for the person who uploaded it. */
export class UnusablePictureError extends Error {
  override readonly name = 'UnusablePictureError';

  constructor(
    message: string,
    /** The last lines of the tool, for logs only. */
    readonly technicalTail = '',
  ) {
    super(message);
  }
}
