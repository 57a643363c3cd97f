import type { ProcessVideoJob } from '../../../ports/jobQueue.js';
import type { EncodedLadder, EncodedRendition } from '../../../ports/transcoder.js';
import { videoIdOf } from '../../shared/ids.js';
import { framesPerSecond } from './frameRate.js';
import { receiptOf } from './receipt.js';
import type { SoundTrack } from './soundTracks.js';

/** Where one run of one attempt writes; no two ever write to the same place. */
export function outputPrefixOf({ accountId, videoId, attempt }: ProcessVideoJob, run: number): string {
  return `videos/${accountId}/${videoId}/${attempt}-${run}/`;
}

/** Below the public address. The token makes it unguessable: posters are public to whoever has the link. */
export function posterPathOf(
  { accountId, videoId }: Pick<ProcessVideoJob, 'accountId' | 'videoId'>,
  token: string,
): string {
  return `media/posters/${accountId}/${videoIdOf(videoId)}/${token}.jpg`;
}

/** The moving preview, under the same token as the poster. */
export function previewPathOf(posterPath: string): string {
  return posterPath.replace(/\.jpg$/, '.webp');
}

/** The values of a `rendition` row after account and video. `sounds`: what the source's tracks are called. */
export function renditionRow(
  rendition: EncodedRendition,
  prefix: string,
  { sounds, durationMs }: { sounds: readonly SoundTrack[]; durationMs: number },
): unknown[] {
  const receipt = receiptOf(rendition, durationMs);
  const sound = sounds.find(({ track }) => track === rendition.track);
  return [
    rendition.quality,
    rendition.width,
    rendition.height,
    Math.ceil(rendition.peakBandwidthBps),
    Math.ceil(rendition.averageBandwidthBps),
    rendition.codecs,
    rendition.frameRate && framesPerSecond(rendition.frameRate),
    rendition.sizeBytes,
    rendition.playlistPath,
    prefix,
    rendition.track ?? 1,
    sound?.language ?? null,
    sound?.label ?? null,
    sound?.isDescription ?? false,
    receipt && JSON.stringify(receipt),
    rendition.keyFrames?.peakBandwidthBps ?? null,
    rendition.keyFrames?.averageBandwidthBps ?? null,
  ];
}

/**
 * What is stored, in the units it will be deleted in: one rendition is one (its key ends with a slash), so is the
 * storyboard, and the poster is one. Sizes are bytes.
 */
export function publishedObjects(
  { outputPrefix }: { outputPrefix: string },
  ladder: EncodedLadder,
): { key: string; sizeBytes: number }[] {
  const renditions = ladder.renditions.map(({ playlistPath, sizeBytes }) => ({
    key: `${outputPrefix}${playlistPath.split('/', 1)[0]}/`,
    sizeBytes,
  }));
  const { storyboard } = ladder;
  if (storyboard) renditions.push({ key: `${outputPrefix}storyboard/`, sizeBytes: storyboard.sizeBytes });
  if (ladder.posterPath === null) return renditions;
  const renditionBytes = renditions.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return [
    ...renditions,
    { key: outputPrefix + ladder.posterPath, sizeBytes: Math.max(0, ladder.sizeBytes - renditionBytes) },
  ];
}
