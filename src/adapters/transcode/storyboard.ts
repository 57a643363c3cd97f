import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EncodedStoryboard, SourceProbe } from '../../ports/transcoder.js';

/** A folder of its own below the output. */
export const STORYBOARD_DIR = 'storyboard';
/** Small pictures one after the other, as the encode leaves them; sheets are laid out from them afterwards. */
export const FRAMES_FILE = 'frames.mjpeg';
const INDEX_FILE = 'index.vtt';
const PREVIEW_FILE = 'preview.webp';
const SHEET = /^sheet_([1-9]\d?)\.jpg$/;

/** What is shorter is seen at a glance. */
const MIN_DURATION_MS = 5_000;
const MIN_INTERVAL_SECONDS = 2;
const MAX_TILES = 144;
const SHEET_COLUMNS = 6;
const SHEET_ROWS = 6;
const TILE_LONG_SIDE = 160;
/** The preview is shown larger than a tile, so the pictures are kept at its size until then. */
const FRAME_LONG_SIDE = 320;
const PREVIEW_FRAMES = 10;
const PREVIEW_FRAMES_PER_SECOND = 2;

export interface StoryboardPlan {
  /** At most: a picture that ends before the sound has fewer. */
  tiles: number;
  intervalSeconds: number;
  columns: number;
  rows: number;
  /** Pixels, even. */
  tileWidth: number;
  tileHeight: number;
  frameWidth: number;
  frameHeight: number;
}

/** How a film's storyboard is laid out; null for sound alone and for what is over in a moment. */
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
    frameWidth: side(video.displayWidth, FRAME_LONG_SIDE),
    frameHeight: side(video.displayHeight, FRAME_LONG_SIDE),
  };
}

/**
 * Filters of the encode that keep one small picture per interval. They are not tiled there: ffmpeg reports no progress
 * until every output has begun, and the first full sheet of a long film comes late.
 * @param toSdr what is done to the chosen frames alone
 */
export function frameFilters(
  { intervalSeconds, frameWidth, frameHeight }: StoryboardPlan,
  toSdr: readonly string[],
): string {
  return [
    `select='gte(t,selected_n*${intervalSeconds})'`,
    ...toSdr,
    `scale=${frameWidth}:${frameHeight}:out_range=pc:out_color_matrix=bt601,setsar=1,format=yuvj420p`,
  ].join(',');
}

/** The arguments of the short ffmpeg that lays the kept pictures out in sheets, and makes a few of them move. */
export function sheetArguments(plan: StoryboardPlan, paths: { inputPath: string; outputDir: string }): string[] {
  const { tiles, columns, rows, tileWidth, tileHeight } = plan;
  const each = Math.max(1, Math.floor(tiles / PREVIEW_FRAMES));
  return [
    ['-hide_banner', '-nostdin', '-y', '-loglevel', 'error'],
    ['-protocol_whitelist', 'file,pipe', '-format_whitelist', 'mjpeg', '-f', 'mjpeg', '-i', `file:${paths.inputPath}`],
    [
      '-filter_complex',
      [
        '[0:v]split[all][some]',
        `[all]scale=${tileWidth}:${tileHeight},tile=${columns}x${rows}[sheets]`,
        `[some]select='not(mod(n,${each}))',setpts=N/${PREVIEW_FRAMES_PER_SECOND}/TB[preview]`,
      ].join(';'),
    ],
    ['-map', '[sheets]', '-fps_mode', 'passthrough', '-c:v', 'mjpeg', '-q:v', '4'],
    ['-f', 'image2', `${paths.outputDir}/sheet_%d.jpg`],
    ['-map', '[preview]', '-fps_mode', 'passthrough', '-frames:v', `${PREVIEW_FRAMES}`],
    [
      '-c:v',
      'libwebp_anim',
      '-quality',
      '50',
      '-compression_level',
      '2',
      '-loop',
      '0',
      '-f',
      'webp',
      `${paths.outputDir}/${PREVIEW_FILE}`,
    ],
  ].flat();
}

/** How many pictures a file of JPEGs holds: inside of one the two bytes of a beginning never follow each other. */
export async function countFrames(path: string): Promise<number> {
  const bytes = await readFile(path);
  let count = 0;
  for (let at = bytes.indexOf('ffd8ff', 0, 'hex'); at !== -1; at = bytes.indexOf('ffd8ff', at + 3, 'hex')) {
    count += 1;
  }
  return count;
}

/**
 * Writes the index over the sheets that are there, and says what the storyboard consists of.
 * @param tiles how many pictures there really are
 * @returns null where there is nothing to choose from.
 */
export async function writeIndex(
  outputDir: string,
  plan: StoryboardPlan,
  { tiles, durationMs }: { tiles: number; durationMs: number },
): Promise<EncodedStoryboard | null> {
  const dir = join(outputDir, STORYBOARD_DIR);
  await rm(join(dir, FRAMES_FILE), { force: true });
  const names = await readdir(dir);
  const perSheet = plan.columns * plan.rows;
  const sheets = names.filter((name) => SHEET.test(name));
  if (tiles < 2 || sheets.length < Math.ceil(tiles / perSheet)) {
    return null;
  }
  await writeFile(join(dir, INDEX_FILE), storyboardVtt(plan, { tiles, durationMs }));
  const preview = names.includes(PREVIEW_FILE) ? PREVIEW_FILE : null;
  const files = [INDEX_FILE, ...sheets, ...(preview === null ? [] : [preview])];
  const sizes = await Promise.all(files.map(async (name) => (await stat(join(dir, name))).size));
  return {
    indexPath: `${STORYBOARD_DIR}/${INDEX_FILE}`,
    previewPath: preview && `${STORYBOARD_DIR}/${preview}`,
    paths: files.map((name) => `${STORYBOARD_DIR}/${name}`),
    sizeBytes: sizes.reduce((sum, size) => sum + size, 0),
  };
}

/** One cue per tile: from its moment to the next one's, the last to the end of the film. */
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
