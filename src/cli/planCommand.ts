import { access } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { createFfmpegTranscoder } from '../adapters/transcode/ffmpegTranscoder.js';
import { ownConcurrency, ownMemoryBytes } from '../app/machine.js';
import { ConfigError, type Config } from '../config/config.js';
import { planChunks } from '../domain/media/pipeline/chunkPlan.js';
import { sourceQuality } from '../domain/media/pipeline/ladder.js';
import { type PlannedStage, planVideo, type VideoPlan } from '../domain/media/pipeline/planVideo.js';
import { demandOf, type EncodeDemand } from '../domain/media/pipeline/smallVideo.js';
import {
  framesPerSecond,
  QUALITIES,
  type Quality,
  type Rendition,
  type SourceProbe,
  type Transcoder,
} from '../ports/transcoder.js';
import { keepPackets } from '../worker/keepPackets.js';
import type { PreparedCommand } from './preparedCommand.js';
import type { Terminal } from './terminal.js';
import { UsageError } from './usageError.js';

const USAGE =
  'Usage: dhara plan FILE [--quality QUALITY] [--normalize-loudness] [--branding] [--json]\n' +
  `QUALITY is one of ${QUALITIES.join(', ')} (default: the best that the file is worth).`;
/** No earlier renditions exist. */
const NOTHING = { renditions: [], pictures: false };

/** What would be made of a file, and why passthrough is not used where it might have been. */
export interface PrintedPlan {
  readonly quality: Quality;
  readonly probe: SourceProbe;
  readonly plan: VideoPlan;
  /** Whether it can be encoded in chunks; `null` if that does not matter. */
  readonly isCuttable: boolean | null;
  readonly reasonAgainstPassthrough: string | null;
  readonly demand: EncodeDemand;
}

/**
 * `dhara plan FILE`: prints what a worker with these settings would make of a file. Reads the file, but neither
 * database nor store. Exits with 1 if the file cannot become a video.
 *
 * @throws UsageError for other arguments, ConfigError for a missing file, UnusableSourceError; TranscoderUnavailableError
 */
export function preparePlan(args: readonly string[], terminal: Terminal): PreparedCommand {
  const options = optionsOf(args);
  return (config) => runPlan(options, config, terminal);
}

async function runPlan(
  { path, json, ...wishes }: ReturnType<typeof optionsOf>,
  config: Config,
  terminal: Terminal,
): Promise<number> {
  await access(path).catch(() => {
    throw new ConfigError(`There is no file ${path}.`);
  });
  const transcoder = await createFfmpegTranscoder({ ffmpegPath: config.FFMPEG_PATH, searchPath: config.PATH });
  const printed = await planFile(transcoder, path, wishes, config);
  terminal.output.write(json ? `${JSON.stringify(printed, null, 2)}\n` : describe(printed, config));
  return 0;
}

async function planFile(
  transcoder: Transcoder,
  sourcePath: string,
  wishes: { quality: Quality | undefined; normalizeLoudness: boolean; isBranded: boolean },
  config: Config,
): Promise<PrintedPlan> {
  const probe = await transcoder.probe(sourcePath);
  const quality = wishes.quality ?? sourceQuality(probe);
  const facts = { ...wishes, quality, probe, published: NOTHING };
  const settings = { chunksFromSeconds: config.CHUNKS_FROM_SECONDS, chunkSeconds: config.CHUNK_SECONDS };
  let reasonAgainstPassthrough: string | null = null;
  const logger = {
    info: ({ reason }: { reason: string }) => {
      reasonAgainstPassthrough = reason;
    },
  };
  let plan = planVideo(facts, settings);
  const kept = plan.missing === 'kept' ? await keepPackets({ transcoder, logger }, plan, { probe, sourcePath }) : null;
  plan = planVideo({ ...facts, kept }, settings);
  const matters = plan.missing === 'isCuttable' || plan.stages.some((stage) => stage.chunkable !== null);
  const isCuttable = matters ? await transcoder.canCut({ sourcePath, probe }) : null;
  if (isCuttable !== null) plan = planVideo({ ...facts, kept, isCuttable }, settings);
  const limits = {
    max: config.WORKER_CONCURRENCY ?? ownConcurrency(),
    budgetBytes: config.WORKER_MEMORY_BYTES ?? ownMemoryBytes(),
  };
  const demand = demandOf({ quality, probe }, availableParallelism(), limits);
  return { quality, probe, plan, isCuttable, reasonAgainstPassthrough, demand };
}

function optionsOf(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        quality: { type: 'string' },
        'normalize-loudness': { type: 'boolean', default: false },
        branding: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
      },
    });
    const quality = QUALITIES.find((one) => one === values.quality);
    const [file] = positionals;
    if (file !== undefined && positionals.length === 1 && (values.quality === undefined || quality !== undefined)) {
      const { 'normalize-loudness': normalizeLoudness, branding: isBranded, json } = values;
      return { path: resolve(file), quality, normalizeLoudness, isBranded, json };
    }
  } catch {
    // An option that is unknown, or has no value.
  }
  throw new UsageError(USAGE);
}

/** The plan for a person. Ends with a newline. */
function describe(printed: PrintedPlan, config: Config): string {
  const { quality, probe, plan, isCuttable, reasonAgainstPassthrough, demand } = printed;
  const lines = [`Source    ${describeSource(probe)}`, `Quality   ${quality}`, '', 'Renditions'];
  for (const rendition of plan.renditions) lines.push(`  ${describeRendition(rendition)}`);
  if (reasonAgainstPassthrough) lines.push(`  Nothing is passed through: ${reasonAgainstPassthrough}.`);
  lines.push('', 'Stages, each playable as soon as it is made');
  for (const [nth, stage] of plan.stages.entries()) {
    lines.push(`  ${nth + 1}  ${describeStage(stage, isCuttable ? chunkCount(probe, config) : 1)}`);
  }
  const megabytes = Math.ceil(demand.bytes / (1024 * 1024));
  lines.push('', `Memory    ${megabytes} MiB${demand.isSmall ? ', not counted: the video is small' : ''}`);
  return `${lines.join('\n')}\n`;
}

function chunkCount(probe: SourceProbe, { CHUNK_SECONDS: chunkSeconds }: Config): number {
  return planChunks(probe, { chunkSeconds }).chunks.length;
}

function describeSource({ container, durationMs, video, audio }: SourceProbe): string {
  const parts = [container, `${(durationMs / 1000).toFixed(1)} s`];
  if (video) {
    const rate = framesPerSecond(video.frameRate).toFixed(2);
    parts.push(`${video.codec} ${video.displayWidth}×${video.displayHeight} at ${rate} frames/s`);
  }
  parts.push(audio ? `${audio.codec} with ${audio.channels} channels` : 'no sound');
  return parts.join(', ');
}

function describeRendition(rendition: Rendition): string {
  const how = rendition.passthrough ? 'passed through' : 'encoded';
  if (rendition.quality === 'audio') {
    const track = (rendition.track ?? 1) > 1 ? `, track ${rendition.track}` : '';
    const loudness = rendition.loudness ? `, at ${rendition.loudness.integratedLufs} LUFS` : '';
    return `audio    ${how}${rendition.passthrough ? '' : `, ${rendition.bitrateBps / 1000} kb/s`}${track}${loudness}`;
  }
  const { quality, width, height, crf, maxBitrateBps } = rendition;
  const rate = rendition.passthrough ? '' : `, CRF ${crf}, at most ${maxBitrateBps / 1_000_000} Mb/s`;
  return `${quality.padEnd(8)} ${how}, ${width}×${height}${rate}`;
}

function describeStage({ renditions, pictures, chunkable }: PlannedStage, chunks: number): string {
  const what = renditions.map(({ quality, ...rest }) =>
    'track' in rest && rest.track && rest.track > 1 ? `${quality}-${rest.track}` : quality,
  );
  if (pictures) what.push('poster, storyboard and preview');
  const inChunks = chunkable !== null && chunks > 1 ? ` (${chunks} chunks, by all workers)` : '';
  return `${what.join(', ')}${inChunks}`;
}
