import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createFfmpegTranscoder } from '../../../src/adapters/transcode/ffmpegTranscoder.js';
import type { EncodedRendition } from '../../../src/ports/transcoder.js';
import { ffmpeg, mediaFolder } from '../../support/media.js';
import { allPackets, joined } from './hls.js';
import { remux } from '../../support/transcoder/remux.js';

const run = promisify(execFile);
const AT_SECONDS = 2.4;
const SAMPLES_PER_SECOND = 48_000;

/** A flash and a beep at one moment, in a file whose sound has priming and whose picture has B-frames. */
async function flashAndBeep(path: string): Promise<void> {
  const flash = `color=black:size=320x180:rate=25:duration=5,drawbox=color=white:t=fill:enable='between(t,${AT_SECONDS},${AT_SECONDS + 0.2})'`;
  const beep = `sine=frequency=1000:sample_rate=${SAMPLES_PER_SECOND}:duration=5,volume=enable='lt(t,${AT_SECONDS})':volume=0`;
  const inputs = ['-f', 'lavfi', '-i', flash, '-f', 'lavfi', '-i', beep];
  const codecs = ['-c:v', 'libx264', '-preset', 'veryfast', '-g', '50', '-bf', '3', '-c:a', 'aac', '-ac', '2'];
  await ffmpeg(...inputs, ...codecs, path);
}

test.each(['clip.mp4', 'clip.mkv', 'clip.ts'])(
  'flash and beep stay together, passed through and encoded: %s',
  async (name) => {
    await using folder = await mediaFolder();
    const source = join(folder.path, name);
    await flashAndBeep(source);
    const { top, low, sound, outputDir } = await remux(await createFfmpegTranscoder(), folder.path, source);

    const decode = async (rendition: EncodedRendition, ...to: string[]): Promise<Buffer> => {
      const file = await joined(outputDir, [rendition.initPath, ...rendition.segmentPaths]);
      const { stdout } = await run('ffmpeg', ['-v', 'error', '-i', file, ...to, '-'], {
        encoding: 'buffer',
        maxBuffer: 64 * 1024 * 1024,
      });
      return stdout;
    };
    /** The first frame of a rendition is shown at zero, so frames can be used as the clock. */
    const flashOf = async (rendition: EncodedRendition): Promise<number> => {
      const brightness = await decode(
        rendition,
        '-vf',
        'scale=1:1,format=gray',
        '-fps_mode',
        'passthrough',
        '-f',
        'rawvideo',
      );
      return brightness.findIndex((level) => level > 128) / 25;
    };
    const samples = await decode(sound!, '-ac', '1', '-f', 's16le');
    const [first] = await allPackets(outputDir, sound!);
    const loud = Array.from({ length: samples.length / 2 }, (_, index) => Math.abs(samples.readInt16LE(index * 2)));
    const beep = loud.findIndex((level) => level > 500) / SAMPLES_PER_SECOND + first!.ptsSeconds;

    const [passed, encoded] = [await flashOf(top), await flashOf(low)];
    expect(encoded).toBe(passed);
    expect(Math.abs(passed - beep)).toBeLessThan(0.04);
  },
);
