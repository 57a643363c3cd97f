import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PLAYLIST_FILE, type EncodedRendition, type Rendition } from '../../../ports/transcoder.js';
import { renditionFolder } from '../../../ports/transcoder.js';
import { INIT_FILE } from './outputFormat.js';
import { inBatches } from './inBatches.js';
import { codecsOf } from '../mp4/mp4Codecs.js';

export interface Segment {
  path: string;
  durationSeconds: number;
}

interface SizedSegment extends Segment {
  sizeBytes: number;
}

/**
 * The facts of a finished rendition, from its playlist, its init segment and the sizes of its segments. Does not read
 * the media again.
 */
export async function measureRendition(
  outputDir: string,
  rendition: Rendition,
  leastTargetSeconds = 1,
): Promise<EncodedRendition> {
  const name = renditionFolder(rendition);
  const folder = join(outputDir, name);
  const playlist = await withTarget(join(folder, PLAYLIST_FILE), leastTargetSeconds);
  const init = await readFile(join(folder, INIT_FILE));
  const { segments } = readPlaylist(playlist);
  const sizes = await inBatches(segments, async ({ path }) => (await stat(join(folder, path))).size);
  return renditionFacts(rendition, { playlist, init, sizes });
}

/** The facts of a rendition, wherever its segments are; `sizes` are theirs in bytes. */
export function renditionFacts(
  rendition: Rendition,
  { playlist, init, sizes }: { playlist: string; init: Buffer; sizes: readonly number[] },
): EncodedRendition {
  const name = renditionFolder(rendition);
  const { targetDurationSeconds, segments: listed } = readPlaylist(playlist);
  const segments = listed.map((segment, index) => ({ ...segment, sizeBytes: sizes[index]! }));
  const mediaBytes = segments.reduce((sum, segment) => sum + segment.sizeBytes, 0);
  const seconds = segments.reduce((sum, segment) => sum + segment.durationSeconds, 0);
  const picture = rendition.quality === 'audio' ? null : rendition;
  return {
    quality: rendition.quality,
    ...(rendition.quality === 'audio' && { track: rendition.track ?? 1 }),
    playlistPath: `${name}/${PLAYLIST_FILE}`,
    initPath: `${name}/${INIT_FILE}`,
    segmentPaths: segments.map((segment) => `${name}/${segment.path}`),
    targetDurationSeconds,
    durationMs: Math.round(seconds * 1_000),
    sizeBytes: mediaBytes + init.length + Buffer.byteLength(playlist),
    peakBandwidthBps: peakBandwidth(segments, targetDurationSeconds),
    averageBandwidthBps: seconds > 0 ? Math.ceil((mediaBytes * 8) / seconds) : 0,
    codecs: codecsOf(init),
    width: picture?.width ?? null,
    height: picture?.height ?? null,
    frameRate: picture?.frameRate ?? null,
  };
}

/** ffmpeg rounds the target duration of a very short video to 0, and players divide by it. */
async function withTarget(playlistPath: string, leastSeconds: number): Promise<string> {
  const text = await readFile(playlistPath, 'utf8');
  const fixed = text.replace(
    /^#EXT-X-TARGETDURATION:(\d+)$/m,
    (_, seconds: string) => `#EXT-X-TARGETDURATION:${Math.max(leastSeconds, Number(seconds))}`,
  );
  if (fixed !== text) {
    await writeFile(playlistPath, fixed);
  }
  return fixed;
}

/** Reads a playlist that our own ffmpeg wrote. */
export function readPlaylist(text: string): {
  targetDurationSeconds: number;
  segments: Segment[];
} {
  const segments: Segment[] = [];
  let targetDurationSeconds = 0;
  let durationSeconds = 0;
  for (const line of text.split('\n').map((raw) => raw.trim())) {
    if (line.startsWith('#EXT-X-TARGETDURATION:')) {
      targetDurationSeconds = Number(line.slice('#EXT-X-TARGETDURATION:'.length));
    } else if (line.startsWith('#EXTINF:')) {
      durationSeconds = Number.parseFloat(line.slice('#EXTINF:'.length));
    } else if (line !== '' && !line.startsWith('#')) {
      segments.push({ path: line, durationSeconds });
    }
  }
  return { targetDurationSeconds, segments };
}

/**
 * RFC 8216, 4.3.4.2: the highest rate of any sequence of segments that lasts between half and one and a half target
 * durations, so that a short last segment does not count as a peak. A shorter video is one sequence.
 */
export function peakBandwidth(
  segments: readonly Pick<SizedSegment, 'durationSeconds' | 'sizeBytes'>[],
  targetDurationSeconds: number,
): number {
  let peak = 0;
  for (let start = 0; start < segments.length; start += 1) {
    let seconds = 0;
    let bytes = 0;
    for (const segment of segments.slice(start, start + 64)) {
      seconds += segment.durationSeconds;
      bytes += segment.sizeBytes;
      if (seconds > targetDurationSeconds * 1.5) {
        break;
      }
      if (seconds >= targetDurationSeconds * 0.5) {
        peak = Math.max(peak, (bytes * 8) / seconds);
      }
    }
  }
  if (peak === 0) {
    const seconds = segments.reduce((sum, segment) => sum + segment.durationSeconds, 0);
    const bytes = segments.reduce((sum, segment) => sum + segment.sizeBytes, 0);
    peak = seconds > 0 ? (bytes * 8) / seconds : 0;
  }
  return Math.ceil(peak);
}
