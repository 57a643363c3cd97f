import { planPassthrough, type PassthroughPlan } from '../domain/media/pipeline/passthrough.js';
import type { VideoPlan } from '../domain/media/pipeline/planVideo.js';
import type { Logger } from '../logger.js';
import { PassthroughUnfitError } from '../ports/packets.js';
import type { SourceProbe, Transcoder } from '../ports/transcoder.js';

/** The passthrough rendition of a ladder, found by scanning the packets; null if there is none. */
export async function keepPackets(
  { transcoder, logger }: { transcoder: Pick<Transcoder, 'scanPackets'>; logger: Pick<Logger, 'info'> },
  { renditions, passthroughCandidate: candidate }: VideoPlan,
  { probe, sourcePath, signal }: { probe: SourceProbe; sourcePath: string; signal?: AbortSignal },
): Promise<PassthroughPlan | null> {
  if (candidate === null) return null;
  const { quality, frameRate } = candidate;
  try {
    const scan = await transcoder.scanPackets({ sourcePath, probe, frameRate, ...(signal && { signal }) });
    const plan = planPassthrough(renditions, candidate, scan, probe);
    if (typeof plan !== 'string') return plan;
    logger.info({ quality, reason: plan }, 'passthrough not used');
  } catch (error) {
    if (!(error instanceof PassthroughUnfitError)) throw error;
    logger.info({ quality, reason: error.technicalTail }, 'passthrough not used');
  }
  return null;
}
