import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { createFfmpegTranscoder } from '../../../src/adapters/transcode/ffmpegTranscoder.js';
import { readPlaylist } from '../../../src/adapters/transcode/encode/measureRendition.js';
import { withKeyFrames } from '../../../src/adapters/transcode/probe/keyFrames.js';
import { masterPlaylist } from '../../../src/domain/media/library/masterPlaylist.js';
import { framesPerSecond, type Transcoder } from '../../../src/ports/transcoder.js';
import { timescaleOf, timesOf as segmentTimes } from '../../support/corpus/segments.js';
import type { ClipOptions } from '../../support/media.js';
import { frameHashes, makeClip, mediaFolder } from '../../support/media.js';
import { allPackets, joined, segmentStarts, type Packet } from './hls.js';
import { remux, type Remuxed } from '../../support/transcoder/remux.js';

const AUDIO_PACKET_SECONDS = 1_024 / 48_000;

let transcoder: Transcoder;

beforeAll(async () => {
  transcoder = await createFfmpegTranscoder({ preset: 'veryfast' });
});

/** A small encode with a fixed keyframe interval. */
function h264(...settings: string[]): string[] {
  return ['-c:v', 'libx264', '-preset', 'veryfast', '-sc_threshold', '0', ...settings];
}

function everyFrames(count: number, ...more: string[]): string[] {
  return h264('-g', `${count}`, ...more);
}

const FITTING: [string, ClipOptions][] = [
  ['25 fps', { frameRate: '25', videoCodec: everyFrames(50) }],
  ['23.976 fps', { frameRate: '24000/1001', videoCodec: everyFrames(48) }],
  ['29.97 fps in Matroska', { name: 'clip.mkv', frameRate: '30000/1001', videoCodec: everyFrames(60) }],
  [
    '60 fps in Matroska, with AAC',
    { name: 'clip.mkv', frameRate: '60', videoCodec: everyFrames(120), audioCodec: ['-c:a', 'aac'] },
  ],
  ['25 fps in a transport stream', { name: 'clip.ts', frameRate: '25', videoCodec: everyFrames(50) }],
  ['a pyramid of B-frames', { videoCodec: everyFrames(50, '-bf', '5', '-x264-params', 'b-pyramid=normal') }],
  ['no B-frames, baseline', { videoCodec: everyFrames(50, '-profile:v', 'baseline') }],
  ['a keyframe every 5 s', { durationSeconds: 16, videoCodec: everyFrames(125) }],
  ['a keyframe every 3.5 s', { durationSeconds: 12, videoCodec: everyFrames(70), frameRate: '20' }],
  ['scene cuts', { videoCodec: h264('-g', '500', '-force_key_frames', '0.4,0.52,3.2,6,6.04,8.88') }],
];

describe('a suitable source', () => {
  test.each(FITTING)('with %s is passed through, and the other renditions have its boundaries', async (_, options) => {
    await using folder = await mediaFolder();
    const source = await makeClip(folder.path, { durationSeconds: 10, ...options });
    const made = await remux(transcoder, folder.path, source);
    const { top, low, boundaries, outputDir, probe } = made;
    const { numerator, denominator } = top.frameRate!;
    const frameSeconds = denominator / numerator;

    const starts = await segmentStarts(outputDir, top);
    expect(starts.length).toBeGreaterThan(1);
    expect(starts[0]).toBe(0);
    const kept = await allPackets(outputDir, top);
    const drawn = await allPackets(outputDir, low);
    expect(drawn.filter(({ keyframe }) => keyframe)).toHaveLength(starts.length);
    for (const [index, start] of (await segmentStarts(outputDir, low)).entries()) {
      expect(Math.abs(start - starts[index]!)).toBeLessThan(frameSeconds / 2);
      expect(Math.abs(start - boundaries[index]! / 1_000)).toBeLessThan(frameSeconds / 2);
      for (const packets of [kept, drawn]) {
        expect(
          packets.some(
            ({ keyframe, ptsSeconds }) => keyframe && Math.abs(ptsSeconds - packets[0]!.ptsSeconds - start) < 0.001,
          ),
        ).toBe(true);
      }
    }
    await expectSoundPlaylists(made);
    expect(Math.abs(top.durationMs - probe.durationMs)).toBeLessThan(1_000 * frameSeconds + 60);
    // Bit for bit what was uploaded.
    const file = await joined(outputDir, [top.initPath, ...top.segmentPaths]);
    expect(await frameHashes(file)).toEqual(await frameHashes(source));
    // The encoded rendition shows the same frames at the same times, without a duplicate at the boundary.
    const step = Math.round(kept.length / drawn.length);
    expect(step).toBe(framesPerSecond(top.frameRate!) > 30 ? 2 : 1);
    expect(timesOf(drawn)).toEqual(timesOf(kept).filter((_, frame) => frame % step === 0));
  });

  test('is passed through together with its AAC sound, and their properties are measured', async () => {
    await using folder = await mediaFolder();
    const source = await makeClip(folder.path, {
      durationSeconds: 10,
      videoCodec: everyFrames(50, '-profile:v', 'main'),
    });
    const { top, low, sound, passed, encoded, plan, outputDir } = await remux(transcoder, folder.path, source);
    expect(plan.renditions.map(({ quality, passthrough }) => [quality, passthrough])).toEqual([
      ['720p', true],
      ['480p', undefined],
      ['audio', true],
    ]);
    expect(top).toMatchObject({ width: 320, height: 180, codecs: expect.stringMatching(/^avc1\.4d40/) });
    expect(passed.posterPath).toBeNull();
    expect(encoded.posterPath).toBe('poster.jpg');
    const master = masterPlaylist([top, low, sound!]);
    expect(master).toContain(`CODECS="${top.codecs},mp4a.40.2",RESOLUTION=320x180,FRAME-RATE=25.000`);
    expect(master).toContain(`BANDWIDTH=${top.peakBandwidthBps + sound!.peakBandwidthBps},`);
    const file = await joined(outputDir, [sound!.initPath, ...sound!.segmentPaths]);
    const heard = await frameHashes(source, 'a');
    // The encoder's priming comes first; players skip it by the edit list.
    expect((await frameHashes(file, 'a')).slice(-heard.length)).toEqual(heard);
  });

  test.each([
    ['two keyframes in each segment', everyFrames(50)],
    ['a scene cut in some', h264('-g', '500', '-force_key_frames', '0.4,4,6,8')],
    ['one keyframe in each', everyFrames(100)],
  ])('lists every keyframe once, as a range that can be decoded by itself: %s', async (_, videoCodec) => {
    await using folder = await mediaFolder();
    const source = await makeClip(folder.path, { durationSeconds: 10, videoCodec });
    const { top, outputDir } = await remux(transcoder, folder.path, source);
    const { playlistPath } = (await withKeyFrames(outputDir, top)).keyFrames!;
    const playlist = await readFile(join(outputDir, playlistPath), 'utf8');
    const listed = [...playlist.matchAll(/#EXTINF:([\d.]+),\n#EXT-X-BYTERANGE:(\d+)@(\d+)\n(\S+)/g)];
    const init = await readFile(join(outputDir, top.initPath));
    const starts: number[] = [];
    let atSeconds = 0;
    const whole = await frameHashes(source);
    for (const [, seconds, size, offset, name] of listed) {
      const segment = await readFile(join(outputDir, '720p', name!));
      const alone = join(folder.path, 'alone.mp4');
      await writeFile(alone, Buffer.concat([init, segment.subarray(Number(offset), Number(offset) + Number(size))]));
      expect(await frameHashes(alone)).toEqual([whole[Math.round(atSeconds * 25)]]);
      starts.push(atSeconds);
      atSeconds += Number(seconds);
    }
    const keyframes = (await allPackets(outputDir, top)).filter(({ keyframe }) => keyframe);
    const [first] = keyframes;
    expect(starts.map((start) => start.toFixed(2))).toEqual(
      keyframes.map(({ ptsSeconds }) => (ptsSeconds - first!.ptsSeconds).toFixed(2)),
    );
    expect(Math.round(atSeconds * 1_000)).toBe(top.durationMs);
  });

  test('may be without sound, and shorter than a segment', async () => {
    await using folder = await mediaFolder();
    const source = await makeClip(folder.path, { durationSeconds: 1, audio: null, videoCodec: everyFrames(50) });
    const { boundaries, top, low } = await remux(transcoder, folder.path, source);
    expect(boundaries).toEqual([0]);
    expect([top.durationMs, low.durationMs]).toEqual([1_000, 1_000]);
  });
});

/**
 * Presentation times relative to the first frame, in hundredths of a second: ffprobe shifts all of them by the
 * reordering delay.
 */
function timesOf(packets: readonly Packet[]): number[] {
  return packets
    .map(({ ptsSeconds }) => Math.round((ptsSeconds - packets[0]!.ptsSeconds) * 100))
    .toSorted((a, b) => a - b);
}

/** Every playlist of a video states the same target duration, no segment is longer, and the sound stays in sync. */
async function expectSoundPlaylists({ outputDir, passed, encoded, boundaries }: Remuxed): Promise<void> {
  for (const rendition of [...passed.renditions, ...encoded.renditions]) {
    const playlist = readPlaylist(await readFile(join(outputDir, rendition.playlistPath), 'utf8'));
    expect([rendition.targetDurationSeconds, playlist.targetDurationSeconds]).toEqual([6, 6]);
    const ticksPerSecond = timescaleOf(await readFile(join(outputDir, rendition.initPath)));
    let at = 0;
    for (const [index, { durationSeconds }] of playlist.segments.entries()) {
      expect(Math.round(durationSeconds)).toBeLessThanOrEqual(6);
      const { duration } = segmentTimes(await readFile(join(outputDir, rendition.segmentPaths[index]!)));
      expect(Math.abs(durationSeconds - duration / ticksPerSecond)).toBeLessThan(AUDIO_PACKET_SECONDS / 4);
      if (rendition.quality !== 'audio') expect(Math.abs(at - boundaries[index]! / 1_000)).toBeLessThan(0.01);
      at += durationSeconds;
    }
    expect(Math.abs(playlist.segments.length - boundaries.length)).toBeLessThanOrEqual(
      rendition.quality === 'audio' ? 1 : 0,
    );
  }
}
