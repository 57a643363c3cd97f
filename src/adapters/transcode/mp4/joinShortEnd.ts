import { appendFile, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LEAST_LAST_SECONDS } from '../../../ports/timeline.js';
import { PLAYLIST_FILE } from '../../../ports/transcoder.js';
import { boxesOf } from './boxes.js';

/** A segment's length and name, as the last in a playlist. */
const LAST_TWO =
  /#EXT-X-TARGETDURATION:(?<target>\d+)(?<head>[^]*)#EXTINF:(?<one>[\d.]+),\n(?<before>[^#\n]+)\n#EXTINF:(?<other>[\d.]+),\n(?<last>[^#\n]+)\n#EXT-X-ENDLIST/;

/**
 * Joins a last segment that is too short to the one before. A passthrough has to begin a segment at each keyframe that is
 * far enough from the last, because its muxer does not know when the video ends.
 */
export async function joinShortEnd(folder: string): Promise<void> {
  const path = join(folder, PLAYLIST_FILE);
  const playlist = await readFile(path, 'utf8');
  const { target, head, one, before, other, last } = LAST_TWO.exec(playlist)?.groups ?? {};
  if (before === undefined || last === undefined || Number(other) >= LEAST_LAST_SECONDS) return;
  const seconds = Number(one) + Number(other);
  await appendFile(join(folder, before), await fragmentsOf(join(folder, last)));
  await writeFile(
    path,
    playlist.replace(
      LAST_TWO,
      `#EXT-X-TARGETDURATION:${Math.max(Number(target), Math.round(seconds))}${head}` +
        `#EXTINF:${seconds.toFixed(6)},\n${before}\n#EXT-X-ENDLIST`,
    ),
  );
  await rm(join(folder, last));
}

/** A segment without its type and index. @throws unless it has a fragment */
async function fragmentsOf(path: string): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    for await (const { type, offset } of boxesOf(file)) {
      if (type === 'moof') return (await readFile(path)).subarray(offset);
    }
    throw new Error('The segment holds no moof box.');
  } finally {
    await file.close();
  }
}
