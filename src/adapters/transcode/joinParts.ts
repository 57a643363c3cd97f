import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
  PLAYLIST_FILE,
  PartUnfitError,
  type EncodedPartRung,
  type EncodedRung,
  type JoinRequest,
  type RungMaking,
  type VideoRung,
} from '../../ports/transcoder.js';
import { MAX_SEGMENT_SECONDS } from '../../ports/packets.js';
import { INIT_FILE } from './encodePlan.js';
import { listKeyFrames } from './keyFrames.js';
import { joinedMaking } from './making.js';
import { rungFacts } from './measureRung.js';

/** Writes playlists and init segments of a film whose media segments were made elsewhere. @throws PartUnfitError */
export async function joinParts(request: JoinRequest): Promise<EncodedRung[]> {
  const { rungs, parts, segmentName, borders, outputDir } = request;
  const joined: EncodedRung[] = [];
  for (const rung of rungs) {
    const { init, segments, makings } = segmentsOf(rung, parts);
    if (borders && segments.length !== borders.length) {
      throw new PartUnfitError(`${rung.quality} has ${segments.length} segments, not ${borders.length}`);
    }
    const playlist = playlistOf(segments, segmentName, borders ? MAX_SEGMENT_SECONDS : 1);
    const folder = join(outputDir, rung.quality);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, INIT_FILE), init);
    await writeFile(join(folder, PLAYLIST_FILE), playlist);
    const sizes = segments.map(({ sizeBytes }) => sizeBytes);
    const facts = await withKeysOf(segments, outputDir, rungFacts(rung, { playlist, init, sizes }));
    joined.push({ ...facts, ...(makings.length > 0 && { making: joinedMaking(makings) }) });
  }
  return joined;
}

/** Chunks of before, and encrypted ones, do not say where their key frames lie. */
async function withKeysOf(
  segments: EncodedPartRung['segments'],
  outputDir: string,
  rung: EncodedRung,
): Promise<EncodedRung> {
  const keyed = segments.flatMap(({ seconds, keyFrame }, index) =>
    keyFrame ? [{ name: basename(rung.segmentPaths[index]!), seconds, keyFrame }] : [],
  );
  return keyed.length === segments.length ? listKeyFrames(outputDir, rung, keyed) : rung;
}

function segmentsOf(
  { quality }: VideoRung,
  parts: JoinRequest['parts'],
): { init: Buffer; segments: EncodedPartRung['segments']; makings: RungMaking[] } {
  const mine = parts.map((part) => part.find((rung) => rung.quality === quality));
  const init = mine[0]?.init;
  for (const part of mine) {
    // One decoder plays them all: it is told of its pictures once.
    if (part === undefined || part.init !== init) {
      throw new PartUnfitError(`the parts of ${quality} have different init segments`);
    }
  }
  const segments = mine.flatMap((part) => part?.segments ?? []);
  const makings = mine.flatMap((part) => part?.making ?? []);
  return { init: Buffer.from(init ?? '', 'base64'), segments, makings };
}

/** As ffmpeg writes it. */
function playlistOf(
  segments: EncodedPartRung['segments'],
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
