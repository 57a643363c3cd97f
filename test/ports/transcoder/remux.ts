import { join } from 'node:path';
import { copyCandidate, planCopies, type CopyPlan } from '../../../src/domain/processing/copyRungs.js';
import { rungsFor } from '../../../src/domain/processing/ladder.js';
import { CopyUnfitError, type PacketScan } from '../../../src/ports/packets.js';
import type { EncodedLadder, EncodedRung, Rung, SourceProbe, Transcoder } from '../../../src/ports/transcoder.js';

/** A ladder whose top rung has the source's own size, and one below. Its rates are those of real rungs. */
export function smallLadder(probe: SourceProbe): Rung[] {
  const own = rungsFor('480p', probe);
  const [top] = own;
  if (top === undefined || top.quality === 'audio') return own;
  return [
    { ...top, quality: '720p', level: '3.1' },
    { ...top, quality: '480p', width: 160, height: 90 },
    ...own.slice(1),
  ];
}

/** What is kept of a source's small ladder, or why nothing is. */
export async function decide(transcoder: Transcoder, sourcePath: string): Promise<CopyPlan | string> {
  const probe = await transcoder.probe(sourcePath);
  const rungs = smallLadder(probe);
  const candidate = copyCandidate(rungs, probe);
  if (candidate === null) return 'by the report';
  let scan: PacketScan;
  try {
    scan = await transcoder.scanPackets({ sourcePath, probe, frameRate: candidate.frameRate });
  } catch (error) {
    if (error instanceof CopyUnfitError) return error.technicalTail;
    throw error;
  }
  return planCopies(rungs, candidate, scan, probe);
}

export interface Remuxed {
  probe: SourceProbe;
  plan: CopyPlan;
  borders: readonly number[];
  /** The folder that holds both parts of the ladder. */
  outputDir: string;
  copied: EncodedLadder;
  encoded: EncodedLadder;
  top: EncodedRung;
  low: EncodedRung;
  sound: EncodedRung | undefined;
}

/** Makes the small ladder as the pipeline does: what is copied, with the sound, and then the rest at its borders. */
export async function remux(transcoder: Transcoder, folder: string, sourcePath: string): Promise<Remuxed> {
  const probe = await transcoder.probe(sourcePath);
  const plan = await decide(transcoder, sourcePath);
  if (typeof plan === 'string') throw new Error(`nothing is kept: ${plan}`);
  const isKept = (rung: Rung): boolean => rung.copy === true || rung.quality === 'audio';
  const outputDir = join(folder, 'out');
  const { packets } = plan;
  const request = { sourcePath, probe, outputDir };
  const copied = await transcoder.encode({ ...request, rungs: plan.rungs.filter(isKept), pictures: false, packets });
  const borders = copied.borders!;
  const rest = plan.rungs.filter((rung) => !isKept(rung));
  const encoded = await transcoder.encode({ ...request, rungs: rest, borders });
  const sound = copied.rungs.find(({ quality }) => quality === 'audio');
  return { probe, plan, borders, outputDir, copied, encoded, top: copied.rungs[0]!, low: encoded.rungs[0]!, sound };
}
