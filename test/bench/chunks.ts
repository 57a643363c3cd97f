/**
 * A long video in chunks, on this machine: two workers against one ffmpeg, in alternating pairs. Also what sixteen such
 * machines would need for two hours, calculated from what a chunk of each stage, the sound and the pictures took here
 * alone.
 *
 * BENCH_CHUNK_PAIRS=2  BENCH_CHUNK_MINUTES=20
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createFfmpegTranscoder } from '../../src/adapters/transcode/ffmpegTranscoder.js';
import { renditionsFor } from '../../src/domain/media/pipeline/ladder.js';
import type {
  EncodedChunkRendition,
  EncodeRequest,
  ChunkSpan,
  Transcoder,
  VideoRendition,
} from '../../src/ports/transcoder.js';
import { CHUNK_SECONDS, planChunks } from '../../src/domain/media/pipeline/chunkPlan.js';
import { ffmpeg } from '../support/media.js';

const PAIRS = Number(process.env['BENCH_CHUNK_PAIRS'] ?? 2);
const MINUTES = Number(process.env['BENCH_CHUNK_MINUTES'] ?? 20);
const MAX_RATIO = 1.05;
const WORKERS = 16;
const LONG_VIDEO_MINUTES = 120;
const MIN_GAIN = 10;

const folder = await mkdtemp(join(tmpdir(), 'dhara-bench-'));
try {
  const transcoder = await createFfmpegTranscoder({ searchPath: process.env['PATH'] });
  const sourcePath = join(folder, 'video.mp4');
  await makeVideo(sourcePath, { size: '1280x144', seconds: MINUTES * 60 });
  const probe = await transcoder.probe(sourcePath);
  const pictures = renditionsFor('2160p', probe).filter(
    (rendition): rendition is VideoRendition => rendition.quality !== 'audio',
  );
  const { chunks } = planChunks(probe, { chunkSeconds: CHUNK_SECONDS });

  const inOneGo = (): Promise<number> =>
    timed('whole', async (outputDir) => {
      await transcoder.encode({ sourcePath, probe, renditions: pictures, pictures: false, outputDir });
    });
  const made: EncodedChunkRendition[][] = [];
  const oneChunk = (chunk: ChunkSpan, index: number): Promise<number> =>
    timed(`chunk-${index}`, async (outputDir) => {
      made[index] = await transcoder.encodeChunk({ sourcePath, probe, renditions: pictures, chunk, outputDir });
    });
  const joining = (): Promise<number> =>
    timed('joined', async (outputDir) => {
      const segmentName = (segment: number): string => `seg_${segment}.m4s`;
      await transcoder.joinChunks({ renditions: pictures, chunks: made, segmentName, outputDir });
    });
  const byTwo = async (): Promise<number> => {
    const startedAt = performance.now();
    await transcoder.canCut({ sourcePath, probe });
    const queue = chunks.entries();
    const worker = async (): Promise<void> => {
      for (const [index, chunk] of queue) await oneChunk(chunk, index);
    };
    await Promise.all([worker(), worker()]);
    await joining();
    return (performance.now() - startedAt) / 1000;
  };

  const pairs: [one: number, two: number][] = [];
  for (let pair = 0; pair < PAIRS; pair += 1) {
    pairs.push([await inOneGo(), await byTwo()]);
  }
  const ratios = pairs.map(([one, two]) => two / one);
  const ratio = ratios.toSorted((a, b) => a - b)[Math.floor((ratios.length - 1) / 2)]!;
  const spread = pairs.map(([one, two]) => `${one.toFixed(1)}→${two.toFixed(1)}`).join(' ');
  tell(
    ratio <= MAX_RATIO,
    `${MINUTES} minutes in chunks by two workers take ${ratio.toFixed(3)} × one ffmpeg ` +
      `(target at most ${MAX_RATIO}; seconds one→two ${spread})`,
  );

  await simulate(transcoder);
} finally {
  await rm(folder, { recursive: true });
}

/** Two hours of 1080p as the pipeline makes them. Measured on two minutes, which are one chunk. */
async function simulate(transcoder: Transcoder): Promise<void> {
  const sourcePath = join(folder, 'large.mp4');
  await makeVideo(sourcePath, { size: '1920x1080', seconds: CHUNK_SECONDS });
  const probe = await transcoder.probe(sourcePath);
  const wanted = renditionsFor('1080p', probe);
  const pictures = wanted.filter((rendition): rendition is VideoRendition => rendition.quality !== 'audio');
  const sound = wanted.filter(({ quality }) => quality === 'audio');
  const chunks = (LONG_VIDEO_MINUTES * 60) / CHUNK_SECONDS;
  const whole = (request: Pick<EncodeRequest, 'renditions' | 'pictures' | 'besidePicture'>): Promise<number> =>
    timed('whole', async (outputDir) => void (await transcoder.encode({ sourcePath, probe, outputDir, ...request })));
  const oneChunk = (renditions: readonly VideoRendition[]): Promise<number> =>
    timed('chunk', async (outputDir) => {
      const chunk = { firstSegment: 0, endSegment: null };
      const made = await transcoder.encodeChunk({ sourcePath, probe, renditions, chunk, outputDir });
      const segmentName = (segment: number): string => `seg_${segment}.m4s`;
      await transcoder.joinChunks({ renditions, chunks: [made], segmentName, outputDir });
    });
  const startedAt = performance.now();
  await transcoder.canCut({ sourcePath, probe });
  const cutSeconds = (chunks * (performance.now() - startedAt)) / 1000;
  const soundSeconds = (await whole({ renditions: sound, pictures: false })) * chunks;
  // As a separate stage beside renditions that are there; alone, it would be refused for having made no video.
  const picturesSeconds = (await whole({ renditions: [], pictures: true, besidePicture: true })) * chunks;
  const lowestSeconds = await oneChunk(pictures.slice(-1));
  const restSeconds = await oneChunk(pictures.slice(0, -1));
  const oneSeconds = (await whole({ renditions: wanted, pictures: true })) * chunks;
  const many = shared({ chunks, soundSeconds, lowestSeconds, picturesSeconds, restSeconds });
  const manySeconds = cutSeconds + many.all;
  const gain = oneSeconds / manySeconds;
  tell(
    gain >= MIN_GAIN,
    `${LONG_VIDEO_MINUTES} minutes by ${WORKERS} workers, simulated: ${gain.toFixed(1)} × faster than by one ` +
      `(target at least ${MIN_GAIN}; ${oneSeconds.toFixed(0)} s → ${manySeconds.toFixed(0)} s, plays after ` +
      `${(cutSeconds + many.first).toFixed(0)} s; packets read in ${cutSeconds.toFixed(0)} s, ${chunks} chunks of ` +
      `${lowestSeconds.toFixed(1)} and ${restSeconds.toFixed(1)} s, sound ${soundSeconds.toFixed(0)} s, pictures ` +
      `${picturesSeconds.toFixed(0)} s)`,
  );
}

/** Cheap to decode, with a keyframe every two seconds as cameras write them. */
async function makeVideo(path: string, { size, seconds }: { size: string; seconds: number }): Promise<void> {
  const picture = ['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=25:duration=${seconds}`];
  // A pure tone would take an encoder four times as long as music does.
  const noise = [
    '-f',
    'lavfi',
    '-i',
    `anoisesrc=color=pink:amplitude=0.3:sample_rate=48000:duration=${seconds}:seed=1`,
  ];
  await ffmpeg(...picture, ...noise, '-c:v', 'mpeg4', '-q:v', '5', '-g', '50', '-c:a', 'aac', path);
}

/** Runs in its own folder, which is removed afterwards. @returns seconds */
async function timed(name: string, work: (outputDir: string) => Promise<void>): Promise<number> {
  const outputDir = join(folder, name);
  const startedAt = performance.now();
  await work(outputDir);
  const seconds = (performance.now() - startedAt) / 1000;
  await rm(outputDir, { recursive: true });
  return seconds;
}

interface SharedVideo {
  readonly chunks: number;
  readonly soundSeconds: number;
  readonly lowestSeconds: number;
  readonly picturesSeconds: number;
  readonly restSeconds: number;
}

/**
 * The first free worker takes the next chunk, lowest rendition first. The video's own worker first makes the sound, and
 * makes the pictures as soon as the first stage is complete.
 */
function shared(video: SharedVideo): { first: number; all: number } {
  const busyUntil = Array.from({ length: WORKERS }, (_, worker) => (worker === 0 ? video.soundSeconds : 0));
  const makeChunks = (seconds: number): number[] =>
    Array.from({ length: video.chunks }, () => {
      const next = busyUntil.indexOf(Math.min(...busyUntil));
      return (busyUntil[next] = busyUntil[next]! + seconds);
    });
  const first = Math.max(busyUntil[0]!, ...makeChunks(video.lowestSeconds));
  busyUntil[0] = first + video.picturesSeconds;
  makeChunks(video.restSeconds);
  return { first, all: Math.max(...busyUntil) };
}

function tell(isMet: boolean, line: string): void {
  console.log(`${isMet ? 'ok    ' : 'MISSED'} chunks: ${line}`);
  if (!isMet) process.exitCode = 1;
}
