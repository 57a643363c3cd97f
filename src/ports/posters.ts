/** Draws posters: small JPEGs that contain nothing of a file but its look. */
export interface PosterTools {
  /**
   * Redraws an uploaded picture: JPEG or PNG, whatever it claims to be.
   * @throws UnusablePictureError if the file is the problem; TranscoderUnavailableError if we are
   */
  drawUpload(bytes: Uint8Array): Promise<Uint8Array>;

  /**
   * Draws a moment of a video that we encoded.
   * @param video an init segment and one media segment; read only in its turn, so that few are held in memory
   * @param seconds from the beginning of the segment; up to a second after its end gives the last frame
   * @throws TranscoderUnavailableError, and what `video` throws
   */
  drawMoment(video: () => Promise<Uint8Array>, seconds: number): Promise<Uint8Array>;
}

/** The file cannot be a poster. `message` is for the person who uploaded it. */
export class UnusablePictureError extends Error {
  override readonly name = 'UnusablePictureError';

  constructor(
    message: string,
    /** The last lines of the tool's output. For logs only. */
    readonly technicalTail = '',
  ) {
    super(message);
  }
}
