import { open, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { ByteSpan, EncodedTrickPlay, SourceProbe, SourceVideo } from '../../../ports/transcoder.js';
import { iframePlaylist } from '../encode/iframePlaylist.js';
import { peakBandwidth } from '../encode/measureRendition.js';
import { NO_METADATA } from '../encode/outputFormat.js';
import { boxesOf } from '../mp4/boxes.js';
import { codecsOf } from '../mp4/mp4Codecs.js';

const PLAYLIST_FILE = 'iframes.m3u8';
const MEDIA_FILE = 'iframes.mp4';

const LEAST_INTERVAL_MS = 1_000;
/** Four hours at one a second. In longer videos, they are further apart, so that one file holds them. */
const MAX_FRAMES = 14_400;
/** The lowest step of Apple's ladder. */
const LONG_SIDE = 416;
/** Pictures are a second or more apart, and each is encoded by itself, so this is about what one of them may have. */
const MAX_BITRATE_BPS = 100_000;
const CRF = 28;
/** Far more than the index of a file without frames. */
const MAX_INIT_BYTES = 64 * 1024;

/** Small pictures at a constant interval for fast seeking: Apple's authoring rules ask for one a second. */
export interface TrickPlayPlan {
  readonly frames: number;
  readonly intervalMs: number;
  /** In pixels, even. */
  readonly width: number;
  readonly height: number;
}

export function planTrickPlay(
  { displayWidth, displayHeight }: SourceVideo,
  { durationMs }: Pick<SourceProbe, 'durationMs'>,
): TrickPlayPlan {
  const intervalMs = Math.max(LEAST_INTERVAL_MS, Math.ceil(durationMs / MAX_FRAMES));
  const scale = Math.min(1, LONG_SIDE / Math.max(displayWidth, displayHeight));
  const side = (length: number): number => Math.max(2, Math.round((length * scale) / 2) * 2);
  return {
    frames: Math.ceil(durationMs / intervalMs),
    intervalMs,
    width: side(displayWidth),
    height: side(displayHeight),
  };
}

/**
 * From the video's frames, `[tp]`, to `[iframes]`: the frame that is shown at each interval.
 * @param toSdr filters applied to the chosen frames only
 */
export function trickPlayFilters(
  { frames, intervalMs, width, height }: TrickPlayPlan,
  toSdr: readonly string[],
): string {
  return [
    `[tp]fps=fps=1000/${intervalMs}:start_time=0:round=up`,
    ...toSdr,
    `scale=${width}:${height}:flags=bicubic:out_range=tv,setsar=1,format=yuv420p`,
    `tpad=stop_mode=clone:stop=-1,trim=end_frame=${frames}[iframes]`,
  ].join(',');
}

/** Without lookahead, because ffmpeg reports no progress until every output has begun. */
export function trickPlayOutput(dir: string): string[] {
  return [
    ['-map', '[iframes]', '-fps_mode', 'passthrough', '-c:v', 'libx264', '-preset', 'veryfast', '-threads', '1'],
    ['-tune', 'zerolatency', '-g', '1', '-crf', `${CRF}`],
    ['-maxrate', `${MAX_BITRATE_BPS}`, '-bufsize', `${MAX_BITRATE_BPS}`, ...NO_METADATA],
    // A fragment for each picture, which a player can fetch by itself.
    ['-f', 'mp4', '-movflags', '+frag_every_frame+empty_moov+default_base_moof+skip_trailer', `${dir}/${MEDIA_FILE}`],
  ].flat();
}

/**
 * Writes the I-frame playlist of the file that was made.
 * @param dir where both are. @param folder the name of `dir` in the output
 * @returns null if the video has fewer than two pictures
 */
export async function writeTrickPlay(
  dir: string,
  folder: string,
  plan: TrickPlayPlan,
  durationMs: number,
): Promise<EncodedTrickPlay | null> {
  const mediaPath = join(dir, MEDIA_FILE);
  const { init, frames } = await readFrames(mediaPath);
  const shown = frames.slice(0, Math.ceil(durationMs / plan.intervalMs));
  if (shown.length < 2) return null;
  const timed = shown.map((span, index) => ({
    ...span,
    name: MEDIA_FILE,
    durationSeconds: (index < shown.length - 1 ? plan.intervalMs : durationMs - index * plan.intervalMs) / 1_000,
  }));
  const targetSeconds = Math.max(1, ...timed.map(({ durationSeconds }) => Math.round(durationSeconds)));
  const playlist = iframePlaylist(timed, `URI="${MEDIA_FILE}",BYTERANGE="${init.length}@0"`, targetSeconds);
  await writeFile(join(dir, PLAYLIST_FILE), playlist);
  const bytes = timed.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return {
    playlistPath: `${folder}/${PLAYLIST_FILE}`,
    paths: [`${folder}/${PLAYLIST_FILE}`, `${folder}/${MEDIA_FILE}`],
    sizeBytes: Buffer.byteLength(playlist) + (await stat(mediaPath)).size,
    width: plan.width,
    height: plan.height,
    codecs: codecsOf(init),
    peakBandwidthBps: peakBandwidth(timed, targetSeconds),
    averageBandwidthBps: Math.ceil((bytes * 8 * 1_000) / durationMs),
  };
}

/** The file's index, and where each picture with its own small index is. */
async function readFrames(path: string): Promise<{ init: Buffer; frames: ByteSpan[] }> {
  const file = await open(path, 'r');
  try {
    let initBytes = 0;
    let moofAt = 0;
    const frames: ByteSpan[] = [];
    for await (const { type, offset, size } of boxesOf(file)) {
      const end = offset + size;
      if (type === 'moov') initBytes = end;
      else if (type === 'moof') moofAt = offset;
      else if (type === 'mdat') frames.push({ offset: moofAt, sizeBytes: end - moofAt });
    }
    if (initBytes === 0 || initBytes > MAX_INIT_BYTES)
      throw new Error(`A file of I-frames begins with ${initBytes} bytes.`);
    const { buffer } = await file.read(Buffer.alloc(initBytes), 0, initBytes, 0);
    return { init: buffer, frames };
  } finally {
    await file.close();
  }
}
