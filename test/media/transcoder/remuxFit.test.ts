import { stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { createFfmpegTranscoder } from '../../../src/adapters/transcode/ffmpegTranscoder.js';
import { PictureTally } from '../../../src/adapters/transcode/probe/packetTally.js';
import {
  isCuttableAsKept,
  planPassthrough,
  type PassthroughPlan,
} from '../../../src/domain/media/pipeline/passthrough.js';
import type { PacketScan } from '../../../src/ports/packets.js';
import type { Transcoder } from '../../../src/ports/transcoder.js';
import type { ClipOptions } from '../../support/media.js';
import { ffmpeg, makeClip, mediaFolder } from '../../support/media.js';
import { decide, remux, smallLadder } from '../../support/transcoder/remux.js';

let transcoder: Transcoder;

beforeAll(async () => {
  transcoder = await createFfmpegTranscoder({ preset: 'ultrafast' });
});

/** A keyframe every two seconds, so that only what a test adds prevents passthrough. */
function h264(...settings: string[]): string[] {
  return ['-c:v', 'libx264', '-preset', 'veryfast', '-g', '50', '-sc_threshold', '0', ...settings];
}

async function apart(
  folder: string,
  { pictureSeconds, soundSeconds }: { pictureSeconds: number; soundSeconds: number },
): Promise<string> {
  const path = join(folder, 'clip.mp4');
  const picture = `testsrc2=size=320x180:rate=25:duration=${pictureSeconds},format=yuv420p`;
  const sound = `sine=sample_rate=48000:duration=${soundSeconds}`;
  await ffmpeg('-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', sound, ...h264(), '-c:a', 'aac', '-ac', '2', path);
  return path;
}

const UNFIT: [string, ClipOptions, RegExp][] = [
  ['keyframes 8 s apart', { durationSeconds: 17, videoCodec: [...h264(), '-g', '200'] }, /too far apart/],
  [
    'an open GOP',
    { durationSeconds: 5, videoCodec: h264('-x264-params', 'open-gop=1:bframes=3') },
    /before a keyframe/,
  ],
  ['10 bits per sample', { videoCodec: h264('-vf', 'format=yuv420p10le') }, /by the report/],
  ['HDR in 8 bits', { videoCodec: h264('-color_trc', 'smpte2084') }, /by the report/],
  ['4:4:4 color', { videoCodec: h264('-vf', 'format=yuv444p') }, /by the report/],
  ['a rotated picture', { rotation: 90, videoCodec: h264() }, /by the report/],
  ['non-square pixels', { sampleAspect: '64/45', videoCodec: h264() }, /by the report/],
  ['interlaced fields', { videoCodec: h264('-x264-params', 'tff=1') }, /by the report/],
  [
    'a variable frame rate',
    { durationSeconds: 4, variableFrameRate: true, videoCodec: h264() },
    /by the report|unsteadily/,
  ],
  [
    'a higher bitrate than its rendition may have',
    { videoCodec: h264('-qp', '0', '-profile:v', 'high444') },
    /profile|bit\/s/,
  ],
  [
    'a peak bitrate above the limit',
    {
      durationSeconds: 6,
      videoCodec: h264(
        '-b:v',
        '3M',
        '-minrate',
        '3M',
        '-maxrate',
        '3M',
        '-bufsize',
        '1M',
        '-x264-params',
        'nal-hrd=cbr',
      ),
    },
    /report|bit\/s/,
  ],
  ['a level above that of its rendition', { videoCodec: h264('-level', '5.1') }, /level 51/],
  [
    'a picture that starts late',
    { videoDelaySeconds: 1, videoCodec: h264('-fps_mode', 'passthrough') },
    /by the report/,
  ],
  ['120 frames per second', { frameRate: '120', videoCodec: h264() }, /by the report/],
  ['an HEVC picture', { videoCodec: ['-c:v', 'libx265', '-preset', 'ultrafast'] }, /by the report/],
  ['an AVI container', { name: 'clip.avi', videoCodec: h264('-bf', '0') }, /by the report/],
];

describe('a source is encoded', () => {
  test.each(UNFIT)('if it has %s', async (_, options, reason) => {
    await using folder = await mediaFolder();
    expect(await decide(transcoder, await makeClip(folder.path, options))).toMatch(reason);
  });

  test('if its edit list cuts frames off', async () => {
    await using folder = await mediaFolder();
    const whole = await makeClip(folder.path, { durationSeconds: 6, videoCodec: h264() });
    const cut = join(folder.path, 'cut.mp4');
    await ffmpeg('-ss', '1.3', '-i', whole, '-c', 'copy', cut);
    expect(await decide(transcoder, cut)).toBe('frames come unsteadily');
  });

  test('if its sound continues after its picture', async () => {
    await using folder = await mediaFolder();
    expect(await decide(transcoder, await apart(folder.path, { pictureSeconds: 2, soundSeconds: 4 }))).toBe(
      'by the report',
    );
  });

  test('only in its sound, if that ends before the picture', async () => {
    await using folder = await mediaFolder();
    const plan = await decide(transcoder, await apart(folder.path, { pictureSeconds: 4, soundSeconds: 3.5 }));
    expect(plan).toMatchObject({ renditions: [{ passthrough: true }, { quality: '480p' }, { quality: 'audio' }] });
    expect((plan as PassthroughPlan).renditions.at(-1)).not.toHaveProperty('passthrough');
  });

  test('if it ends early', async () => {
    await using folder = await mediaFolder();
    const source = await makeClip(folder.path, {
      durationSeconds: 10,
      videoCodec: h264('-movflags', '+faststart'),
    });
    await truncate(source, Math.floor((await stat(source)).size / 2));
    expect(await decide(transcoder, source)).toMatch(/ends early|complaint|unsteadily/);
  });

  test('if its parameters change midway, though no packet says so', async () => {
    await using folder = await mediaFolder();
    const parts = await Promise.all(
      [0, 1].map((index) =>
        makeClip(folder.path, {
          name: `${index}.ts`,
          audio: null,
          durationSeconds: 4,
          videoCodec: h264('-bf', '0', '-refs', `${index + 1}`, '-x264-params', `cabac=${index}`),
        }),
      ),
    );
    const source = join(folder.path, 'both.ts');
    await ffmpeg('-i', `concat:${parts.join('|')}`, '-c', 'copy', source);
    expect(typeof (await decide(transcoder, source))).toBe('object');
    await expect(remux(transcoder, folder.path, source)).rejects.toMatchObject({
      technicalTail: 'the parameters of the picture change on the way',
    });
  });
});

test.each(['clip.mp4', 'clip.mkv'])(
  'what is passed through can be cut into chunks, without reading it again: %s',
  async (name) => {
    await using folder = await mediaFolder();
    const reordered = ['-bf', '3', '-x264-params', 'b-pyramid=normal'];
    const sourcePath = await makeClip(folder.path, { name, durationSeconds: 9, videoCodec: h264(...reordered) });
    const plan = await decide(transcoder, sourcePath);
    const probe = await transcoder.probe(sourcePath);
    expect(typeof plan).toBe('object');
    expect(isCuttableAsKept(plan as PassthroughPlan, probe)).toBe(true);
    expect(await transcoder.canCut({ sourcePath, probe })).toBe(true);
  },
);

describe('a plan', () => {
  const picture = { profile: 'High', level: 30, isSteady: true, isClosed: true, reorderFrames: 2 };
  const rates = { averageBitrateBps: 1_000_000, peakBitrateBps: 1_500_000 };

  /** For a video at 25 frames per second. */
  async function planOf(keyframes: number[], frames: number) {
    await using folder = await mediaFolder();
    const probe = { ...(await transcoder.probe(await makeClip(folder.path, { durationSeconds: 0.2 }))) };
    probe.durationMs = frames * 40;
    const renditions = smallLadder(probe);
    const candidate = renditions[0]!;
    if (candidate.quality === 'audio') throw new Error('a picture was wanted');
    const scan: PacketScan = { picture: { ...picture, ...rates, frames, keyframes }, sound: null };
    return planPassthrough(renditions, candidate, scan, probe);
  }

  test('uses later keyframes if segments stay short enough, and earlier ones otherwise', async () => {
    const every = (frames: number, count: number) => Array.from({ length: count }, (_, index) => index * frames);
    expect(await planOf(every(50, 100), 5_000)).toMatchObject({
      packets: { segmentSeconds: 4, meanSegmentSeconds: 4 },
    });
    // 3.5 s: with every second keyframe, segments would take 7 s.
    expect(await planOf(every(88, 100), 8_800)).toMatchObject({ packets: { segmentSeconds: 3 } });
    expect(await planOf(every(150, 100), 15_000)).toMatchObject({
      packets: { segmentSeconds: 4, meanSegmentSeconds: 6 },
    });
    expect(await planOf(every(151, 100), 15_100)).toMatch(/too far apart/);
  });

  test('has boundaries for twelve hours that fit in one argument, and none for a day of short segments', async () => {
    const every = (frames: number, total: number) =>
      Array.from({ length: Math.ceil(total / frames) }, (_, index) => index * frames);
    const half = 25 * 3_600 * 12;
    const plan = await planOf(every(50, half), half);
    expect(plan).toMatchObject({ packets: { segmentSeconds: 4 } });
    expect(await planOf(every(50, half * 2), half * 2)).toMatch(/too many/);
  });
});

describe('counting packets', () => {
  test('takes bounded memory for any input', () => {
    const tally = new PictureTally({ numerator: 60, denominator: 1 });
    for (let frame = 0; frame < 150_000; frame += 1) {
      tally.add({ ptsSeconds: frame / 60, sizeBytes: 100, isKeyframe: true, isLost: false });
    }
    expect(tally.facts()).toMatchObject({
      frames: 150_000,
      isSteady: true,
      keyframes: null,
      averageBitrateBps: 48_000,
    });
  });

  test('measures a burst over 1.5 seconds', () => {
    const tally = new PictureTally({ numerator: 10, denominator: 1 });
    for (let frame = 0; frame < 100; frame += 1) {
      const sizeBytes = frame >= 50 && frame < 65 ? 10_000 : 100;
      tally.add({ ptsSeconds: frame / 10, sizeBytes, isKeyframe: frame % 20 === 0, isLost: false });
    }
    expect(tally.facts().peakBitrateBps).toBe(800_000);
  });
});
