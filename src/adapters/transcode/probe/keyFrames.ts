import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { KEY_FRAMES_FILE, renditionFolder, type ByteSpan, type EncodedRendition } from '../../../ports/transcoder.js';
import { iframePlaylist } from '../encode/iframePlaylist.js';
import { INIT_FILE } from '../encode/outputFormat.js';
import { readKeyFrame } from '../mp4/fragments.js';
import { peakBandwidth, readPlaylist } from '../encode/measureRendition.js';

/** A picture segment, and where its first frame is. */
export interface KeyedSegment {
  readonly name: string;
  readonly seconds: number;
  readonly keyFrame: ByteSpan;
}

/** Adds an I-frame playlist beside the playlist of a finished rendition. Returns sound unchanged. */
export async function withKeyFrames(outputDir: string, rendition: EncodedRendition): Promise<EncodedRendition> {
  if (rendition.quality === 'audio') return rendition;
  const { segments } = readPlaylist(await readFile(join(outputDir, rendition.playlistPath), 'utf8'));
  const keyed: KeyedSegment[] = [];
  for (const [index, path] of rendition.segmentPaths.entries()) {
    const keyFrame = await findKeyFrame(join(outputDir, path));
    if (keyFrame === null) return rendition;
    keyed.push({ name: basename(path), seconds: segments[index]!.durationSeconds, keyFrame });
  }
  return listKeyFrames(outputDir, rendition, keyed);
}

/** The range of a segment's keyframe; null if it cannot be found: the video plays without. */
export function findKeyFrame(segmentPath: string): Promise<ByteSpan | null> {
  return readKeyFrame(segmentPath).catch(() => null);
}

/** Writes the I-frame playlist of a rendition whose segments may be elsewhere. */
export async function listKeyFrames(
  outputDir: string,
  rendition: EncodedRendition,
  keyed: readonly KeyedSegment[],
): Promise<EncodedRendition> {
  const playlistPath = `${renditionFolder(rendition)}/${KEY_FRAMES_FILE}`;
  const sized = keyed.map(({ name, seconds, keyFrame }) => ({ name, durationSeconds: seconds, ...keyFrame }));
  const playlist = iframePlaylist(sized, `URI="${INIT_FILE}"`, rendition.targetDurationSeconds);
  await writeFile(join(outputDir, playlistPath), playlist);
  const sized = keyed.map(({ seconds, keyFrame }) => ({ durationSeconds: seconds, sizeBytes: keyFrame.sizeBytes }));
  const bits = 8 * sized.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const seconds = sized.reduce((sum, { durationSeconds }) => sum + durationSeconds, 0);
  return {
    ...rendition,
    sizeBytes: rendition.sizeBytes + Buffer.byteLength(playlist),
    keyFrames: {
      playlistPath,
      peakBandwidthBps: peakBandwidth(sized, rendition.targetDurationSeconds),
      averageBandwidthBps: seconds > 0 ? Math.ceil(bits / seconds) : 0,
    },
  };
}
