import type { EncodeRequest, Quality, Rendition, SourceProbe, VideoRendition } from '../../../ports/transcoder.js';
import type { Published } from './attempt.service.js';
import { chunkable, type ChunkableStage, type ChunkSettings, picturesApart } from './chunkPlan.js';
import { renditionsFor } from './ladder.js';
import { isCuttableAsKept, passthroughCandidate, type PassthroughPlan } from './passthrough.js';
import { planStages, type Stage } from './stages.js';

export interface PlanSettings extends ChunkSettings {
  /** Videos of at least this length play before all of them is made; defaults to EARLY_PLAY_FROM_SECONDS. */
  readonly earlyPlayFromSeconds?: number;
}

/** Facts about a video, and what was bought. */
export interface PlanFacts {
  readonly quality: Quality;
  readonly probe: SourceProbe;
  readonly normalizeLoudness: boolean;
  /** Whether a logo is burned in; then nothing is passed through. */
  readonly isBranded: boolean;
  /** What earlier runs published. It is not made again. */
  readonly published: Published;
  /** The passthrough, or `null` for none; omitted until the packets have been scanned. */
  readonly kept?: PassthroughPlan | null;
  /** Whether the video can be encoded in chunks; omitted until that was checked. */
  readonly isCuttable?: boolean;
}

export interface PlannedStage extends Stage {
  /** How it is made in chunks if the video can be cut; `null` if it is made in one go. */
  readonly chunkable: ChunkableStage | null;
}

export interface VideoPlan {
  /** The whole ladder, best first; renditions with `passthrough` are passed through. */
  readonly renditions: readonly Rendition[];
  /** What is still to be made, in order; empty if everything is published. */
  readonly stages: readonly PlannedStage[];
  /** The rendition that may be passed through. */
  readonly passthroughCandidate: VideoRendition | null;
  /** The fact that would refine the plan and costs a scan of all packets; `null` if the plan is final. */
  readonly missing: 'kept' | 'isCuttable' | null;
}

/**
 * Plans what is made of a video. This is the only place that decides it. Call it again once the fact in `missing` is
 * known. Do not look up facts that it does not ask for, because they are expensive.
 */
export function planVideo(facts: PlanFacts, settings: PlanSettings = {}): VideoPlan {
  const { quality, probe, published, isBranded } = facts;
  const wanted = renditionsFor(quality, probe, facts);
  // The passthrough decides where everything else is cut, so it comes first or not at all.
  const mayPass = !isBranded && published.renditions.length === 0;
  const candidate = mayPass ? passthroughCandidate(wanted, probe) : null;
  const kept = candidate === null ? null : facts.kept;
  const isCuttable = facts.isCuttable ?? (isCuttableAsKept(kept, probe) || undefined);
  const renditions = kept?.renditions ?? wanted;
  const { earlyPlayFromSeconds } = settings;
  const together = planStages({
    renditions,
    probe,
    published,
    ...(earlyPlayFromSeconds !== undefined && { earlyPlayFromSeconds }),
  });
  // A separate picture stage reads only keyframes, and a video that cannot be cut may have hardly any.
  const apart = picturesApart(together, probe, { ...settings, plays: published.renditions.length > 0 });
  const stages = apart !== null && isCuttable === true ? apart : together;
  return {
    renditions,
    stages: stages.map((stage) => ({ ...stage, chunkable: chunkable(stage, probe, settings) })),
    passthroughCandidate: candidate,
    missing: missingFact(together, kept, apart !== null && isCuttable === undefined),
  };
}

function missingFact(
  stages: readonly Stage[],
  kept: PassthroughPlan | null | undefined,
  mustBeCuttable: boolean,
): VideoPlan['missing'] {
  if (stages.length === 0) return null;
  if (kept === undefined) return 'kept';
  return mustBeCuttable ? 'isCuttable' : null;
}

/** Where segments of a stage begin, if they are not of constant length. */
export type StageCut = Pick<EncodeRequest, 'packets' | 'boundaries'>;

/** How a stage is cut: at the segments of its own passthrough, or at those of a passthrough published earlier. */
export function cutOf(
  { renditions }: Stage,
  kept: PassthroughPlan | null,
  boundaries: readonly number[] | null,
): StageCut {
  if (kept && renditions.some((rendition) => rendition.quality !== 'audio' && rendition.passthrough)) {
    return { packets: kept.packets };
  }
  return boundaries === null ? {} : { boundaries };
}
