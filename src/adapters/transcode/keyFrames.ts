import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { KEY_FRAMES_FILE, rungFolder, type ByteSpan, type EncodedRung } from '../../ports/transcoder.js';
import { INIT_FILE } from './encodePlan.js';
import { readKeyFrame } from './fragments.js';
import { peakBandwidth, readPlaylist } from './measureRung.js';

/** A segment of a picture, and where its first frame lies in it. */
export interface KeyedSegment {
  readonly name: string;
  readonly seconds: number;
  readonly keyFrame: ByteSpan;
}

/** A finished rung with a playlist of its key frames beside its own; as it was where there is no picture. */
export async function withKeyFrames(outputDir: string, rung: EncodedRung): Promise<EncodedRung> {
  if (rung.quality === 'audio') return rung;
  const { segments } = readPlaylist(await readFile(join(outputDir, rung.playlistPath), 'utf8'));
  const keyed: KeyedSegment[] = [];
  for (const [index, path] of rung.segmentPaths.entries()) {
    const keyFrame = await findKeyFrame(join(outputDir, path));
    if (keyFrame === null) return rung;
    keyed.push({ name: basename(path), seconds: segments[index]!.durationSeconds, keyFrame });
  }
  return listKeyFrames(outputDir, rung, keyed);
}

/** Of a segment. Null where it cannot be told: the film plays without. */
export function findKeyFrame(segmentPath: string): Promise<ByteSpan | null> {
  return readKeyFrame(segmentPath).catch(() => null);
}

/** Writes the playlist of a rung whose segments may be elsewhere. */
export async function listKeyFrames(
  outputDir: string,
  rung: EncodedRung,
  keyed: readonly KeyedSegment[],
): Promise<EncodedRung> {
  const playlistPath = `${rungFolder(rung)}/${KEY_FRAMES_FILE}`;
  const playlist = playlistOf(keyed, rung.targetDurationSeconds);
  await writeFile(join(outputDir, playlistPath), playlist);
  const sized = keyed.map(({ seconds, keyFrame }) => ({ durationSeconds: seconds, sizeBytes: keyFrame.sizeBytes }));
  const bits = 8 * sized.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const seconds = sized.reduce((sum, { durationSeconds }) => sum + durationSeconds, 0);
  return {
    ...rung,
    sizeBytes: rung.sizeBytes + Buffer.byteLength(playlist),
    keyFrames: {
      playlistPath,
      peakBandwidthBps: peakBandwidth(sized, rung.targetDurationSeconds),
      averageBandwidthBps: seconds > 0 ? Math.ceil(bits / seconds) : 0,
    },
  };
}

/** RFC 8216bis, 4.4.3.6: each frame lasts until the next one, and is a range of bytes of a segment. */
function playlistOf(keyed: readonly KeyedSegment[], targetSeconds: number): string {
  return [
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    `#EXT-X-TARGETDURATION:${targetSeconds}`,
    '#EXT-X-MEDIA-SEQUENCE:0',
    '#EXT-X-PLAYLIST-TYPE:VOD',
    '#EXT-X-I-FRAMES-ONLY',
    `#EXT-X-MAP:URI="${INIT_FILE}"`,
    ...keyed.flatMap(({ name, seconds, keyFrame }) => [
      `#EXTINF:${seconds.toFixed(6)},`,
      `#EXT-X-BYTERANGE:${keyFrame.sizeBytes}@${keyFrame.offset}`,
      name,
    ]),
    '#EXT-X-ENDLIST',
    '',
  ].join('\n');
}
