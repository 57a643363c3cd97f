import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { createFfmpegTranscoder } from '../../../src/adapters/transcode/ffmpegTranscoder.js';
import { renditionsFor } from '../../../src/domain/media/pipeline/ladder.js';
import type { EncodedLadder, SourceProbe, Transcoder } from '../../../src/ports/transcoder.js';
import { ffmpeg, ffprobe, mediaFolder } from '../../support/media.js';

/* Containers of Flash, discs, tapes, broadcasts and Windows Media, and animated GIF. */

const BARS = ['-f', 'lavfi', '-i', 'testsrc2=size=176x144:rate=25:duration=1'];
const FIELDS = ['-f', 'lavfi', '-i', 'testsrc2=size=720x576:rate=50:duration=1,interlace,setfield=tff'];
const TONE = ['-f', 'lavfi', '-i', 'sine=duration=1:sample_rate=44100'];
const TAPE_TONE = ['-f', 'lavfi', '-i', 'sine=duration=1:sample_rate=48000', '-ac', '2'];
const MPEG2_FIELDS = ['-c:v', 'mpeg2video', '-flags', '+ildct+ilme', '-b:v', '4M', '-maxrate', '6M', '-bufsize', '2M'];
const X264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];

const execute = promisify(execFile);
let media: Awaited<ReturnType<typeof mediaFolder>>;
let transcoder: Transcoder;

beforeAll(async () => {
  media = await mediaFolder();
  transcoder = await createFfmpegTranscoder({ preset: 'ultrafast', searchPath: process.env['PATH'] });
});
afterAll(() => media[Symbol.asyncDispose]());

const at = (name: string): string => join(media.path, name);

test.each<[string, string[], Record<string, unknown>, object | null]>([
  ['old.flv', [...BARS, ...TONE, '-c:v', 'flv', '-c:a', 'adpcm_swf'], { container: 'flv', codec: 'flv1' }, {}],
  ['new.flv', [...BARS, ...TONE, ...X264, '-c:a', 'aac'], { container: 'flv', codec: 'h264' }, {}],
  ['first.mpg', [...BARS, ...TONE, '-c:v', 'mpeg1video'], { container: 'mpegps', codec: 'mpeg1video' }, {}],
  [
    'wide.vob',
    [...FIELDS, ...TAPE_TONE, ...MPEG2_FIELDS, '-c:a', 'ac3', '-aspect', '16:9'],
    { container: 'mpegps', codec: 'mpeg2video', interlaced: true, displayWidth: 1024, displayHeight: 576 },
    { codec: 'ac3' },
  ],
  [
    'broadcast.mxf',
    [...FIELDS, ...TAPE_TONE, ...MPEG2_FIELDS, '-c:a', 'pcm_s24le', '-aspect', '16:9'],
    { container: 'mxf', codec: 'mpeg2video', interlaced: true, displayWidth: 1024 },
    { codec: 'pcm_s24le' },
  ],
  [
    'tape.dv',
    [...FIELDS, ...TAPE_TONE, '-pix_fmt', 'yuv420p', '-aspect', '16:9'],
    { container: 'dv', codec: 'dvvideo', interlaced: true, displayWidth: 1024 },
    { codec: 'pcm_s16le', channels: 2 },
  ],
  ['windows.wmv', [...BARS, ...TONE, '-c:v', 'wmv2', '-c:a', 'wmav2'], { container: 'asf', codec: 'wmv2' }, {}],
  ['windows.asf', [...BARS, ...TONE, '-c:v', 'msmpeg4', '-c:a', 'mp3'], { container: 'asf', codec: 'msmpeg4v3' }, {}],
  ['moving.gif', BARS, { container: 'gif', codec: 'gif' }, null],
])('%s is accepted, and lasts as long as its packets', async (name, made, { container, ...video }, audio) => {
  await ffmpeg(...made, at(name));
  const probe = await transcoder.probe(at(name));
  expect(probe).toMatchObject({ container, video, audio });
  expect(Math.abs(probe.durationMs - 1_000)).toBeLessThan(80);
});

test('a Flash codec is accepted in FLV only', async () => {
  await ffmpeg(...BARS, '-c:v', 'flv', at('flash.mkv'));
  await expect(transcoder.probe(at('flash.mkv'))).rejects.toMatchObject({ code: 'UNSUPPORTED_CODEC' });
});

test('an FLV that was never finished is measured', async () => {
  const unfinished = ['-flvflags', 'no_duration_filesize', '-f', 'flv', 'pipe:1'];
  const { stdout } = await execute('ffmpeg', ['-v', 'error', ...BARS, ...TONE, ...X264, '-c:a', 'aac', ...unfinished], {
    encoding: 'buffer',
    maxBuffer: 16 * 1024 ** 2,
  });
  await writeFile(at('unfinished.flv'), stdout);
  const { durationMs } = await transcoder.probe(at('unfinished.flv'));
  expect(Math.abs(durationMs - 1_000)).toBeLessThan(80);
});

test('a GIF with a single picture is not a video', async () => {
  await ffmpeg(...BARS, '-frames:v', '1', at('still.gif'));
  await expect(transcoder.probe(at('still.gif'))).rejects.toMatchObject({
    code: 'NOT_MEDIA',
    message: 'This is a GIF with a single picture, not a video. Upload a video or audio file.',
  });
});

test('a program stream whose clock wraps around keeps its length', async () => {
  const wraps = ['-f', 'vob', '-output_ts_offset', `${2 ** 33 / 90_000 - 1}`];
  await ffmpeg(...BARS, ...TONE, '-c:v', 'mpeg2video', '-c:a', 'mp2', ...wraps, at('wraps.mpg'));
  const { durationMs, video } = await transcoder.probe(at('wraps.mpg'));
  expect(Math.abs(durationMs - 1_000)).toBeLessThan(80);
  expect(video!.startsAfterMs).toBeLessThan(50);
});

test('a disc with a new clock in each part is made whole, without fields and as wide as it is shown', async () => {
  const [picture, sound] = [FIELDS, TAPE_TONE];
  await ffmpeg(...picture, ...sound, ...MPEG2_FIELDS, '-c:a', 'ac3', '-aspect', '16:9', at('part.vob'));
  const part = await readFile(at('part.vob'));
  await writeFile(at('disc.vob'), Buffer.concat([part, part, part]));
  const { probe, ladder } = await made('disc.vob');
  expect(Math.abs(probe.durationMs - 3_000)).toBeLessThan(150);
  expect(Math.abs(ladder.durationMs - 3_000)).toBeLessThan(150);
  const playlist = at('disc.vob made/480p/index.m3u8');
  expect(await sizeOf(playlist)).toBe('854,480,1:1');
  expect(await interlacedFrames(at('disc.vob'))).toBeGreaterThan(60);
  expect(await interlacedFrames(playlist)).toBe(0);
});

test('a tape with uncompressed sound is made', async () => {
  await ffmpeg(...FIELDS, ...TAPE_TONE, '-pix_fmt', 'yuv420p', at('whole.dv'));
  const { ladder } = await made('whole.dv');
  expect(ladder.renditions.map(({ quality }) => quality)).toEqual(expect.arrayContaining(['480p', 'audio']));
  expect(Math.abs(ladder.durationMs - 1_000)).toBeLessThan(80);
});

test('a GIF becomes a silent video that plays once', async () => {
  const uneven = ['-vf', "setpts='if(gt(N,12),PTS+0.5/TB,PTS)'", '-fps_mode', 'vfr', '-loop', '0'];
  await ffmpeg(...BARS, ...uneven, at('uneven.gif'));
  const { probe, ladder } = await made('uneven.gif');
  expect(Math.abs(probe.durationMs - 1_500)).toBeLessThan(80);
  expect(ladder.renditions.map(({ quality }) => quality)).not.toContain('audio');
  expect(Math.abs(ladder.durationMs - 1_500)).toBeLessThan(150);
});

async function made(name: string): Promise<{ probe: SourceProbe; ladder: EncodedLadder }> {
  const probe = await transcoder.probe(at(name));
  const outputDir = at(`${name} made`);
  await mkdir(outputDir);
  const renditions = renditionsFor('480p', probe);
  return { probe, ladder: await transcoder.encode({ sourcePath: at(name), probe, renditions, outputDir }) };
}

async function sizeOf(playlist: string): Promise<string> {
  const asked = ['-select_streams', 'v', '-show_entries', 'stream=width,height,sample_aspect_ratio', '-of', 'csv=p=0'];
  return (await ffprobe(...asked, playlist)).trim().split('\n')[0]!;
}

async function interlacedFrames(path: string): Promise<number> {
  const { stderr } = await execute('ffmpeg', ['-nostdin', '-i', path, '-vf', 'idet', '-an', '-f', 'null', '-']);
  const [, tff = '0', bff = '0'] = /Multi frame detection: TFF: *(\d+) BFF: *(\d+)/.exec(stderr) ?? [];
  return Number(tff) + Number(bff);
}
