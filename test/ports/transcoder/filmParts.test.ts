import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { createFfmpegTranscoder } from '../../../src/adapters/transcode/ffmpegTranscoder.js';
import type {
  EncodedRung,
  FilmPart,
  RungMaking,
  SourceProbe,
  Transcoder,
  VideoRung,
} from '../../../src/ports/transcoder.js';
import { ffmpeg, ffprobe, makeClip, mediaFolder, type ClipOptions } from '../../setup/media.js';
import { joined, tinyLadder } from './hls.js';
import { remux } from './remux.js';
import { FIELDS, VP8, withSmallerEnd } from './smallerEnd.js';
import { usually } from '../../setup/effort.js';

let transcoder: Transcoder;

beforeAll(async () => {
  transcoder = await createFfmpegTranscoder({ preset: 'ultrafast' });
});

const PARTS: readonly FilmPart[] = [
  { firstSegment: 0, endSegment: 1 },
  { firstSegment: 1, endSegment: 3 },
  { firstSegment: 3, endSegment: null },
];
/** Two encodes of one frame are this much alike; frames of a moving picture that are one apart are not. */
const SAME_FRAME_DB = 30;

type Source = [name: string, options: ClipOptions, turn?: (folder: string, clip: string) => Promise<string>];

const x264 = (...more: string[]): string[] => ['-c:v', 'libx264', '-preset', 'ultrafast', ...more];
const SOURCES: Source[] = [
  ['23.976 fps', { frameRate: '24000/1001' }],
  ['25 fps', {}],
  ['29.97 fps', { frameRate: '30000/1001' }],
  ['60 fps', { frameRate: '60' }],
  ['120 fps, halved', { frameRate: '120' }],
  ['a variable rate', { frameRate: '30', variableFrameRate: true }],
  ['a picture that starts two seconds late', { videoDelaySeconds: 2 }],
  ['a picture turned by a quarter', { rotation: 90 }],
  ['fields', { height: 96, videoCodec: x264('-flags', '+ildct+ilme', '-x264-params', 'tff=1') }],
  ['fields of MPEG-2 in a transport stream', { height: 96, name: 'clip.ts', videoCodec: FIELDS }],
  ['a keyframe every ten seconds', { videoCodec: x264('-g', '250', '-keyint_min', '250', '-sc_threshold', '0') }],
  ['one keyframe', { videoCodec: x264('-g', '9999', '-sc_threshold', '0') }],
  ['open groups', { videoCodec: x264('-x264-params', 'open-gop=1:keyint=30:bframes=3:b-adapt=0') }],
  [
    'open groups of HEVC in matroska',
    {
      name: 'clip.mkv',
      videoCodec: [
        '-c:v',
        'libx265',
        '-preset',
        'ultrafast',
        '-x265-params',
        'open-gop=1:keyint=40:bframes=4:log-level=error',
      ],
    },
  ],
  ['matroska', { name: 'clip.mkv' }],
  ['a transport stream', { name: 'clip.ts', videoCodec: x264('-bf', '3', '-g', '40') }],
  [
    'a transport stream with a keyframe every six seconds',
    { name: 'clip.ts', videoCodec: x264('-g', '150', '-sc_threshold', '0') },
  ],
  ['intra refresh', { videoCodec: x264('-x264-params', 'intra-refresh=1:keyint=50') }],
  [
    'HDR',
    {
      videoCodec: x264(
        '-pix_fmt',
        'yuv420p10le',
        '-color_trc',
        'smpte2084',
        '-color_primaries',
        'bt2020',
        '-colorspace',
        'bt2020nc',
      ),
    },
  ],
  ['a size that changes in the middle', { name: 'clip.mkv', videoCodec: VP8 }, withSmallerEnd],
  [
    'a clock that starts late',
    {},
    async (folder, clip) => {
      const late = join(folder, 'late.ts');
      await ffmpeg('-i', clip, '-c', 'copy', '-output_ts_offset', '5000.5', late);
      return late;
    },
  ],
];

/** Each in a container of its own, with what is hardest about it. */
const USUAL = [
  '29.97 fps',
  'a variable rate',
  'a picture that starts two seconds late',
  'fields of MPEG-2 in a transport stream',
  'one keyframe',
  'open groups of HEVC in matroska',
  'HDR',
  'a size that changes in the middle',
  'a clock that starts late',
];

describe('a film made in parts is the film made in one go', () => {
  test.each(usually(SOURCES, ([name]) => name, USUAL))(
    '%s',
    async (_, options, turn) => {
      await using folder = await mediaFolder();
      const clip = await makeClip(folder.path, { durationSeconds: 15, width: 160, height: 90, ...options });
      const sourcePath = turn ? await turn(folder.path, clip) : clip;
      const probe = await transcoder.probe(sourcePath);
      const rungs = tinyLadder(probe).filter((rung) => rung.quality !== 'audio');
      const wholeDir = join(folder.path, 'whole');
      const whole = await transcoder.encode({ sourcePath, probe, rungs, outputDir: wholeDir, pictures: false });

      const partsDir = join(folder.path, 'parts');
      const fromParts = await inParts({ sourcePath, probe, rungs, outputDir: partsDir });

      await expectSameFilm({ dir: wholeDir, rungs: whole.rungs }, { dir: partsDir, rungs: fromParts });
    },
    60_000,
  );
});

/** Keyframes that no clock has. */
const FITTING: [string, ClipOptions][] = [
  ['25 fps', {}],
  ['23.976 fps in matroska', { name: 'clip.mkv', frameRate: '24000/1001' }],
  ['29.97 fps in a transport stream', { name: 'clip.ts', frameRate: '30000/1001' }],
];

test.each(FITTING)(
  'beside a copied picture, parts are cut where that is: %s',
  async (_, options) => {
    await using folder = await mediaFolder();
    const videoCodec = x264('-bf', '2', '-g', '500', '-sc_threshold', '0', '-force_key_frames', '3.1,6.7,9.3,12.8');
    const sourcePath = await makeClip(folder.path, {
      durationSeconds: 15,
      width: 160,
      height: 90,
      videoCodec,
      ...options,
    });
    const { probe, plan, borders, outputDir, encoded } = await remux(transcoder, folder.path, sourcePath);
    const rungs = plan.rungs.flatMap((rung) => (rung.quality === 'audio' || rung.copy ? [] : [rung]));
    expect(borders).toHaveLength(5);

    const partsDir = join(folder.path, 'parts');
    const fromParts = await inParts({ sourcePath, probe, rungs, borders, outputDir: partsDir });

    await expectSameFilm({ dir: outputDir, rungs: encoded.rungs }, { dir: partsDir, rungs: fromParts });
  },
  60_000,
);

interface OnDisk {
  dir: string;
  rungs: readonly EncodedRung[];
}

async function expectSameFilm({ dir: wholeDir, rungs: whole }: OnDisk, parts: OnDisk): Promise<void> {
  expect(parts.rungs).toHaveLength(whole.length);
  for (const [index, rung] of whole.entries()) {
    const { making, ...facts } = rung;
    const bytes = await Promise.all(rung.segmentPaths.map((path) => readFile(join(parts.dir, path))));
    expect(parts.rungs[index]).toMatchObject({
      ...facts,
      sizeBytes: expect.any(Number),
      peakBandwidthBps: expect.any(Number),
      averageBandwidthBps: expect.any(Number),
    });
    expectSameMaking(parts.rungs[index]!.making!, making!);
    expect(await readFile(join(parts.dir, rung.playlistPath), 'utf8')).toBe(
      await readFile(join(wholeDir, rung.playlistPath), 'utf8'),
    );
    expect(await readFile(join(parts.dir, rung.initPath))).toEqual(await readFile(join(wholeDir, rung.initPath)));
    expect(bytes.map(placeOf)).toEqual(
      await Promise.all(rung.segmentPaths.map(async (path) => placeOf(await readFile(join(wholeDir, path))))),
    );
    const [one, other] = [await film(wholeDir, rung), await film(parts.dir, rung)];
    expect(await frameTimes(other)).toEqual(await frameTimes(one));
    expect(Math.min(...(await likeness(one, other, parts.dir)))).toBeGreaterThan(SAME_FRAME_DB);
  }
}

/** The same frames were held against the source, and two encodes of them are about as good. */
function expectSameMaking({ likeness, ...names }: RungMaking, whole: RungMaking): void {
  expect({ ...names, frames: likeness?.frames }).toEqual({
    profile: whole.profile,
    ffmpegVersion: whole.ffmpegVersion,
    frames: whole.likeness!.frames,
  });
  expect(Math.abs(likeness!.ssim - whole.likeness!.ssim)).toBeLessThan(0.01);
}

interface Made {
  sourcePath: string;
  probe: SourceProbe;
  rungs: VideoRung[];
  borders?: readonly number[];
  outputDir: string;
}

/** Later parts first: none knows of the others. */
async function inParts({ outputDir, ...source }: Made): Promise<EncodedRung[]> {
  expect(await transcoder.canCut(source)).toBe(true);
  const parts = [];
  for (const part of PARTS.toReversed()) {
    parts.unshift(await transcoder.encodePart({ ...source, part, outputDir }));
  }
  const segmentName = (segment: number): string => `seg_${String(segment).padStart(5, '0')}.m4s`;
  const { rungs, borders } = source;
  return transcoder.joinParts({ rungs, ...(borders && { borders }), parts, segmentName, outputDir });
}

/** What a segment says of its place: fragment number, decode time, earliest presentation time. */
function placeOf(segment: Buffer): unknown {
  const at = (type: string): number => segment.indexOf(type, 0, 'latin1') + 4;
  return {
    number: segment.readUInt32BE(at('mfhd') + 4),
    decodeTime: segment.readBigUInt64BE(at('tfdt') + 4),
    presentationTime: segment.readBigUInt64BE(at('sidx') + 12),
  };
}

async function film(dir: string, rung: EncodedRung): Promise<string> {
  return joined(dir, [rung.initPath, ...rung.segmentPaths]);
}

/** Of every decoded frame. */
async function frameTimes(path: string): Promise<string[]> {
  const output = await ffprobe('-of', 'compact=p=0', '-show_entries', 'frame=pts,key_frame', path);
  return [...output.matchAll(/key_frame=\d\|pts=\d+/g)].map(([frame]) => frame);
}

/** How much each frame of two films is alike, in decibels. */
async function likeness(one: string, other: string, folder: string): Promise<number[]> {
  const log = join(folder, 'psnr.log');
  await ffmpeg('-i', one, '-i', other, '-lavfi', `psnr=stats_file=${log}`, '-f', 'null', '-');
  return [...(await readFile(log, 'utf8')).matchAll(/psnr_y:(\S+)/g)].map(([, value]) =>
    value === 'inf' ? 99 : Number(value),
  );
}
