import { readFile, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { createFfmpegTranscoder } from '../../../src/adapters/transcode/ffmpegTranscoder.js';
import { renditionsFor } from '../../../src/domain/media/pipeline/ladder.js';
import {
  framesPerSecond,
  type EncodedLadder,
  type EncodeProgress,
  type SourceProbe,
  type Transcoder,
} from '../../../src/ports/transcoder.js';
import type { ClipOptions } from '../../support/media.js';
import { ffmpeg, ffprobe, makeClip, makeSilence, makeSound, mediaFolder } from '../../support/media.js';
import { allPackets, joined, segmentPackets, segmentStarts, tinyLadder } from './hls.js';

let transcoder: Transcoder;

beforeAll(async () => {
  transcoder = await createFfmpegTranscoder({ preset: 'ultrafast' });
});

async function encodeTiny(
  folder: string,
  sourcePath: string,
): Promise<{ probe: SourceProbe; ladder: EncodedLadder; outputDir: string }> {
  const probe = await transcoder.probe(sourcePath);
  const outputDir = join(folder, 'out');
  const renditions = tinyLadder(probe);
  return { probe, outputDir, ladder: await transcoder.encode({ sourcePath, probe, renditions, outputDir }) };
}

describe('segments', () => {
  const sources: [string, ClipOptions, number][] = [
    ['23.976 fps', { frameRate: '24000/1001' }, 24_000 / 1001],
    ['25 fps', { frameRate: '25' }, 25],
    ['29.97 fps', { frameRate: '30000/1001' }, 30_000 / 1001],
    ['59.94 fps', { frameRate: '60000/1001', durationSeconds: 22 }, 60_000 / 1001],
    ['60 fps', { frameRate: '60' }, 60],
    ['120 fps, which is halved', { frameRate: '120' }, 60],
    ['a variable frame rate', { frameRate: '30', variableFrameRate: true }, 30],
    ['25 fps in Matroska', { name: 'clip.mkv' }, 25],
    ['30 fps in a transport stream', { name: 'clip.ts', frameRate: '30' }, 30],
    ['25 fps if the picture starts two seconds late', { videoDelaySeconds: 2 }, 25],
    ['one frame every two seconds', { frameRate: '1/2', durationSeconds: 12 }, 1],
  ];

  test.each(sources)('start together in every rendition, on a keyframe, at %s', async (_, options, rate) => {
    await using folder = await mediaFolder();
    const source = await makeClip(folder.path, { durationSeconds: 9, ...options });
    const { probe, ladder, outputDir } = await encodeTiny(folder.path, source);

    const [large, small, audio] = ladder.renditions;
    const smallRate = framesPerSecond(small!.frameRate!);
    expect(smallRate).toBeCloseTo(rate > 30 ? rate / 2 : rate, 5);
    const starts = await segmentStarts(outputDir, large!);
    expect(starts).toHaveLength(Math.ceil((probe.durationMs - 100) / 4_000));
    expect(await segmentStarts(outputDir, small!)).toEqual(starts);
    for (const [index, start] of starts.entries()) {
      expect(start).toBeGreaterThanOrEqual(index * 4);
      expect(start).toBeLessThan(index * 4 + 1.01 / Math.min(rate, smallRate));
    }
    for (const [index, start] of (await segmentStarts(outputDir, audio!)).entries()) {
      // Shifted by at most a tenth of a second, if the encoder's priming would be a separate segment.
      expect(Math.abs(start - index * 4)).toBeLessThan(0.1);
    }
    for (const index of large!.segmentPaths.keys()) {
      const keyframes = (await segmentPackets(outputDir, large!, index)).map((p) => p.keyframe);
      expect(keyframes.indexOf(true)).toBe(0);
      expect(keyframes.lastIndexOf(true)).toBe(0);
    }
    expect(framesPerSecond(large!.frameRate!)).toBeCloseTo(rate, 5);
    expect(Math.abs(ladder.durationMs - probe.durationMs)).toBeLessThan(1_000 / rate + 60);
  });

  test('hold a frame in every tick of the constant rate, for any source', async () => {
    await using folder = await mediaFolder();
    const source = await makeClip(folder.path, { frameRate: '30', variableFrameRate: true });
    const { ladder, outputDir } = await encodeTiny(folder.path, source);
    const times = (await allPackets(outputDir, ladder.renditions[0]!))
      .map((packet) => packet.ptsSeconds)
      .toSorted((a, b) => a - b);
    const steps = times.slice(1).map((time, index) => time - times[index]!);
    expect(Math.min(...steps)).toBeCloseTo(1 / 30, 3);
    expect(Math.max(...steps)).toBeCloseTo(1 / 30, 3);
  });
});

describe('tracks of different lengths', () => {
  const apart: [string, name: string, pictureSeconds: number, soundSeconds: number][] = [
    ['end together, with silence after sound that ends early', 'clip.mp4', 4, 2],
    ['end together, with the last frame shown while the sound continues', 'clip.mp4', 2, 4],
    ['end together in a container without a length per track', 'clip.mkv', 2, 4],
    ['end together in a transport stream', 'clip.ts', 2, 4],
  ];

  test.each(apart)('%s (%s with %d s of picture and %d s of sound)', async (_, name, pictureSeconds, soundSeconds) => {
    await using folder = await mediaFolder();
    const source = join(folder.path, name);
    const tracks = [
      `testsrc2=size=160x90:rate=25:duration=${pictureSeconds}`,
      ...[440, 880].map((hz) => `sine=frequency=${hz}:sample_rate=48000:duration=${soundSeconds}`),
    ];
    const maps = ['-map', '0', '-map', '1', '-map', '2'];
    await ffmpeg(...tracks.flatMap((track) => ['-f', 'lavfi', '-i', track]), ...maps, source);
    const { probe, ladder } = await encodeTiny(folder.path, source);

    expect(ladder.renditions.map(({ track = 0 }) => track)).toEqual([0, 0, 1, 2]);
    for (const { durationMs } of ladder.renditions) expect(Math.abs(durationMs - probe.durationMs)).toBeLessThan(60);
    expect(Math.abs(probe.durationMs - 4_000)).toBeLessThan(60);
  });

  test('are refused if the file was cut off', async () => {
    await using folder = await mediaFolder();
    const source = await makeClip(folder.path, { name: 'clip.mkv', durationSeconds: 8 });
    await truncate(source, Math.round((await stat(source)).size / 2));
    await expect(encodeTiny(folder.path, source)).rejects.toMatchObject({ code: 'SOURCE_DAMAGED' });
  });
});

describe('pictures', () => {
  const sources: [string, ClipOptions, [number, number]][] = [
    ['rotated to portrait', { width: 320, height: 180, rotation: 90 }, [180, 320]],
    ['upside down', { width: 320, height: 180, rotation: 180 }, [320, 180]],
    ['anamorphic', { width: 180, height: 144, sampleAspect: '64/45' }, [256, 144]],
    ['rotated and anamorphic', { width: 180, height: 144, sampleAspect: '64/45', rotation: 270 }, [144, 256]],
    ['of an odd size', { width: 321, height: 241, videoCodec: ['-c:v', 'mpeg4'] }, [320, 240]],
  ];

  test.each(sources)('are upright and have square pixels if the source is %s', async (_, options, [width, height]) => {
    await using folder = await mediaFolder();
    const source = await makeClip(folder.path, { durationSeconds: 1, audio: null, ...options });
    const probe = await transcoder.probe(source);
    const outputDir = join(folder.path, 'out');
    const renditions = renditionsFor('1080p', probe);
    const ladder = await transcoder.encode({ sourcePath: source, probe, renditions, outputDir });

    const [rendition] = ladder.renditions;
    expect(ladder.renditions.map((r) => r.quality)).toEqual(['480p', '360p']);
    const file = await joined(outputDir, [rendition!.initPath, ...rendition!.segmentPaths]);
    const entries = 'stream=width,height,sample_aspect_ratio,pix_fmt:stream_side_data=rotation';
    const shown = await ffprobe('-of', 'compact=nokey=1:print_section=0', '-show_entries', entries, file);
    expect(shown.trim()).toBe(`${width}|${height}|1:1|yuv420p`);
    const poster = await ffprobe(
      '-of',
      'csv=p=0',
      '-show_entries',
      'stream=codec_name,width,height',
      join(outputDir, 'poster.jpg'),
    );
    expect(poster.trim()).toBe(`mjpeg,${width},${height}`);
  });

  test('may be a single frame, which becomes a video of one frame', async () => {
    await using folder = await mediaFolder();
    const source = await makeClip(folder.path, { durationSeconds: 0.04, audio: null });
    const { probe, ladder, outputDir } = await encodeTiny(folder.path, source);
    expect(probe.durationMs).toBe(40);
    expect(ladder).toMatchObject({ durationMs: 40, posterPath: 'poster.jpg' });
    const playlist = await readFile(join(outputDir, '480p/index.m3u8'), 'utf8');
    expect(playlist).toContain('#EXT-X-TARGETDURATION:1\n');
  });

  test('of a 2160p source get all six renditions, none larger than its box', async () => {
    await using folder = await mediaFolder();
    const source = await makeClip(folder.path, { width: 3840, height: 2160, durationSeconds: 0.4 });
    const probe = await transcoder.probe(source);
    const outputDir = join(folder.path, 'out');
    const renditions = renditionsFor('2160p', probe);
    // With the real preset: the fast one of the other tests does not use the High profile.
    const careful = await createFfmpegTranscoder();
    const ladder = await careful.encode({ sourcePath: source, probe, renditions, outputDir });
    expect(ladder.renditions.map((r) => [r.quality, r.height, r.codecs])).toEqual([
      ['2160p', 2160, 'avc1.640033'],
      ['1440p', 1440, 'avc1.640032'],
      ['1080p', 1080, 'avc1.640028'],
      ['720p', 720, 'avc1.64001f'],
      ['480p', 480, 'avc1.64001e'],
      ['432p', 432, 'avc1.64001e'],
      ['360p', 360, 'avc1.64001e'],
      ['audio', null, 'mp4a.40.2'],
    ]);
  });
});

describe('sound', () => {
  test('of six channels is mixed down to stereo', async () => {
    await using folder = await mediaFolder();
    const source = await makeClip(folder.path, { name: 'clip.mkv', audio: '5.1', durationSeconds: 1 });
    const { probe, ladder, outputDir } = await encodeTiny(folder.path, source);
    expect(probe.audio?.channels).toBe(6);
    const audio = ladder.renditions.find((rendition) => rendition.quality === 'audio')!;
    const file = await joined(outputDir, [audio.initPath, ...audio.segmentPaths]);
    const shown = await ffprobe('-of', 'csv=p=0', '-show_entries', 'stream=codec_name,channels,sample_rate', file);
    expect(shown.trim()).toBe('aac,48000,2');
  });

  test('may be missing', async () => {
    await using folder = await mediaFolder();
    const source = await makeClip(folder.path, { audio: null, durationSeconds: 1 });
    const { ladder } = await encodeTiny(folder.path, source);
    expect(ladder.renditions.map((rendition) => rendition.quality)).toEqual(['720p', '480p']);
  });

  test.each(['mp3', 'wav', 'flac', 'ogg', 'm4a', 'aac'])('may be alone: %s', async (extension) => {
    await using folder = await mediaFolder();
    const source = await makeSound(folder.path, { name: `tone.${extension}`, durationSeconds: 5 });
    const { probe, ladder } = await encodeTiny(folder.path, source);
    expect(probe.video).toBeNull();
    expect(Math.abs(probe.durationMs - 5_000)).toBeLessThan(60);
    expect(ladder.posterPath).toBeNull();
    expect(ladder.renditions).toMatchObject([{ quality: 'audio', codecs: 'mp4a.40.2', width: null, frameRate: null }]);
    expect(ladder.renditions[0]!.segmentPaths).toHaveLength(2);
  });

  test('is measured if the container does not state its length', async () => {
    await using folder = await mediaFolder();
    const clip = await makeClip(folder.path, { name: 'clip.mkv', durationSeconds: 3 });
    const live = join(folder.path, 'live.mkv');
    await ffmpeg('-i', clip, '-c', 'copy', '-f', 'matroska', '-live', '1', live);
    const header = await ffprobe('-of', 'csv=p=0', '-show_entries', 'format=duration', live);
    expect(header.trim()).toBe('N/A');
    const { durationMs } = await transcoder.probe(live);
    expect(Math.abs(durationMs - 3_000)).toBeLessThan(60);
  });

  test('may be half an hour of silence', async () => {
    await using folder = await mediaFolder();
    const source = await makeSilence(folder.path, { name: 'silence.flac', durationSeconds: 1_800 });
    const { probe, ladder } = await encodeTiny(folder.path, source);
    expect(probe.durationMs).toBe(1_800_000);
    // The encoder's priming of 21 ms does not cause one more segment.
    expect(ladder.renditions[0]!.segmentPaths).toHaveLength(450);
  });
});

describe('facts', () => {
  test('are those of the files', async () => {
    await using folder = await mediaFolder();
    const source = await makeClip(folder.path, { durationSeconds: 9 });
    const probe = await transcoder.probe(source);
    const outputDir = join(folder.path, 'out');
    const seen: EncodeProgress[] = [];
    const ladder = await transcoder.encode({
      sourcePath: source,
      probe,
      renditions: tinyLadder(probe),
      outputDir,
      onProgress: (progress) => seen.push(progress),
    });

    let totalBytes = (await stat(join(outputDir, 'poster.jpg'))).size;
    for (const path of ladder.storyboard!.paths) totalBytes += (await stat(join(outputDir, path))).size;
    expect(totalBytes).toBeGreaterThan(ladder.storyboard!.sizeBytes);
    for (const rendition of ladder.renditions) {
      const media = await Promise.all(rendition.segmentPaths.map((path) => stat(join(outputDir, path))));
      const bytes = media.reduce((sum, { size }) => sum + size, 0);
      const init = await stat(join(outputDir, rendition.initPath));
      const playlist = await stat(join(outputDir, rendition.playlistPath));
      expect(rendition.sizeBytes).toBe(bytes + init.size + playlist.size);
      // Of the exact duration, which is not always whole milliseconds.
      const bps = (bytes * 8_000) / rendition.durationMs;
      expect(Math.abs(rendition.averageBandwidthBps - bps)).toBeLessThan(1 + bps / rendition.durationMs);
      expect(rendition.peakBandwidthBps).toBeGreaterThanOrEqual(rendition.averageBandwidthBps);
      totalBytes += rendition.sizeBytes;
    }
    expect(ladder.sizeBytes).toBe(totalBytes);

    const percents = seen.map(({ percent }) => percent);
    expect(percents).toEqual(percents.toSorted((a, b) => a - b));
    expect(seen.at(-1)).toMatchObject({ step: 'measuring', percent: 99 });
  });

  test('contain nothing private of the source', async () => {
    await using folder = await mediaFolder();
    const source = await makeClip(folder.path, {
      durationSeconds: 1,
      videoCodec: ['-c:v', 'libx264', '-metadata', 'title=At home'],
    });
    const holdsTitle = async (path: string): Promise<boolean> => (await readFile(path)).includes('At home');
    expect(await holdsTitle(source)).toBe(true);
    const { ladder, outputDir } = await encodeTiny(folder.path, source);
    for (const { initPath } of ladder.renditions) {
      expect(await holdsTitle(join(outputDir, initPath))).toBe(false);
    }
  });
});
