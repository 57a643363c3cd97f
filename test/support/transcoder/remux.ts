import { join } from 'node:path';
import {
  passthroughCandidate,
  planPassthrough,
  type PassthroughPlan,
} from '../../../src/domain/media/pipeline/passthrough.js';
import { constantFrameRate } from '../../../src/domain/media/pipeline/frameRate.js';
import { renditionsFor } from '../../../src/domain/media/pipeline/ladder.js';
import { PassthroughUnfitError, type PacketScan } from '../../../src/ports/packets.js';
import type {
  EncodedLadder,
  EncodedRendition,
  Rendition,
  SourceProbe,
  Transcoder,
} from '../../../src/ports/transcoder.js';

/** A ladder with a top rendition of the source's own size and one below, at the rates of real renditions. */
export function smallLadder(probe: SourceProbe): Rendition[] {
  const own = renditionsFor('480p', probe);
  const [top] = own;
  if (top === undefined || top.quality === 'audio') return own;
  return [
    { ...top, quality: '720p', level: '3.1', frameRate: constantFrameRate(probe.video!) },
    { ...top, quality: '480p', width: 160, height: 90 },
    ...own.filter(({ quality }) => quality === 'audio'),
  ];
}

/** The passthrough plan of a source's small ladder, or the reason why there is none. */
export async function decide(transcoder: Transcoder, sourcePath: string): Promise<PassthroughPlan | string> {
  const probe = await transcoder.probe(sourcePath);
  const renditions = smallLadder(probe);
  const candidate = passthroughCandidate(renditions, probe);
  if (candidate === null) return 'by the report';
  let scan: PacketScan;
  try {
    scan = await transcoder.scanPackets({ sourcePath, probe, frameRate: candidate.frameRate });
  } catch (error) {
    if (error instanceof PassthroughUnfitError) return error.technicalTail;
    throw error;
  }
  return planPassthrough(renditions, candidate, scan, probe);
}

export interface Remuxed {
  probe: SourceProbe;
  plan: PassthroughPlan;
  boundaries: readonly number[];
  /** The folder with both parts of the ladder. */
  outputDir: string;
  passed: EncodedLadder;
  encoded: EncodedLadder;
  top: EncodedRendition;
  low: EncodedRendition;
  sound: EncodedRendition | undefined;
}

/** Makes the small ladder as the pipeline does: passthrough with the audio first, then the rest at its boundaries. */
export async function remux(transcoder: Transcoder, folder: string, sourcePath: string): Promise<Remuxed> {
  const probe = await transcoder.probe(sourcePath);
  const plan = await decide(transcoder, sourcePath);
  if (typeof plan === 'string') throw new Error(`nothing is kept: ${plan}`);
  const isKept = (rendition: Rendition): boolean => rendition.passthrough === true || rendition.quality === 'audio';
  const outputDir = join(folder, 'out');
  const { packets } = plan;
  const request = { sourcePath, probe, outputDir };
  const passed = await transcoder.encode({
    ...request,
    renditions: plan.renditions.filter(isKept),
    pictures: false,
    packets,
  });
  const boundaries = passed.boundaries!;
  const rest = plan.renditions.filter((rendition) => !isKept(rendition));
  const encoded = await transcoder.encode({ ...request, renditions: rest, boundaries });
  const sound = passed.renditions.find(({ quality }) => quality === 'audio');
  return {
    probe,
    plan,
    boundaries,
    outputDir,
    passed,
    encoded,
    top: passed.renditions[0]!,
    low: encoded.renditions[0]!,
    sound,
  };
}
