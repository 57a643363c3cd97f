import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
  PLAYLIST_FILE,
  ChunkUnfitError,
  type EncodedChunkRendition,
  type EncodedRendition,
  type JoinRequest,
  type RenditionMaking,
  type VideoRendition,
} from '../../../ports/transcoder.js';
import { MAX_SEGMENT_SECONDS } from '../../../ports/packets.js';
import { INIT_FILE } from '../encode/outputFormat.js';
import { listKeyFrames } from '../probe/keyFrames.js';
import { joinedMaking } from '../encode/making.js';
import { renditionFacts } from '../encode/measureRendition.js';

/** Writes playlists and init segments for a video whose media segments were made elsewhere. @throws ChunkUnfitError */
export async function joinChunks(request: JoinRequest): Promise<EncodedRendition[]> {
  const { renditions, chunks, segmentName, boundaries, outputDir } = request;
  const joined: EncodedRendition[] = [];
  for (const rendition of renditions) {
    const { init, segments, makings } = segmentsOf(rendition, chunks);
    if (boundaries && segments.length !== boundaries.length) {
      throw new ChunkUnfitError(`${rendition.quality} has ${segments.length} segments, not ${boundaries.length}`);
    }
    const playlist = playlistOf(segments, segmentName, boundaries ? MAX_SEGMENT_SECONDS : 1);
    const folder = join(outputDir, rendition.quality);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, INIT_FILE), init);
    await writeFile(join(folder, PLAYLIST_FILE), playlist);
    const sizes = segments.map(({ sizeBytes }) => sizeBytes);
    const facts = await withKeysOf(segments, outputDir, renditionFacts(rendition, { playlist, init, sizes }));
    joined.push({ ...facts, ...(makings.length > 0 && { making: joinedMaking(makings) }) });
  }
  return joined;
}

/** Older chunks and encrypted ones do not tell where their keyframes are. */
async function withKeysOf(
  segments: EncodedChunkRendition['segments'],
  outputDir: string,
  rendition: EncodedRendition,
): Promise<EncodedRendition> {
  const keyed = segments.flatMap(({ seconds, keyFrame }, index) =>
    keyFrame ? [{ name: basename(rendition.segmentPaths[index]!), seconds, keyFrame }] : [],
  );
  return keyed.length === segments.length ? listKeyFrames(outputDir, rendition, keyed) : rendition;
}

function segmentsOf(
  { quality }: VideoRendition,
  chunks: JoinRequest['chunks'],
): { init: Buffer; segments: EncodedChunkRendition['segments']; makings: RenditionMaking[] } {
  const mine = chunks.map((chunk) => chunk.find((rendition) => rendition.quality === quality));
  const init = mine[0]?.init;
  for (const chunk of mine) {
    // One decoder plays all chunks and is configured only once.
    if (chunk === undefined || chunk.init !== init) {
      throw new ChunkUnfitError(`the chunks of ${quality} have different init segments`);
    }
  }
  const segments = mine.flatMap((chunk) => chunk?.segments ?? []);
  const makings = mine.flatMap((chunk) => chunk?.making ?? []);
  return { init: Buffer.from(init ?? '', 'base64'), segments, makings };
}

/** In ffmpeg's format. */
function playlistOf(
  segments: EncodedChunkRendition['segments'],
  segmentName: JoinRequest['segmentName'],
  leastTargetSeconds: number,
): string {
  const longest = segments.reduce((most, { seconds }) => Math.max(most, seconds), 0);
  return [
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    `#EXT-X-TARGETDURATION:${Math.max(leastTargetSeconds, Math.round(longest))}`,
    '#EXT-X-MEDIA-SEQUENCE:0',
    '#EXT-X-PLAYLIST-TYPE:VOD',
    '#EXT-X-INDEPENDENT-SEGMENTS',
    `#EXT-X-MAP:URI="${INIT_FILE}"`,
    ...segments.flatMap(({ seconds }, index) => [`#EXTINF:${seconds.toFixed(6)},`, segmentName(index)]),
    '#EXT-X-ENDLIST',
    '',
  ].join('\n');
}
