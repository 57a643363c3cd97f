import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { KEY_FRAMES_FILE, renditionFolder, type ByteSpan, type EncodedRendition } from '../../../ports/transcoder.js';
import { iframePlaylist } from '../encode/iframePlaylist.js';
import { inBatches } from '../encode/inBatches.js';
import { INIT_FILE } from '../encode/outputFormat.js';
import { readKeyFrames, type KeyFrame } from '../mp4/fragments.js';
import { peakBandwidth, readPlaylist } from '../encode/measureRendition.js';

/** A keyframe that begins a fragment of a segment, and for how long that is shown. */
export interface ListedKeyFrame {
  /** Of the segment. */
  readonly name: string;
  readonly seconds: number;
  readonly keyFrame: ByteSpan;
}

/** Adds an I-frame playlist beside the playlist of a finished rendition. Returns sound unchanged. */
export async function withKeyFrames(outputDir: string, rendition: EncodedRendition): Promise<EncodedRendition> {
  if (rendition.quality === 'audio') return rendition;
  const { segments } = readPlaylist(await readFile(join(outputDir, rendition.playlistPath), 'utf8'));
  const keyed: ListedKeyFrame[] = [];
  const framesOf = await inBatches(rendition.segmentPaths, (path) => findKeyFrames(join(outputDir, path)));
  for (const [index, path] of rendition.segmentPaths.entries()) {
    const frames = framesOf[index]!;
    if (frames.length === 0) return rendition;
    const ticks = frames.reduce((sum, { durationTicks }) => sum + durationTicks, 0);
    const { durationSeconds } = segments[index]!;
    for (const { durationTicks, ...keyFrame } of frames) {
      keyed.push({ name: basename(path), seconds: (durationSeconds * durationTicks) / ticks, keyFrame });
    }
  }
  return listKeyFrames(outputDir, rendition, keyed);
}

/** The first frame of a segment with one fragment; null if it cannot be found. */
export async function findKeyFrame(segmentPath: string): Promise<ByteSpan | null> {
  const [frame] = await findKeyFrames(segmentPath);
  return frame ? { offset: frame.offset, sizeBytes: frame.sizeBytes } : null;
}

/** Empty if they cannot be found: the video plays without. */
function findKeyFrames(segmentPath: string): Promise<KeyFrame[]> {
  return readKeyFrames(segmentPath).catch(() => []);
}

/** Writes the I-frame playlist of a rendition whose segments may be elsewhere. */
export async function listKeyFrames(
  outputDir: string,
  rendition: EncodedRendition,
  keyed: readonly ListedKeyFrame[],
): Promise<EncodedRendition> {
  const playlistPath = `${renditionFolder(rendition)}/${KEY_FRAMES_FILE}`;
  const sized = keyed.map(({ name, seconds, keyFrame }) => ({ name, durationSeconds: seconds, ...keyFrame }));
  const playlist = iframePlaylist(sized, `URI="${INIT_FILE}"`, rendition.targetDurationSeconds);
  await writeFile(join(outputDir, playlistPath), playlist);
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
