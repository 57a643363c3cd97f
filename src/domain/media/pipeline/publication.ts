import type { ProcessVideoJob } from '../../../ports/jobQueue.js';
import {
  framesPerSecond,
  type EncodedLadder,
  type EncodedRendition,
  type RenditionQuality,
} from '../../../ports/transcoder.js';
import { videoIdOf } from '../../shared/ids.js';
import type { TrickPlay } from '../library/video.entity.js';
import { receiptOf } from './receipt.js';
import type { SoundTrack } from './soundTracks.js';

/** The prefix of one run of one attempt. No two runs write to the same place. */
export function outputPrefixOf({ accountId, videoId, attempt }: ProcessVideoJob, run: number): string {
  return `videos/${accountId}/${videoId}/${attempt}-${run}/`;
}

/** Path below the public address. The token makes it unguessable: anyone with the link can see a poster. */
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

/** A row of `rendition`, without account and video. */
export interface RenditionRow {
  readonly quality: RenditionQuality;
  readonly width: number | null;
  readonly height: number | null;
  readonly bitrateBps: number;
  readonly averageBitrateBps: number;
  readonly codecs: string;
  readonly framesPerSecond: number | null;
  readonly sizeBytes: number;
  /** Path of its playlist, below the prefix. */
  readonly path: string;
  readonly prefix: string;
  readonly track: number;
  readonly language: string | null;
  readonly label: string | null;
  readonly isDescription: boolean;
  /** JSON */
  readonly receipt: string | null;
  readonly keyFrameBitrateBps: number | null;
  readonly keyFrameAverageBitrateBps: number | null;
}

/** @param source.sounds the names of the source's sound tracks */
export function renditionRow(
  rendition: EncodedRendition,
  prefix: string,
  { sounds, durationMs }: { sounds: readonly SoundTrack[]; durationMs: number },
): RenditionRow {
  const receipt = receiptOf(rendition, durationMs);
  const sound = sounds.find(({ track }) => track === rendition.track);
  return {
    quality: rendition.quality,
    width: rendition.width,
    height: rendition.height,
    bitrateBps: Math.ceil(rendition.peakBandwidthBps),
    averageBitrateBps: Math.ceil(rendition.averageBandwidthBps),
    codecs: rendition.codecs,
    framesPerSecond: rendition.frameRate && framesPerSecond(rendition.frameRate),
    sizeBytes: rendition.sizeBytes,
    path: rendition.playlistPath,
    prefix,
    track: rendition.track ?? 1,
    language: sound?.language ?? null,
    label: sound?.label ?? null,
    isDescription: sound?.isDescription ?? false,
    receipt: receipt && JSON.stringify(receipt),
    keyFrameBitrateBps: rendition.keyFrames?.peakBandwidthBps ?? null,
    keyFrameAverageBitrateBps: rendition.keyFrames?.averageBandwidthBps ?? null,
  };
}

/** The column `trick_play` of `video`, as JSON. */
export function trickPlayOf({ storyboard }: EncodedLadder): string | null {
  const made = storyboard?.trickPlay;
  if (!made) return null;
  const { playlistPath, width, height, codecs, peakBandwidthBps, averageBandwidthBps } = made;
  const track: TrickPlay = {
    path: playlistPath,
    width,
    height,
    codecs,
    bitrate: peakBandwidthBps,
    averageBitrate: averageBandwidthBps,
  };
  return JSON.stringify(track);
}

/**
 * The stored objects, in the units in which they are deleted: each rendition (its key ends with a slash), the
 * storyboard and the poster are one unit each. Sizes are in bytes.
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
