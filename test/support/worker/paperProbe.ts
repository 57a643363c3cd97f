import type { SourceProbe } from '../../../src/ports/transcoder.js';

/** A probe of a video without a file: no audio, 16:9. */
export function paperProbe(durationMs: number, height: number): SourceProbe {
  const width = (height * 16) / 9;
  const frameRate = { numerator: 25, denominator: 1 };
  return {
    container: 'mp4',
    durationMs,
    sizeBytes: 1000,
    video: {
      streamIndex: 0,
      codec: 'h264',
      profile: null,
      width,
      height,
      displayWidth: width,
      displayHeight: height,
      rotation: 0,
      frameRate,
      tickRate: frameRate,
      variableFrameRate: false,
      interlaced: false,
      pixelFormat: 'yuv420p',
      colorTransfer: null,
      bitrateBps: null,
      startsAfterMs: 0,
    },
    audio: null,
  };
}
