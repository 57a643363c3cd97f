import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { inputArguments } from '../../../src/adapters/transcode/probe/ffmpegInput.js';
import { createFfmpegTranscoder } from '../../../src/adapters/transcode/ffmpegTranscoder.js';
import { renditionsFor } from '../../../src/domain/media/pipeline/ladder.js';
import type { Transcoder } from '../../../src/ports/transcoder.js';
import { canaryServer } from '../../support/canary.js';
import { ffmpeg, makeClip, makeSound, mediaFolder } from '../../support/media.js';

const execute = promisify(execFile);

let transcoder: Transcoder;

beforeAll(async () => {
  transcoder = await createFfmpegTranscoder({ preset: 'ultrafast' });
});

function playlistOf(uri: string): string {
  return `#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:2,\n${uri}\n#EXT-X-ENDLIST\n`;
}

describe('a misleading file is refused with a reason', () => {
  const texts: [string, string, string][] = [
    ['an empty file', '', 'EMPTY_FILE'],
    ['a text', 'It was a dark and stormy night.', 'NOT_MEDIA'],
    ['a text of letters that look like sync bytes', 'GGGGGGGG', 'NOT_MEDIA'],
    ['a playlist', playlistOf('/etc/passwd'), 'PLAYLIST'],
    ['a playlist after blanks', `\n\n${playlistOf('/etc/passwd')}`, 'PLAYLIST'],
    ['a concat script', "ffconcat version 1.0\nfile '/etc/passwd'\n", 'PLAYLIST'],
    ['a DASH manifest', '<?xml version="1.0"?>\n<MPD></MPD>', 'PLAYLIST'],
    ['a session description', 'v=0\r\nm=video 1 RTP/AVP 96\r\n', 'PLAYLIST'],
    ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg"></svg>', 'NOT_MEDIA'],
    ['a playlist in an MP4 box', `\0\0\0\x08ftyp${playlistOf('/etc/passwd')}`, 'UNREADABLE'],
    ['a playlist behind an ID3 tag', `ID3\x03\0\0\0\0\0\0${playlistOf('/etc/passwd')}`, 'UNREADABLE'],
  ];

  test.each([
    ['a PDF', '%PDF-1.7\n', 'This is a PDF, not a video. Upload a video or audio file.'],
    ['a ZIP archive', 'PK\x03\x04\x14', 'This is a ZIP archive, not a video. Upload a video or audio file.'],
    ['a HEIC picture', '\0\0\0\x18ftypheic', 'This is a HEIC picture, not a video. Upload a video or audio file.'],
    [
      'subtitles',
      '1\n00:00:00,000 --> 00:00:01,000\nHello\n\n2\n00:00:02,000 --> 00:00:03,000\nHello again\n',
      'This is a subtitle file (SRT), not a video. Upload a video or audio file.',
    ],
  ])('and says that it is %s', async (_, content, message) => {
    await using folder = await mediaFolder();
    const path = join(folder.path, 'video.mp4');
    await writeFile(path, content, 'latin1');
    await expect(transcoder.probe(path)).rejects.toMatchObject({ code: 'NOT_MEDIA', message });
  });

  test.each([
    ['tone.aiff', 'an AIFF file'],
    ['tone.w64', 'a Wave64 file'],
    ['tone.wtv', 'a Windows TV recording (WTV)'],
    ['tone.rm', 'a RealMedia file'],
    ['tone.sox', 'a file in the format “sox”'],
  ])('and says what ffprobe recognizes: %s', async (name, what) => {
    await using folder = await mediaFolder();
    const path = await makeSound(folder.path, { name: 'tone.wav', durationSeconds: 0.5 });
    const other = join(folder.path, name);
    await ffmpeg('-i', path, other);
    await expect(transcoder.probe(other)).rejects.toMatchObject({
      code: 'NOT_MEDIA',
      message: `This is ${what}, which is not accepted. Convert it to MP4, and upload it again.`,
    });
  });

  test.each(texts)('if it is %s', async (_, content, code) => {
    await using folder = await mediaFolder();
    const path = join(folder.path, 'video.mp4');
    await writeFile(path, content, 'latin1');
    await expect(transcoder.probe(path)).rejects.toMatchObject({
      name: 'UnusableSourceError',
      code,
      message: expect.stringMatching(/^[A-Z].+\.$/) as string,
    });
  });

  test('an MP4 that was cut off before its index', async () => {
    await using folder = await mediaFolder();
    const path = await makeClip(folder.path, { durationSeconds: 1 });
    await truncate(path, 20_000);
    await expect(transcoder.probe(path)).rejects.toMatchObject({ code: 'TRUNCATED' });
  });

  test('a cover picture without a video', async () => {
    await using folder = await mediaFolder();
    const sound = await makeSound(folder.path, { name: 'tone.mp3', durationSeconds: 1 });
    const cover = join(folder.path, 'cover.jpg');
    await ffmpeg('-f', 'lavfi', '-i', 'color=red:size=64x64', '-frames:v', '1', cover);
    const album = join(folder.path, 'album.mp3');
    await ffmpeg(
      '-i',
      sound,
      '-i',
      cover,
      '-map',
      '0',
      '-map',
      '1',
      '-c',
      'copy',
      '-disposition:v',
      'attached_pic',
      album,
    );
    const probe = await transcoder.probe(album);
    expect(probe).toMatchObject({ container: 'mp3', video: null, audio: { codec: 'mp3' } });
  });

  test('a picture larger than any camera makes', async () => {
    await using folder = await mediaFolder();
    const path = join(folder.path, 'bomb.mkv');
    const size = 'color=black:size=16000x8000:rate=1:duration=1';
    await ffmpeg('-f', 'lavfi', '-i', size, '-c:v', 'libx264', '-preset', 'ultrafast', path);
    await expect(transcoder.probe(path)).rejects.toMatchObject({ code: 'ABSURD_RESOLUTION' });
  });

  test('more tracks than a video has', async () => {
    await using folder = await mediaFolder();
    const sound = await makeSound(folder.path, { name: 'tone.wav', durationSeconds: 0.1 });
    const path = join(folder.path, 'tracks.mkv');
    const maps = Array.from({ length: 70 }, () => ['-map', '0:a']).flat();
    await ffmpeg('-i', sound, ...maps, '-c:a', 'copy', path);
    await expect(transcoder.probe(path)).rejects.toMatchObject({ code: 'TOO_MANY_STREAMS' });
  });

  test('a video longer than the limit', async () => {
    await using folder = await mediaFolder();
    const path = await makeSound(folder.path, { name: 'tone.wav', durationSeconds: 3 });
    const strict = await createFfmpegTranscoder({ maxDurationSeconds: 2 });
    await expect(strict.probe(path)).rejects.toMatchObject({ code: 'TOO_LONG' });
  });
});

describe('a video that ends early', () => {
  test('fails, because less than announced would be delivered', async () => {
    await using folder = await mediaFolder();
    const path = await makeClip(folder.path, {
      durationSeconds: 8,
      videoCodec: ['-c:v', 'libx264', '-preset', 'ultrafast', '-movflags', '+faststart'],
    });
    await truncate(path, Math.round((await readFile(path)).length / 2));
    const probe = await transcoder.probe(path);
    const outputDir = join(folder.path, 'out');
    const renditions = renditionsFor('480p', probe);
    await expect(transcoder.encode({ sourcePath: path, probe, renditions, outputDir })).rejects.toMatchObject({
      name: 'EncodeFailedError',
      code: 'SOURCE_DAMAGED',
    });
  });

  test('fails if its packets are noise', async () => {
    await using folder = await mediaFolder();
    const path = await makeClip(folder.path, { durationSeconds: 2, audio: null });
    const probe = await transcoder.probe(path);
    const bytes = await readFile(path);
    // From the start of the media to the index, which ffmpeg puts at the end.
    bytes.fill(0xff, bytes.indexOf('mdat') + 4, bytes.indexOf('moov') - 4);
    await writeFile(path, bytes);
    const outputDir = join(folder.path, 'out');
    const renditions = renditionsFor('480p', probe);
    const failure = await transcoder
      .encode({ sourcePath: path, probe, renditions, outputDir })
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'EncodeFailedError', code: 'SOURCE_DAMAGED' });
    expect((failure as { technicalTail: string }).technicalTail).not.toBe('');
  });
});

describe('only the file itself is opened', () => {
  test('and no address, by ffprobe with our arguments and without a sandbox', async () => {
    await using folder = await mediaFolder();
    await using server = await canaryServer();
    const path = join(folder.path, 'video.mp4');
    await writeFile(path, playlistOf(`${server.url}/canary.ts`));
    // Without restrictions ffprobe calls the server: the canary works.
    const free = ['-v', 'quiet', '-protocol_whitelist', 'file,http,tcp', '-i', path];
    await execute('ffprobe', free).catch(() => undefined);
    expect(server.calls()).toBeGreaterThan(0);

    const before = server.calls();
    const pinned = [...inputArguments('mp4', path), '-f', 'null', '-'];
    await expect(execute('ffmpeg', ['-v', 'error', ...pinned])).rejects.toThrow();
    await expect(transcoder.probe(path)).rejects.toMatchObject({ code: 'PLAYLIST' });
    expect(server.calls()).toBe(before);
  });

  test.each([true, false])('and no other file, even with a forged probe (bwrap: %s)', async (useBwrap) => {
    await using folder = await mediaFolder();
    const other = await createFfmpegTranscoder({ preset: 'ultrafast', useBwrap });
    const canary = await makeClip(folder.path, { name: 'canary.ts', durationSeconds: 2 });
    const probe = await other.probe(canary);
    const path = join(folder.path, 'video.mp4');
    await writeFile(path, playlistOf(canary));
    const outputDir = join(folder.path, 'out');
    const renditions = renditionsFor('480p', probe);
    const attempts = (['mp4', 'mpegts', 'matroska', 'mp3'] as const).map((container) =>
      other.encode({ sourcePath: path, probe: { ...probe, container }, renditions, outputDir }),
    );
    for (const result of await Promise.allSettled(attempts)) {
      expect(result.status).toBe('rejected');
    }
    expect((await readdir(outputDir, { recursive: true })).filter((f) => f.endsWith('m4s'))).toEqual([]);
  });

  test('a file name is never interpreted', async () => {
    await using folder = await mediaFolder();
    const clip = await makeClip(folder.path, { durationSeconds: 0.2, audio: null });
    const odd = join(folder.path, "-i\n%d 'concat:a|b'.mp4");
    await copyFile(clip, odd);
    const probe = await transcoder.probe(odd);
    const outputDir = join(folder.path, "out %d '\n");
    await mkdir(outputDir);
    const renditions = renditionsFor('480p', probe);
    const ladder = await transcoder.encode({ sourcePath: odd, probe, renditions, outputDir });
    expect(ladder.renditions.map(({ quality }) => quality)).toEqual(['480p', '360p']);
  });
});
