import type { Claim } from '../domain/processing/attempt.service.js';
import { copyCandidate, planCopies, type CopyPlan } from '../domain/processing/copyRungs.js';
import type { Logger } from '../logger.js';
import { CopyUnfitError } from '../ports/packets.js';
import type { Rung, Transcoder } from '../ports/transcoder.js';
import type { StageCut } from './makeStage.js';
import type { Stage } from './stages.js';

/**
 * What of a ladder is copied out of its source instead of encoded; null where nothing is. A copy is what everything else
 * is cut by: so it comes first, or not at all.
 */
export async function keepPackets(
  { transcoder, logger }: { transcoder: Transcoder; logger: Logger },
  {
    claim,
    rungs,
    sourcePath,
    signal,
  }: { claim: Claim; rungs: readonly Rung[]; sourcePath: string; signal: AbortSignal },
): Promise<CopyPlan | null> {
  const { probe, brand, published } = claim;
  const candidate = brand === null && published.rungs.length === 0 ? copyCandidate(rungs, probe) : null;
  if (candidate === null) return null;
  try {
    const scan = await transcoder.scanPackets({ sourcePath, probe, frameRate: candidate.frameRate, signal });
    const plan = planCopies(rungs, candidate, scan, probe);
    if (typeof plan !== 'string') return plan;
    logger.info({ quality: candidate.quality, reason: plan }, 'nothing is copied');
  } catch (error) {
    if (!(error instanceof CopyUnfitError)) throw error;
    logger.info({ quality: candidate.quality, reason: error.technicalTail }, 'nothing is copied');
  }
  return null;
}

/** How a stage is cut: at what is copied in it, or where what was copied before begins its segments. */
export function cutOf({ rungs }: Stage, kept: CopyPlan | null, borders: readonly number[] | null): StageCut {
  if (kept && rungs.some((rung) => rung.quality !== 'audio' && rung.copy)) return { packets: kept.packets };
  return borders === null ? {} : { borders };
}
