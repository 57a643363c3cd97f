import { RENDITION_QUALITIES, type EncodedLadder, type RenditionQuality } from '../../../src/ports/transcoder.js';

/** What an encoder reports of a one-minute video, without files. */
export function ladderOf(qualities: RenditionQuality[], { pictures = true } = {}): EncodedLadder {
  const renditions = qualities.map((quality) => ({
    quality,
    playlistPath: `${quality}/index.m3u8`,
    initPath: `${quality}/init.mp4`,
    segmentPaths: [`${quality}/seg_00000.m4s`],
    targetDurationSeconds: 4,
    durationMs: 60_000,
    sizeBytes: 100,
    peakBandwidthBps: 1000 * (1 + RENDITION_QUALITIES.indexOf(quality)),
    averageBandwidthBps: 900 * (1 + RENDITION_QUALITIES.indexOf(quality)),
    codecs: 'avc1.64001f',
    width: 1280,
    height: 720,
    frameRate: { numerator: 25, denominator: 1 },
  }));
  const posterPath = pictures ? 'poster.jpg' : null;
  return { renditions, posterPath, storyboard: null, durationMs: 60_000, sizeBytes: 1000 };
}
