import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { createFfmpegTranscoder } from '../../../src/adapters/transcode/ffmpegTranscoder.js';
import { renditionsFor } from '../../../src/domain/media/pipeline/ladder.js';
import type { EncodedLadder, Quality, SourceProbe, Transcoder } from '../../../src/ports/transcoder.js';
import { ffmpeg, ffprobe, mediaFolder } from '../../support/media.js';

const execute = promisify(execFile);
const BARS = (seconds: number, extra = ''): string[] => [
  '-f',
  'lavfi',
  '-i',
  `testsrc2=size=320x240:rate=25:duration=${seconds}${extra}`,
];
const TONE = (seconds: number): string[] => ['-f', 'lavfi', '-i', `sine=duration=${seconds}`];
const PICTURE = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '25'];

let media: Awaited<ReturnType<typeof mediaFolder>>;
let transcoder: Transcoder;
let videos = 0;

beforeAll(async () => {
  media = await mediaFolder();
  transcoder = await createFfmpegTranscoder({ preset: 'ultrafast', searchPath: process.env['PATH'] });
});
afterAll(() => media[Symbol.asyncDispose]());

const at = (name: string): string => join(media.path, name);

async function made(path: string, quality: Quality = '480p'): Promise<{ probe: SourceProbe; ladder: EncodedLadder }> {
  const probe = await transcoder.probe(path);
  videos += 1;
  const outputDir = at(`out${videos}`);
  await mkdir(outputDir);
  const ladder = await transcoder.encode({
    sourcePath: path,
    probe,
    renditions: renditionsFor(quality, probe),
    outputDir,
  });
  return { probe, ladder };
}

test('a late frame moves no other frame', async () => {
  const late = `,setpts='if(eq(N,249),PTS+0.15/TB,PTS)'`;
  await ffmpeg(...BARS(10, late), '-fps_mode', 'vfr', ...PICTURE, '-video_track_timescale', '90000', at('late.mp4'));
  const { probe } = await made(at('late.mp4'));
  expect(probe.video!.frameRate).not.toEqual({ numerator: 25, denominator: 1 });
  const [rendition] = renditionsFor('480p', probe);
  expect(rendition).toMatchObject({ frameRate: { numerator: 25, denominator: 1 } });
});

test('a tape whose container does not mention fields is deinterlaced', async () => {
  const tape = ['-f', 'lavfi', '-i', 'testsrc2=size=720x576:rate=50:duration=1,interlace,setfield=bff'];
  await ffmpeg(...tape, '-c:v', 'dvvideo', '-pix_fmt', 'yuv420p', at('tape.avi'));
  const combed = await interlacedFrames(at('tape.avi'));
  expect(combed).toBeGreaterThan(20);
  await made(at('tape.avi'));
  expect(await interlacedFrames(at(`out${videos}/480p/index.m3u8`))).toBe(0);
});

test.each(['cut.mkv', 'cut.mp4'])(
  'a caption that continues after the video does not make it longer: %s',
  async (name) => {
    await writeFile(at('long.srt'), '1\n00:00:02,000 --> 00:00:09,500\nStill talking\n');
    const text = name.endsWith('.mp4') ? 'mov_text' : 'srt';
    const inputs = [...BARS(4), ...TONE(4), '-i', at('long.srt')];
    const maps = ['-map', '0', '-map', '1', '-map', '2'];
    await ffmpeg(...inputs, ...maps, ...PICTURE, '-c:a', 'aac', '-c:s', text, at(name));
    const { probe, ladder } = await made(at(name));
    expect(Math.abs(probe.durationMs - 4000)).toBeLessThan(50);
    expect(Math.abs(ladder.durationMs - 4000)).toBeLessThan(50);
  },
);

test('chapters that continue after the video do not make it longer', async () => {
  await writeFile(at('chapters.txt'), ';FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1\nSTART=0\nEND=30\ntitle=All of it\n');
  const inputs = [...BARS(4), '-i', at('chapters.txt')];
  await ffmpeg(...inputs, '-map', '0', '-map_chapters', '1', ...PICTURE, at('chapters.mp4'));
  expect((await made(at('chapters.mp4'))).probe.durationMs).toBe(4000);
});

test('sound that ends before its picture can be bought alone', async () => {
  await ffmpeg(...BARS(6), ...TONE(3), ...PICTURE, '-c:a', 'aac', at('early.mp4'));
  const { ladder } = await made(at('early.mp4'), 'audio');
  expect(Math.abs(ladder.durationMs - 3000)).toBeLessThan(100);
});

test('a joined file whose clock restarts is refused and not cut off', async () => {
  const clip = [...BARS(6), ...TONE(6), ...PICTURE, '-c:a', 'aac'];
  await ffmpeg(...clip, at('clip.ts'));
  const bytes = await readFile(at('clip.ts'));
  await writeFile(at('joined.ts'), Buffer.concat([bytes, bytes, bytes]));
  await expect(made(at('joined.ts'))).rejects.toMatchObject({
    code: 'SOURCE_DAMAGED',
    message: expect.stringMatching(/^The clock of the file jumps/) as string,
  });
});

test.each([
  ['a microphone', ['-af', 'aselect=0'], ['480p', '360p']],
  ['a camera', ['-vf', 'select=0'], ['audio']],
])('a track of %s that was never on is ignored', async (name, never, wanted) => {
  const path = at(`${name.at(-1)}.webm`);
  await ffmpeg(...BARS(3), ...TONE(3), ...never, '-c:v', 'libvpx', '-deadline', 'realtime', '-c:a', 'libopus', path);
  const { probe, ladder } = await made(path);
  expect(ladder.renditions.map(({ quality }) => quality)).toEqual(wanted);
  expect(Math.abs(probe.durationMs - 3000)).toBeLessThan(50);
});

const RED = 'color=c=0xE02020:rate=25:duration=1:size=';

test.each([
  ['red, green and blue', `${RED}1280x720,format=gbrp`, ['libx264rgb', 'mkv'], 'bt709'],
  ['an animation', `${RED}1280x720,format=argb`, ['qtrle', 'mov'], 'bt709'],
  [
    'an old video',
    `${RED}720x576,format=rgb24,scale=out_color_matrix=bt601,format=yuv420p`,
    ['mpeg4', 'avi'],
    'smpte170m',
  ],
  [
    'a video for the cinema',
    `${RED}1280x536,format=rgb24,scale=out_color_matrix=bt709,format=yuv420p`,
    ['mpeg4', 'mkv'],
    'bt709',
  ],
  ['a new video', `${RED}1280x720,format=rgb24,scale=out_color_matrix=bt709,format=yuv420p`, ['mpeg4', 'avi'], 'bt709'],
])(
  'unspecified colors are interpreted as the source means them, and tagged: %s',
  async (_, source, [codec, name], matrix) => {
    const path = at(`red-${codec}-${matrix}.${name}`);
    await ffmpeg('-f', 'lavfi', '-i', source, '-c:v', codec!, path);
    const { ladder } = await made(path, '720p');
    for (const { quality } of ladder.renditions) {
      const playlist = at(`out${videos}/${quality}/index.m3u8`);
      const asked = ['-show_entries', 'stream=color_space,color_transfer,color_primaries', '-of', 'default=nk=1:nw=1'];
      const said = (await ffprobe('-select_streams', 'v', ...asked, playlist)).trim().split('\n');
      expect(new Set(said)).toEqual(new Set([matrix]));
      const frame = ['-frames:v', '1', '-vf', 'scale=out_range=pc,format=rgb24', '-f', 'rawvideo', '-'];
      const { stdout } = await execute('ffmpeg', ['-v', 'error', '-i', playlist, ...frame], {
        encoding: 'buffer',
        maxBuffer: 16 * 1024 ** 2,
      });
      for (const [index, value] of [224, 32, 32].entries()) expect(Math.abs(stdout[index]! - value)).toBeLessThan(4);
    }
  },
);

async function interlacedFrames(path: string): Promise<number> {
  const { stderr } = await execute('ffmpeg', ['-nostdin', '-i', path, '-vf', 'idet', '-an', '-f', 'null', '-']);
  const [, tff = '0', bff = '0'] = /Multi frame detection: TFF: *(\d+) BFF: *(\d+)/.exec(stderr) ?? [];
  return Number(tff) + Number(bff);
}
