import { join } from 'node:path';

import { beforeAll, describe, expect, test } from 'vitest';

import { createFfmpegTranscoder } from '../../../src/adapters/transcode/ffmpegTranscoder.js';
import { LOUDNESS_TARGET, renditionsFor } from '../../../src/domain/media/pipeline/ladder.js';
import type {
  EncodedLadder,
  EncodedRendition,
  EncodeProgress,
  SourceProbe,
  Transcoder,
} from '../../../src/ports/transcoder.js';
import { ffmpeg, mediaFolder } from '../../support/media.js';
import { joined, segmentStarts } from './hls.js';
import { ebur128Of, heard, loudnessOf, toneHz } from './sound.js';

let transcoder: Transcoder;

beforeAll(async () => {
  transcoder = await createFfmpegTranscoder({ preset: 'ultrafast' });
});

interface Made {
  probe: SourceProbe;
  ladder: EncodedLadder;
  outputDir: string;
  steps: EncodeProgress['step'][];
}

/** Encodes the sound of a file; `even` normalizes its loudness. */
async function encodeSound(folder: string, sourcePath: string, { even = false } = {}): Promise<Made> {
  const probe = await transcoder.probe(sourcePath);
  const outputDir = join(folder, 'out');
  const renditions = renditionsFor('audio', probe, { normalizeLoudness: even });
  const steps: EncodeProgress['step'][] = [];
  const onProgress = ({ step }: EncodeProgress): void => void steps.push(step);
  return {
    probe,
    outputDir,
    steps,
    ladder: await transcoder.encode({ sourcePath, probe, renditions, outputDir, onProgress }),
  };
}

function wholeOf({ outputDir }: Made, rendition: EncodedRendition): Promise<string> {
  return joined(outputDir, [rendition.initPath, ...rendition.segmentPaths]);
}

/** Sound inputs that ffmpeg generates. */
function lavfi(...sources: string[]): string[] {
  return sources.flatMap((source) => ['-f', 'lavfi', '-i', source]);
}

const PICTURE = 'color=size=64x36:rate=25:duration=5';
const sine = (hz: number, seconds = 5): string => `sine=frequency=${hz}:sample_rate=48000:duration=${seconds}`;

describe('several tracks', () => {
  test('keep language, title and purpose: Matroska with three languages and a commentary', async () => {
    await using folder = await mediaFolder();
    const path = join(folder.path, 'video.mkv');
    await ffmpeg(
      ...lavfi(PICTURE, sine(440), sine(880), sine(1320, 2), sine(1760)),
      '-map',
      '0',
      '-map',
      '1',
      '-map',
      '2',
      '-map',
      '3',
      '-map',
      '4',
      '-c:v',
      'libx264',
      '-preset',
      'ultrafast',
      '-metadata:s:a:0',
      'language=eng',
      '-metadata:s:a:1',
      'language=ger',
      '-metadata:s:a:2',
      'language=fre',
      '-metadata:s:a:3',
      'language=eng',
      '-metadata:s:a:3',
      'title=The director',
      '-disposition:a:0',
      '0',
      '-disposition:a:1',
      'default',
      '-disposition:a:2',
      'visual_impaired',
      '-disposition:a:3',
      'comment',
      path,
    );
    const made = await encodeSound(folder.path, path);
    const { probe, ladder, outputDir } = made;
    expect(probe.audio).toEqual(probe.audios?.[0]);
    expect(
      probe.audios?.map(({ language, title, isCommentary, isDescription }) => [
        language,
        title,
        isCommentary,
        isDescription,
      ]),
    ).toEqual([
      ['ger', null, false, false],
      ['eng', null, false, false],
      ['fre', null, false, true],
      ['eng', 'The director', true, false],
    ]);
    expect(ladder.renditions.map(({ playlistPath, track }) => [playlistPath, track])).toEqual([
      ['audio/index.m3u8', 1],
      ['audio-2/index.m3u8', 2],
      ['audio-3/index.m3u8', 3],
      ['audio-4/index.m3u8', 4],
    ]);
    const tones: number[] = [];
    for (const rendition of ladder.renditions) tones.push(await toneHz(await wholeOf(made, rendition), 0.5));
    expect(tones).toEqual([880, 440, 1320, 1760]);
    // The track that ends early continues in silence, in segments that begin where the others' do.
    const short = ladder.renditions[2]!;
    expect(Math.abs(short.durationMs - ladder.durationMs)).toBeLessThan(60);
    expect(await segmentStarts(outputDir, short)).toEqual(await segmentStarts(outputDir, ladder.renditions[0]!));
  });

  test('are read from an MP4, the later one with its delay', async () => {
    await using folder = await mediaFolder();
    const path = join(folder.path, 'video.mp4');
    await ffmpeg(
      ...lavfi(PICTURE, sine(440)),
      '-itsoffset',
      '1.5',
      ...lavfi(sine(880, 3)),
      '-map',
      '0',
      '-map',
      '1',
      '-map',
      '2',
      '-c:v',
      'libx264',
      '-preset',
      'ultrafast',
      '-c:a',
      'aac',
      '-metadata:s:a:0',
      'language=hin',
      '-metadata:s:a:1',
      'language=eng',
      path,
    );
    const made = await encodeSound(folder.path, path);
    expect(made.probe.audios?.map(({ language }) => language)).toEqual(['hin', 'eng']);
    const late = await heard(await wholeOf(made, made.ladder.renditions[1]!));
    expect(Math.abs(late.fromSeconds - 1.5)).toBeLessThan(0.04);
    expect(Math.abs(late.toSeconds - 4.5)).toBeLessThan(0.06);
  });

  test('are at most sixteen', async () => {
    await using folder = await mediaFolder();
    const path = join(folder.path, 'babel.mka');
    const maps = Array.from({ length: 20 }, () => ['-map', '0']).flat();
    await ffmpeg(...lavfi(sine(440, 1)), ...maps, '-c:a', 'flac', path);
    const { ladder } = await encodeSound(folder.path, path);
    expect(ladder.renditions).toHaveLength(16);
    expect(ladder.renditions.at(-1)?.playlistPath).toBe('audio-16/index.m3u8');
  });
});

describe('mixing down to stereo', () => {
  const full = '0.9*sin(2*PI*440*t)';
  test.each([
    ['5.1', 6],
    ['7.1', 8],
    ['quad', 4],
  ])('does not clip if all channels of %s are loud at once', async (layout, channels) => {
    await using folder = await mediaFolder();
    const path = join(folder.path, 'loud.mka');
    const source = `aevalsrc=${Array.from({ length: channels }, () => full).join('|')}:c=${layout}:d=3:s=48000`;
    await ffmpeg(...lavfi(source), '-c:a', 'pcm_f32le', path);
    const made = await encodeSound(folder.path, path);
    const { truePeakDbtp } = await loudnessOf(await wholeOf(made, made.ladder.renditions[0]!));
    expect(truePeakDbtp).toBeLessThan(0);
    expect(truePeakDbtp).toBeGreaterThan(-3);
  });

  test('keeps the loudness of a single channel, on both sides', async () => {
    await using folder = await mediaFolder();
    const path = join(folder.path, 'mono.wav');
    await ffmpeg(...lavfi('aevalsrc=0.5*sin(2*PI*440*t):c=mono:d=3:s=44100'), path);
    const made = await encodeSound(folder.path, path);
    const { truePeakDbtp } = await loudnessOf(await wholeOf(made, made.ladder.renditions[0]!));
    expect(Math.abs(truePeakDbtp - 20 * Math.log10(0.5))).toBeLessThan(0.5);
  });
});

describe('loudness normalization', () => {
  const WORDS =
    'Dhara hosts videos. Upload a file, choose a quality, and send the link. It plays on every screen, and you pay only ' +
    'for what was made. Peter Piper picked a peck of pickled peppers. Stop! Who goes there? Nobody, it seems, at all.';
  /** A kick and a snare, twice a second, over a quiet chord. */
  const DRUMS =
    '0.6*exp(-40*mod(t,0.5))*sin(2*PI*60*t)+0.5*exp(-60*mod(t+0.25,0.5))*(random(0)-0.5)*2+0.1*sin(2*PI*330*t)';
  /** A whisper and a talker; full-scale clicks over something quiet. */
  const sources: [string, string, { before?: string; whisper?: number; withinLu?: number }?][] = [
    ['speech with strong peaks', `flite=text='${WORDS}':voice=slt`, { before: 'volume=12dB' }],
    ['quiet speech', `flite=text='${WORDS}':voice=rms`, { before: 'volume=-14dB' }],
    ['music with strong peaks', `aevalsrc='${DRUMS}':d=10:s=48000`],
    ['quiet music with strong peaks', `aevalsrc='${DRUMS}':d=10:s=44100`, { before: 'volume=-15dB' }],
    ['quiet and loud noise', 'anoisesrc=c=pink:a=0.2:d=8:seed=1,volume=0.5+0.5*gt(mod(t\\,2)\\,1):eval=frame'],
    ['loud music', 'anoisesrc=c=pink:a=1:d=8:seed=2'],
    [
      'peaks too high for a constant gain',
      "aevalsrc='0.15*sin(2*PI*300*t)+0.8*lt(mod(t,2),0.001)*sin(2*PI*2000*t)':d=10:s=48000",
    ],
    // Four blocks of the meter: what AAC adds around them weighs more.
    ['one second', 'anoisesrc=c=pink:a=0.1:d=1:seed=3', { withinLu: 1 }],
    ['a steady tone', 'sine=frequency=440:d=6'],
    ['a whisper, which stays quiet', 'anoisesrc=c=pink:a=0.01:d=6:seed=4', { whisper: 24 }],
  ];

  test.each(sources)('reaches loudness and peak for %s', async (_, source, options = {}) => {
    const { before = 'anull', whisper, withinLu = 0.5 } = options;
    await using folder = await mediaFolder();
    const path = join(folder.path, 'sound.wav');
    await ffmpeg(...lavfi(source), '-af', before, '-ac', '2', '-c:a', 'pcm_f32le', path);
    const plain = await ebur128Of(path);
    const made = await encodeSound(folder.path, path, { even: true });
    const whole = await wholeOf(made, made.ladder.renditions[0]!);
    const after = await ebur128Of(whole);
    const second = await loudnessOf(whole);
    const wanted = whisper === undefined ? LOUDNESS_TARGET.integratedLufs : plain.integratedLufs + whisper;
    expect(Math.abs(after.integratedLufs - wanted)).toBeLessThanOrEqual(withinLu);
    expect(after.truePeakDbtp).toBeLessThanOrEqual(LOUDNESS_TARGET.truePeakDbtp);
    expect(Math.abs(second.integratedLufs - after.integratedLufs)).toBeLessThan(0.5);
    expect(Math.abs(after.rangeLu - plain.rangeLu)).toBeLessThan(2);
    expect(second.sampleRate).toBe(48_000);
    expect(Math.abs(made.ladder.durationMs - made.probe.durationMs)).toBeLessThan(60);
    expect(made.steps[0]).toBe('listening');
  });

  test('leaves a track quieter whose peaks would have to lose too much', async () => {
    await using folder = await mediaFolder();
    const path = join(folder.path, 'clicks.wav');
    const clicks = '0.01*sin(2*PI*300*t)+0.95*lt(mod(t,2),0.001)*sin(2*PI*2000*t)';
    await ffmpeg(...lavfi(`aevalsrc='${clicks}':d=10:s=48000`), '-ac', '2', '-c:a', 'pcm_f32le', path);
    const plain = await ebur128Of(path);
    const made = await encodeSound(folder.path, path, { even: true });
    const after = await ebur128Of(await wholeOf(made, made.ladder.renditions[0]!));
    expect(after.truePeakDbtp).toBeLessThanOrEqual(LOUDNESS_TARGET.truePeakDbtp);
    expect(after.integratedLufs).toBeLessThan(LOUDNESS_TARGET.integratedLufs - 3);
    // By what the limiter may take, and no more.
    expect(after.integratedLufs - plain.integratedLufs).toBeLessThan(12);
    expect(after.integratedLufs - plain.integratedLufs).toBeGreaterThan(5);
  });

  test('keeps silence silent, and leaves a very short sound as it is', async () => {
    await using folder = await mediaFolder();
    const path = join(folder.path, 'nothing.mka');
    const sources = lavfi('anullsrc=d=4', sine(440, 0.2));
    await ffmpeg(...sources, '-map', '0', '-map', '1', '-t', '4', '-c:a', 'flac', path);
    const made = await encodeSound(folder.path, path, { even: true });
    const [silent, moment] = made.ladder.renditions;
    expect((await loudnessOf(await wholeOf(made, silent!))).truePeakDbtp).toBe(-Infinity);
    expect((await loudnessOf(await wholeOf(made, moment!))).truePeakDbtp).toBeCloseTo(-18, 0);
  });

  test('treats each track separately, and moves none of them in time', async () => {
    await using folder = await mediaFolder();
    const path = join(folder.path, 'two.mkv');
    const speech = 'anoisesrc=c=pink:a=0.5:d=6:seed=5,aformat=channel_layouts=5.1';
    const later = 'anoisesrc=c=pink:a=0.1:d=4:seed=6,adelay=2s:all=1';
    await ffmpeg(...lavfi(PICTURE, speech, later), '-map', '0', '-map', '1', '-map', '2', '-c:a', 'flac', path);
    const made = await encodeSound(folder.path, path, { even: true });
    for (const rendition of made.ladder.renditions) {
      const after = await loudnessOf(await wholeOf(made, rendition));
      expect(Math.abs(after.integratedLufs - LOUDNESS_TARGET.integratedLufs)).toBeLessThan(1);
    }
    const { fromSeconds } = await heard(await wholeOf(made, made.ladder.renditions[1]!));
    expect(Math.abs(fromSeconds - 2)).toBeLessThan(0.04);
  });
});
