import type { EncodeRequest, Quality, Rendition, SourceProbe, VideoRendition } from '../../../ports/transcoder.js';
import type { Published } from './attempt.service.js';
import { chunkable, type ChunkableStage, type ChunkSettings, picturesApart } from './chunkPlan.js';
import { renditionsFor } from './ladder.js';
import { passthroughCandidate, type PassthroughPlan } from './passthrough.js';
import { planStages, type Stage } from './stages.js';

export interface PlanSettings extends ChunkSettings {
  /** From which length on a video plays before all of it is made; EARLY_PLAY_FROM_SECONDS where left out. */
  readonly earlyPlayFromSeconds?: number;
}

/** What is known of a video, and what was bought. */
export interface PlanFacts {
  readonly quality: Quality;
  readonly probe: SourceProbe;
  readonly normalizeLoudness: boolean;
  /** Whether a logo is burned in: nothing is passed through then. */
  readonly isBranded: boolean;
  /** What earlier runs made: it is not made again. */
  readonly published: Published;
  /** What is passed through, `null` for nothing; left out until somebody has looked at the packets. */
  readonly kept?: PassthroughPlan | null;
  /** Whether the video can be encoded in chunks; left out until somebody has looked. */
  readonly isCuttable?: boolean;
}

export interface PlannedStage extends Stage {
  /** How it is made in chunks where the video can be cut; `null` where it is made in one go. */
  readonly chunkable: ChunkableStage | null;
}

export interface VideoPlan {
  /** The whole ladder, best first; those with `copy` are passed through. */
  readonly renditions: readonly Rendition[];
  /** What is still to be made, in this order; none where everything is published. */
  readonly stages: readonly PlannedStage[];
  /** The rendition whose packets may fit as they are. */
  readonly passthroughCandidate: VideoRendition | null;
  /** The fact that decides more of the plan, and costs a look at all packets; `null` where the plan is final. */
  readonly missing: 'kept' | 'isCuttable' | null;
}

/**
 * What is made of a video: the one place that decides it. Asked again when the fact that it misses is known; facts that it
 * does not miss are not worth their price.
 */
export function planVideo(facts: PlanFacts, settings: PlanSettings = {}): VideoPlan {
  const { quality, probe, published, isBranded, isCuttable } = facts;
  const wanted = renditionsFor(quality, probe, facts);
  // What is passed through decides where everything else is cut: so it comes first, or not at all.
  const mayPass = !isBranded && published.renditions.length === 0;
  const candidate = mayPass ? passthroughCandidate(wanted, probe) : null;
  const kept = candidate === null ? null : facts.kept;
  const renditions = kept?.renditions ?? wanted;
  const { earlyPlayFromSeconds } = settings;
  const together = planStages({
    renditions,
    probe,
    published,
    ...(earlyPlayFromSeconds !== undefined && { earlyPlayFromSeconds }),
  });
  // Pictures by themselves are of keyframes only: what cannot be cut may have hardly any.
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

/** Where segments of a stage begin, unless by the clock. */
export type StageCut = Pick<EncodeRequest, 'packets' | 'boundaries'>;

/** How a stage is cut: at what is passed through in it, or where what was passed through before begins its segments. */
export function cutOf(
  { renditions }: Stage,
  kept: PassthroughPlan | null,
  boundaries: readonly number[] | null,
): StageCut {
  if (kept && renditions.some((rendition) => rendition.quality !== 'audio' && rendition.copy)) {
    return { packets: kept.packets };
  }
  return boundaries === null ? {} : { boundaries };
}
