import type { Claim } from '../domain/media/pipeline/attempt.service.js';
import { passthroughCandidate, planPassthrough, type PassthroughPlan } from '../domain/media/pipeline/passthrough.js';
import type { Logger } from '../logger.js';
import { PassthroughUnfitError } from '../ports/packets.js';
import type { Rendition, Transcoder } from '../ports/transcoder.js';
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
    renditions,
    sourcePath,
    signal,
  }: { claim: Claim; renditions: readonly Rendition[]; sourcePath: string; signal: AbortSignal },
): Promise<PassthroughPlan | null> {
  const { probe, brand, published } = claim;
  const candidate =
    brand === null && published.renditions.length === 0 ? passthroughCandidate(renditions, probe) : null;
  if (candidate === null) return null;
  try {
    const scan = await transcoder.scanPackets({ sourcePath, probe, frameRate: candidate.frameRate, signal });
    const plan = planPassthrough(renditions, candidate, scan, probe);
    if (typeof plan !== 'string') return plan;
    logger.info({ quality: candidate.quality, reason: plan }, 'nothing is copied');
  } catch (error) {
    if (!(error instanceof PassthroughUnfitError)) throw error;
    logger.info({ quality: candidate.quality, reason: error.technicalTail }, 'nothing is copied');
  }
  return null;
}

/** How a stage is cut: at what is copied in it, or where what was copied before begins its segments. */
export function cutOf(
  { renditions }: Stage,
  kept: PassthroughPlan | null,
  boundaries: readonly number[] | null,
): StageCut {
  if (kept && renditions.some((rendition) => rendition.quality !== 'audio' && rendition.copy))
    return { packets: kept.packets };
  return boundaries === null ? {} : { boundaries };
}
