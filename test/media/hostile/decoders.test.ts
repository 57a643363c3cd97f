import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { VIDEO_DECODERS } from '../../../src/adapters/transcode/sandbox/decoders.js';
import { inputArguments } from '../../../src/adapters/transcode/probe/ffmpegInput.js';
import { createFfmpegTranscoder } from '../../../src/adapters/transcode/ffmpegTranscoder.js';
import { renditionsFor } from '../../../src/domain/media/pipeline/ladder.js';
import type { Container, Transcoder } from '../../../src/ports/transcoder.js';
import { ffmpeg, ffmpegLog, mediaFolder } from '../../support/media.js';

/*
 * A file chooses the decoders that read it. A decoder that is not on the list is refused by name, before any of its
 * code runs. Other tracks of an ordinary file (covers, subtitles as pictures, time codes) fail nothing.
 */
const PICTURE = ['-f', 'lavfi', '-i', 'testsrc2=size=176x144:rate=10:duration=1'];
const SOUND = ['-f', 'lavfi', '-i', 'sine=duration=1'];
const X264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];

let transcoder: Transcoder;
let folder: Awaited<ReturnType<typeof mediaFolder>>;

beforeAll(async () => {
  transcoder = await createFfmpegTranscoder({ preset: 'ultrafast' });
  folder = await mediaFolder();
});

afterAll(async () => {
  await folder?.[Symbol.asyncDispose]();
});

describe('a track whose decoder is not on the list', () => {
  test.each<[string, string, Container, string[]]>([
    ['flv', 'flv1.mkv', 'matroska', ['-c:v', 'flv']],
    ['flv', 'flv1.avi', 'avi', ['-c:v', 'flv']],
    ['cinepak', 'cinepak.mov', 'mp4', ['-c:v', 'cinepak']],
    ['snow', 'snow.avi', 'avi', ['-strict', 'experimental', '-c:v', 'snow']],
    ['cljr', 'cljr.avi', 'avi', ['-strict', 'unofficial', '-c:v', 'cljr', '-pix_fmt', 'yuv411p']],
    ['svq1', 'svq1.mov', 'mp4', ['-c:v', 'svq1']],
    ['asv1', 'asv1.avi', 'avi', ['-c:v', 'asv1', '-pix_fmt', 'yuv420p']],
  ])('is refused by name and never opened: %s in %s', async (decoder, name, container, encoder) => {
    const path = join(folder.path, name);
    await ffmpeg(...PICTURE, ...encoder, path);
    await expect(transcoder.probe(path)).rejects.toMatchObject({
      code: 'UNSUPPORTED_CODEC',
      message: `The file has a track in a format that is not accepted: ${decoder}. Convert it to H.264 with AAC, and upload it again.`,
    });
    // Even in a passthrough, ffmpeg would open the decoder to learn the pixel format; that is refused too.
    const log = await ffmpegLog(...inputArguments(container, path), '-map', '0', '-c', 'copy', '-f', 'null', '-');
    expect(log).toContain(`Codec (${decoder}) not on whitelist`);
    expect(/Input #0[^]*?Video: .*?, (\w+)/.exec(log)?.[1]).toBe('none');
  });

  test('is refused even beside a readable picture', async () => {
    const path = join(folder.path, 'sound.mkv');
    await ffmpeg(...PICTURE, ...SOUND, ...X264, '-c:a', 'tta', path);
    await expect(transcoder.probe(path)).rejects.toMatchObject({ message: expect.stringContaining(': tta.') });
  });

  test('is not opened by the encoding run either', async () => {
    const honest = join(folder.path, 'honest.mkv');
    await ffmpeg(...PICTURE, ...X264, honest);
    const probe = await transcoder.probe(honest);
    const path = join(folder.path, 'changed.mkv');
    await ffmpeg(...PICTURE, '-c:v', 'flv', path);
    const outputDir = join(folder.path, 'changed');
    await mkdir(outputDir);
    const encode = transcoder.encode({ sourcePath: path, probe, renditions: renditionsFor('480p', probe), outputDir });
    await expect(encode).rejects.toMatchObject({ message: expect.stringContaining('not accepted: flv.') });
  });
});

describe('an ordinary video is accepted', () => {
  test.each<[string, string, string[]]>([
    ['huffyuv', 'avi', []],
    ['ffvhuff', 'mkv', []],
    ['magicyuv', 'avi', ['-pix_fmt', 'yuv422p']],
    ['zmbv', 'avi', ['-pix_fmt', 'rgb24']],
    ['msvideo1', 'avi', []],
    ['r210', 'mov', []],
    ['v410', 'mov', []],
  ])('if it was recorded from a screen or a capture card as %s in %s', async (codec, ending, options) => {
    const path = join(folder.path, `${codec}.${ending}`);
    await ffmpeg(...PICTURE, ...SOUND, '-c:v', codec, ...options, '-c:a', 'pcm_s16le', path);
    const probe = await transcoder.probe(path);
    expect(probe).toMatchObject({ video: { codec, width: 176 }, audio: { codec: 'pcm_s16le' } });
    const outputDir = join(folder.path, `${codec} made`);
    await mkdir(outputDir);
    const made = await transcoder.encode({
      sourcePath: path,
      probe,
      renditions: renditionsFor('480p', probe),
      outputDir,
    });
    expect(made.renditions.map(({ quality }) => quality)).toContain('480p');
  });

  test.each<[string, string[]]>([
    ['bluray.mkv', ['-c:s', 'copy']],
    ['disc.mkv', ['-c:s', 'dvdsub']],
    ['broadcast.ts', ['-c:s', 'dvbsub']],
    ['broadcast.mkv', ['-c:s', 'dvbsub']],
  ])('with subtitles as pictures: %s', async (name, encoder) => {
    const cues = join(folder.path, 'cues.sup');
    await writeFile(cues, pictureCues());
    const path = join(folder.path, name);
    await ffmpeg(...PICTURE, ...SOUND, '-i', cues, '-map', '0', '-map', '1', '-map', '2', ...X264, ...encoder, path);
    expect(await ffmpegLog('-i', path, '-map', '0:s', '-c', 'copy', '-f', 'null', '-')).toContain('Subtitle: ');
    await expect(transcoder.probe(path)).resolves.toMatchObject({ video: { width: 176 }, audio: {} });
  });

  test('with teletext, whatever this ffmpeg can write', () => {
    expect(VIDEO_DECODERS).toEqual(expect.arrayContaining(['libzvbi_teletextdec', 'xsub', 'cc_dec']));
  });

  test.each(['png', 'mjpeg', 'gif', 'tiff', 'bmp'])('with a cover as %s', async (encoder) => {
    const path = join(folder.path, `${encoder}.mkv`);
    const cover = join(folder.path, `cover.${encoder === 'mjpeg' ? 'jpg' : encoder}`);
    const video = join(folder.path, `${encoder}.mp4`);
    await ffmpeg(...PICTURE, '-frames:v', '1', '-update', '1', cover);
    await ffmpeg(...PICTURE, ...SOUND, ...X264, video);
    await ffmpeg(
      '-i',
      video,
      '-attach',
      cover,
      '-metadata:s:t',
      `mimetype=image/${encoder === 'mjpeg' ? 'jpeg' : encoder}`,
      '-c',
      'copy',
      path,
    );
    await expect(transcoder.probe(path)).resolves.toMatchObject({ video: { codec: 'h264' }, audio: { codec: 'aac' } });
  });

  test('with a time code', async () => {
    const path = join(folder.path, 'timecode.mov');
    await ffmpeg(...PICTURE, ...SOUND, ...X264, '-timecode', '10:00:00:00', path);
    await expect(transcoder.probe(path)).resolves.toMatchObject({ video: { codec: 'h264' } });
  });
});

/** A Blu-ray subtitle: a square of eight pixels from the beginning to half a second. */
function pictureCues(): Buffer {
  const segment = (ticks: number, type: number, body: number[]): Buffer => {
    const head = Buffer.alloc(13);
    head.write('PG', 'latin1');
    head.writeUInt32BE(ticks, 2);
    head.writeUInt8(type, 10);
    head.writeUInt16BE(body.length, 11);
    return Buffer.concat([head, Buffer.from(body)]);
  };
  const canvas = [0, 176, 0, 144, 0x10];
  const lines = Array.from({ length: 8 }, () => [1, 1, 1, 1, 1, 1, 1, 1, 0, 0]).flat();
  return Buffer.concat([
    segment(9_000, 0x16, [...canvas, 0, 0, 0x80, 0, 0, 1, 0, 0, 0, 0, 0, 10, 0, 10]),
    segment(9_000, 0x17, [1, 0, 0, 10, 0, 10, 0, 8, 0, 8]),
    segment(9_000, 0x14, [0, 0, 1, 235, 128, 128, 255]),
    segment(9_000, 0x15, [0, 0, 0, 0xc0, 0, 0, lines.length + 4, 0, 8, 0, 8, ...lines]),
    segment(9_000, 0x80, []),
    segment(45_000, 0x16, [...canvas, 0, 1, 0, 0, 0, 0]),
    segment(45_000, 0x80, []),
  ]);
}
