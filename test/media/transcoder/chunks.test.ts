import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { createFfmpegTranscoder } from '../../../src/adapters/transcode/ffmpegTranscoder.js';
import type {
  EncodedRendition,
  ChunkSpan,
  RenditionMaking,
  SourceProbe,
  Transcoder,
  VideoRendition,
} from '../../../src/ports/transcoder.js';
import { ffmpeg, ffprobe, makeClip, mediaFolder, type ClipOptions } from '../../support/media.js';
import { joined, tinyLadder } from './hls.js';
import { remux } from '../../support/transcoder/remux.js';
import { FIELDS, VP8, withSmallerEnd } from './smallerEnd.js';
import { usually } from '../../support/effort.js';

let transcoder: Transcoder;

beforeAll(async () => {
  transcoder = await createFfmpegTranscoder({ preset: 'ultrafast' });
});

const CHUNKS: readonly ChunkSpan[] = [
  { firstSegment: 0, endSegment: 1 },
  { firstSegment: 1, endSegment: 3 },
  { firstSegment: 3, endSegment: null },
];
/** Two encodes of one frame are at least this similar; neighboring frames of a moving picture are not. */
const SAME_FRAME_DB = 30;

type Source = [name: string, options: ClipOptions, turn?: (folder: string, clip: string) => Promise<string>];

const x264 = (...more: string[]): string[] => ['-c:v', 'libx264', '-preset', 'ultrafast', ...more];
const SOURCES: Source[] = [
  ['23.976 fps', { frameRate: '24000/1001' }],
  ['25 fps', {}],
  ['29.97 fps', { frameRate: '30000/1001' }],
  ['59.94 fps', { frameRate: '60000/1001', durationSeconds: 22 }],
  ['60 fps', { frameRate: '60' }],
  ['120 fps, which is halved', { frameRate: '120' }],
  ['a variable frame rate', { frameRate: '30', variableFrameRate: true }],
  ['a picture that starts two seconds late', { videoDelaySeconds: 2 }],
  ['a picture rotated by 90°', { rotation: 90 }],
  ['interlaced fields', { height: 96, videoCodec: x264('-flags', '+ildct+ilme', '-x264-params', 'tff=1') }],
  ['fields of MPEG-2 in a transport stream', { height: 96, name: 'clip.ts', videoCodec: FIELDS }],
  ['a keyframe every ten seconds', { videoCodec: x264('-g', '250', '-keyint_min', '250', '-sc_threshold', '0') }],
  ['an end soon after a segment boundary', { durationSeconds: 16.3 }],
  ['one keyframe', { videoCodec: x264('-g', '9999', '-sc_threshold', '0') }],
  ['open GOPs', { videoCodec: x264('-x264-params', 'open-gop=1:keyint=30:bframes=3:b-adapt=0') }],
  [
    'open GOPs of HEVC in Matroska',
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
  ['Matroska', { name: 'clip.mkv' }],
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
    'timestamps that start late',
    {},
    async (folder, clip) => {
      const late = join(folder, 'late.ts');
      await ffmpeg('-i', clip, '-c', 'copy', '-output_ts_offset', '5000.5', late);
      return late;
    },
  ],
];

/** Each in its own container, with its hardest property. */
const USUAL = [
  '29.97 fps',
  '59.94 fps',
  'a variable frame rate',
  'a picture that starts two seconds late',
  'fields of MPEG-2 in a transport stream',
  'an end soon after a segment boundary',
  'one keyframe',
  'open GOPs of HEVC in Matroska',
  'HDR',
  'a size that changes in the middle',
  'timestamps that start late',
];

describe('a video made in chunks equals the video made in one go', () => {
  test.each(usually(SOURCES, ([name]) => name, USUAL))('with %s', async (_, options, turn) => {
    await using folder = await mediaFolder();
    const clip = await makeClip(folder.path, { durationSeconds: 15, width: 160, height: 90, ...options });
    const sourcePath = turn ? await turn(folder.path, clip) : clip;
    const probe = await transcoder.probe(sourcePath);
    const renditions = tinyLadder(probe).filter((rendition) => rendition.quality !== 'audio');
    const wholeDir = join(folder.path, 'whole');
    const whole = await transcoder.encode({ sourcePath, probe, renditions, outputDir: wholeDir, pictures: false });

    const partsDir = join(folder.path, 'chunks');
    const fromParts = await inParts({ sourcePath, probe, renditions, outputDir: partsDir });

    await expectSameVideo({ dir: wholeDir, renditions: whole.renditions }, { dir: partsDir, renditions: fromParts });
  });
});

/** Keyframes at irregular times. */
const FITTING: [string, ClipOptions][] = [
  ['25 fps', {}],
  ['23.976 fps in Matroska', { name: 'clip.mkv', frameRate: '24000/1001' }],
  ['29.97 fps in a transport stream', { name: 'clip.ts', frameRate: '30000/1001' }],
];

test.each(FITTING)('cuts chunks at the segment boundaries of a passthrough picture: %s', async (_, options) => {
  await using folder = await mediaFolder();
  const videoCodec = x264('-bf', '2', '-g', '500', '-sc_threshold', '0', '-force_key_frames', '3.1,6.7,9.3,12.8');
  const sourcePath = await makeClip(folder.path, {
    durationSeconds: 15,
    width: 160,
    height: 90,
    videoCodec,
    ...options,
  });
  const { probe, plan, boundaries, outputDir, encoded } = await remux(transcoder, folder.path, sourcePath);
  const renditions = plan.renditions.flatMap((rendition) =>
    rendition.quality === 'audio' || rendition.passthrough ? [] : [rendition],
  );
  expect(boundaries).toHaveLength(5);

  const partsDir = join(folder.path, 'chunks');
  const fromParts = await inParts({ sourcePath, probe, renditions, boundaries, outputDir: partsDir });

  await expectSameVideo({ dir: outputDir, renditions: encoded.renditions }, { dir: partsDir, renditions: fromParts });
});

interface OnDisk {
  dir: string;
  renditions: readonly EncodedRendition[];
}

async function expectSameVideo({ dir: wholeDir, renditions: whole }: OnDisk, chunks: OnDisk): Promise<void> {
  expect(chunks.renditions).toHaveLength(whole.length);
  for (const [index, rendition] of whole.entries()) {
    const { making, ...facts } = rendition;
    const bytes = await Promise.all(rendition.segmentPaths.map((path) => readFile(join(chunks.dir, path))));
    expect(chunks.renditions[index]).toMatchObject({
      ...facts,
      sizeBytes: expect.any(Number),
      peakBandwidthBps: expect.any(Number),
      averageBandwidthBps: expect.any(Number),
    });
    expectSameMaking(chunks.renditions[index]!.making!, making!);
    expect(await readFile(join(chunks.dir, rendition.playlistPath), 'utf8')).toBe(
      await readFile(join(wholeDir, rendition.playlistPath), 'utf8'),
    );
    expect(await readFile(join(chunks.dir, rendition.initPath))).toEqual(
      await readFile(join(wholeDir, rendition.initPath)),
    );
    expect(bytes.map(placeOf)).toEqual(
      await Promise.all(rendition.segmentPaths.map(async (path) => placeOf(await readFile(join(wholeDir, path))))),
    );
    const [one, other] = [await video(wholeDir, rendition), await video(chunks.dir, rendition)];
    expect(await frameTimes(other)).toEqual(await frameTimes(one));
    expect(Math.min(...(await similarity(one, other, chunks.dir)))).toBeGreaterThan(SAME_FRAME_DB);
  }
}

/** The same frames were compared with the source, and both encodes are about equally good. */
function expectSameMaking({ similarity, ...names }: RenditionMaking, whole: RenditionMaking): void {
  expect({ ...names, frames: similarity?.frames }).toEqual({
    profile: whole.profile,
    ffmpegVersion: whole.ffmpegVersion,
    frames: whole.similarity!.frames,
  });
  expect(Math.abs(similarity!.ssim - whole.similarity!.ssim)).toBeLessThan(0.01);
}

interface Made {
  sourcePath: string;
  probe: SourceProbe;
  renditions: VideoRendition[];
  boundaries?: readonly number[];
  outputDir: string;
}

/** Makes later chunks first: no chunk depends on another. */
async function inParts({ outputDir, ...source }: Made): Promise<EncodedRendition[]> {
  expect(await transcoder.canCut(source)).toBe(true);
  const chunks = [];
  for (const chunk of CHUNKS.toReversed()) {
    chunks.unshift(await transcoder.encodeChunk({ ...source, chunk, outputDir }));
  }
  const segmentName = (segment: number): string => `seg_${String(segment).padStart(5, '0')}.m4s`;
  const { renditions, boundaries } = source;
  return transcoder.joinChunks({ renditions, ...(boundaries && { boundaries }), chunks, segmentName, outputDir });
}

/** The position that a segment states: fragment number, decode time, earliest presentation time. */
function placeOf(segment: Buffer): unknown {
  const at = (type: string): number => segment.indexOf(type, 0, 'latin1') + 4;
  return {
    number: segment.readUInt32BE(at('mfhd') + 4),
    decodeTime: segment.readBigUInt64BE(at('tfdt') + 4),
    presentationTime: segment.readBigUInt64BE(at('sidx') + 12),
  };
}

async function video(dir: string, rendition: EncodedRendition): Promise<string> {
  return joined(dir, [rendition.initPath, ...rendition.segmentPaths]);
}

/** The times of all decoded frames. */
async function frameTimes(path: string): Promise<string[]> {
  const output = await ffprobe('-of', 'compact=p=0', '-show_entries', 'frame=pts,key_frame', path);
  return [...output.matchAll(/key_frame=\d\|pts=\d+/g)].map(([frame]) => frame);
}

/** The similarity of each frame of two videos, in decibels. */
async function similarity(one: string, other: string, folder: string): Promise<number[]> {
  const log = join(folder, 'psnr.log');
  await ffmpeg('-i', one, '-i', other, '-lavfi', `psnr=stats_file=${log}`, '-f', 'null', '-');
  return [...(await readFile(log, 'utf8')).matchAll(/psnr_y:(\S+)/g)].map(([, value]) =>
    value === 'inf' ? 99 : Number(value),
  );
}
