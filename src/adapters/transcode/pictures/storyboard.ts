import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EncodedStoryboard, SourceProbe } from '../../../ports/transcoder.js';
import { NO_METADATA } from '../encode/outputFormat.js';
import { planTrickPlay, trickPlayOutput, type TrickPlayPlan, writeTrickPlay } from './trickPlay.js';

/** Its own folder below the output. */
export const STORYBOARD_DIR = 'storyboard';
const INDEX_FILE = 'index.vtt';
const PREVIEW_FILE = 'preview.webp';
const SHEET = /^sheet_([1-9]\d?)\.jpg$/;

/** Shorter videos need no storyboard. */
const MIN_DURATION_MS = 5_000;
const MIN_INTERVAL_SECONDS = 2;
const MAX_TILES = 144;
const SHEET_COLUMNS = 6;
const SHEET_ROWS = 6;
const TILE_LONG_SIDE = 160;
const PREVIEW_LONG_SIDE = 320;
const PREVIEW_FRAMES = 10;
const PREVIEW_FRAMES_PER_SECOND = 2;

export interface StoryboardPlan {
  tiles: number;
  intervalSeconds: number;
  columns: number;
  rows: number;
  /** In pixels, even. */
  tileWidth: number;
  tileHeight: number;
  previewWidth: number;
  previewHeight: number;
  trickPlay: TrickPlayPlan;
}

/** The layout of a video's storyboard; null for audio and for very short videos. */
export function planStoryboard({
  video,
  durationMs,
}: Pick<SourceProbe, 'video' | 'durationMs'>): StoryboardPlan | null {
  if (video === null || durationMs < MIN_DURATION_MS) {
    return null;
  }
  const intervalSeconds = Math.max(MIN_INTERVAL_SECONDS, durationMs / 1_000 / MAX_TILES);
  const tiles = Math.min(MAX_TILES, Math.ceil(durationMs / 1_000 / intervalSeconds));
  const longSide = Math.max(video.displayWidth, video.displayHeight);
  const side = (length: number, limit: number): number =>
    Math.max(2, Math.round((length * Math.min(1, limit / longSide)) / 2) * 2);
  return {
    tiles,
    intervalSeconds,
    columns: Math.min(SHEET_COLUMNS, tiles),
    rows: Math.min(SHEET_ROWS, Math.ceil(tiles / SHEET_COLUMNS)),
    tileWidth: side(video.displayWidth, TILE_LONG_SIDE),
    tileHeight: side(video.displayHeight, TILE_LONG_SIDE),
    previewWidth: side(video.displayWidth, PREVIEW_LONG_SIDE),
    previewHeight: side(video.displayHeight, PREVIEW_LONG_SIDE),
    trickPlay: planTrickPlay(video, { durationMs }),
  };
}

interface StoryboardWish {
  /** Whether to make a moving preview. */
  previews: boolean;
  /** Whether no rendition is encoded beside it that could report progress. */
  alone: boolean;
}

/**
 * From the video's frames, `[sb]`, to `[sheets]` and, if wanted, `[preview]` and `[beat]`: one small picture per
 * interval. If the picture ends early, its last frame is repeated so that no tile is missing.
 *
 * ffmpeg reports no progress until every output has begun, and a long video's first full sheet comes late. So an extra
 * sheet with only the first picture comes before it, and is never shown. An encoder needs increasing times and the
 * first two sheets would both be at zero, so each sheet is shifted a little.
 * @param toSdr filters applied to the chosen frames only
 */
export function storyboardFilters(
  plan: StoryboardPlan,
  { toSdr, previews, alone }: StoryboardWish & { toSdr: readonly string[] },
): string[] {
  const { tiles, intervalSeconds, columns, rows, tileWidth, tileHeight, previewWidth, previewHeight } = plan;
  const each = Math.max(1, Math.floor(tiles / PREVIEW_FRAMES));
  const chosen = [
    `select='gte(t,selected_n*${intervalSeconds})'`,
    ...toSdr,
    `scale=${previewWidth}:${previewHeight}:out_range=pc:out_color_matrix=bt601,setsar=1,format=yuvj420p`,
    `tpad=stop_mode=clone:stop=-1,trim=end_frame=${tiles}`,
  ].join(',');
  const taps = ['[first]', '[all]', ...(previews ? ['[some]'] : []), ...(alone ? ['[beat]'] : [])];
  const moving = `select='not(mod(n,${each}))',settb=1/${PREVIEW_FRAMES_PER_SECOND},setpts=N,format=yuv420p`;
  return [
    `[sb]${chosen},split=${taps.length}${taps.join('')}`,
    `[first]trim=end_frame=1,scale=${columns * tileWidth}:${rows * tileHeight},setsar=1[begun]`,
    `[all]scale=${tileWidth}:${tileHeight},setsar=1,tile=${columns}x${rows}[tiled]`,
    '[begun][tiled]concat,setpts=PTS+N/10/TB[sheets]',
    ...(previews ? [`[some]${moving}[preview]`] : []),
  ];
}

/** Each picture of the preview is encoded by itself: they are too far apart to share anything. */
export function storyboardOutput(
  plan: StoryboardPlan,
  { outputDir, previews, alone }: StoryboardWish & { outputDir: string },
): string[] {
  const dir = `${outputDir}/${STORYBOARD_DIR}`;
  // One more than expected, besides the extra first sheet, so that too many sheets can be detected.
  const most = sheetCount(plan) + 2;
  const preview = [
    // A filter for the rate would hold the first picture until it sees the second.
    ['-map', '[preview]', '-fps_mode', 'cfr', '-r', `${PREVIEW_FRAMES_PER_SECOND}`, '-frames:v', `${PREVIEW_FRAMES}`],
    ['-c:v', 'libwebp', '-quality', '50', '-compression_level', '2', '-loop', '0', ...NO_METADATA],
    ['-f', 'webp', `${dir}/${PREVIEW_FILE}`],
  ];
  return [
    ['-map', '[sheets]', '-frames:v', `${most}`, '-fps_mode', 'vfr', '-enc_time_base', '1:1000'],
    ['-c:v', 'mjpeg', '-q:v', '4', ...NO_METADATA],
    ['-f', 'image2', '-start_number', '0', `${dir}/sheet_%d.jpg`],
    ...(previews ? preview : []),
    trickPlayOutput(dir),
    // Sheets come too rarely to show progress.
    ...(alone ? [['-map', '[beat]', '-fps_mode', 'passthrough', '-f', 'null', '-']] : []),
  ].flat();
}

function sheetCount({ tiles, columns, rows }: StoryboardPlan): number {
  return Math.ceil(tiles / (columns * rows));
}

/**
 * Writes the index of the existing sheets and returns the storyboard's files.
 * @param durationMs of the output
 * @returns null if there are no pictures
 */
export async function writeIndex(
  outputDir: string,
  plan: StoryboardPlan,
  durationMs: number,
): Promise<EncodedStoryboard | null> {
  const dir = join(outputDir, STORYBOARD_DIR);
  const names = await readdir(dir);
  const tiles = Math.min(plan.tiles, Math.ceil(durationMs / 1_000 / plan.intervalSeconds));
  const sheets = names.filter((name) => SHEET.test(name));
  if (tiles < 2 || sheets.length !== sheetCount(plan)) {
    return null;
  }
  await writeFile(join(dir, INDEX_FILE), storyboardVtt(plan, { tiles, durationMs }));
  const preview = names.includes(PREVIEW_FILE) ? PREVIEW_FILE : null;
  const files = [INDEX_FILE, ...sheets, ...(preview === null ? [] : [preview])];
  const sizes = await Promise.all(files.map(async (name) => (await stat(join(dir, name))).size));
  const trickPlay = await writeTrickPlay(dir, STORYBOARD_DIR, plan.trickPlay, durationMs);
  return {
    indexPath: `${STORYBOARD_DIR}/${INDEX_FILE}`,
    previewPath: preview && `${STORYBOARD_DIR}/${preview}`,
    trickPlay,
    paths: [...files.map((name) => `${STORYBOARD_DIR}/${name}`), ...(trickPlay?.paths ?? [])],
    sizeBytes: sizes.reduce((sum, size) => sum + size, trickPlay?.sizeBytes ?? 0),
  };
}

/** One cue per tile: from its time to the next one's, the last to the end of the video. */
export function storyboardVtt(
  plan: StoryboardPlan,
  { tiles, durationMs }: { tiles: number; durationMs: number },
): string {
  const { intervalSeconds, columns, rows, tileWidth, tileHeight } = plan;
  const cues = Array.from({ length: tiles }, (_, index) => {
    const startMs = Math.round(index * intervalSeconds * 1_000);
    const nextMs = Math.round((index + 1) * intervalSeconds * 1_000);
    const endMs = index === tiles - 1 ? Math.max(startMs + 1, durationMs) : nextMs;
    const place = index % (columns * rows);
    const x = (place % columns) * tileWidth;
    const y = Math.floor(place / columns) * tileHeight;
    const sheet = Math.floor(index / (columns * rows)) + 1;
    return `${clock(startMs)} --> ${clock(endMs)}\nsheet_${sheet}.jpg#xywh=${x},${y},${tileWidth},${tileHeight}\n`;
  });
  return `WEBVTT\n\n${cues.join('\n')}`;
}

function clock(timeMs: number): string {
  const part = (value: number, digits: number): string => `${Math.floor(value)}`.padStart(digits, '0');
  const seconds = timeMs / 1_000;
  return `${part(seconds / 3_600, 2)}:${part((seconds / 60) % 60, 2)}:${part(seconds % 60, 2)}.${part(timeMs % 1_000, 3)}`;
}
