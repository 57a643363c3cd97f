import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { prepareSourceCaptions, type SourceCaptions } from '../domain/media/captions/sourceCaptions.js';
import type { MediaKeyService, RunKeys } from '../domain/media/keys/mediaKeys.service.js';
import type { Claim } from '../domain/media/pipeline/attempt.service.js';
import type { ChunkService, StageRenditions } from '../domain/media/pipeline/chunk.service.js';
import type { Logger } from '../logger.js';
import type { ObjectStore } from '../ports/objectStore.js';
import {
  TranscoderKilledError,
  type EncodedLadder,
  type EncodedRendition,
  type EncodeProgress,
  type Transcoder,
} from '../ports/transcoder.js';
import { planChunks, type ChunkSettings } from '../domain/media/pipeline/chunkPlan.js';
import type { PlannedStage, StageCut } from '../domain/media/pipeline/planVideo.js';
import { DigestsAhead } from './digestsAhead.js';
import { makeInChunks } from './chunkedStage.js';
import { EncryptedLadder } from './encryptedLadder.js';
import { failureOf, isInDoubt, technicalTailOf } from './failureOf.js';
import type { Progress } from './progressReporter.js';
import type { StageProgress } from './stageProgress.js';
import { withoutDominatedRenditions, type MeasuredRendition } from '../domain/media/pipeline/dominated.js';
import type { Stage } from '../domain/media/pipeline/stages.js';
import { renditionDigest, type Digests } from './renditionDigest.js';
import { storeLadder } from './storeLadder.js';

const CAPTIONS_DIR = 'captions';
const NOTHING_YET: Progress = { step: 'encoding', percent: 0, speed: null, etaSeconds: null };

export interface StageMakerDeps extends ChunkSettings {
  readonly chunks: ChunkService;
  readonly transcoder: Transcoder;
  readonly store: ObjectStore;
  readonly mediaKeys: MediaKeyService;
  readonly logger: Logger;
}

export interface StageMakerRun {
  readonly claim: Claim;
  /** All stages of this run, in order. */
  readonly stages: readonly PlannedStage[];
  /** Called only when needed, because it may read all packets of the video. */
  readonly canCut: () => Promise<boolean>;
  readonly sourcePath: string;
  /** The run's private folder. */
  readonly folder: string;
  readonly progress: StageProgress;
  readonly signal: AbortSignal;
  readonly report: (progress: Progress) => void;
  /** Called when the last stage is encoded and only storing is left. Not called if that stage was made in chunks. */
  readonly onEncoded: () => void;
  /** @throws FencedError */
  readonly assertHeld: (progress: Progress) => Promise<void>;
}

/** Makes the stages of one run: encodes them and stores them under the run's prefix. */
export class StageMaker {
  private keys: RunKeys | undefined;
  /** What of the video is stored, by this run and by those that published before. */
  private readonly made: MeasuredRendition[];
  /** The first stage whose chunks are laid out; null if there is none, undefined until that is known. */
  private chunkedSince: number | null | undefined;

  constructor(
    private readonly deps: StageMakerDeps,
    private readonly run: StageMakerRun,
  ) {
    this.made = [...run.claim.publishedBitrates];
  }

  /**
   * @returns what is stored, ready to publish; null for pictures that could not be made: the video plays without them
   */
  async make(index: number, cut: StageCut = {}): Promise<EncodedLadder | null> {
    const stage = this.run.stages[index]!;
    if (this.chunkedSince === undefined && this.isForHelpers(stage)) {
      this.chunkedSince = (await this.layOutChunks(index, cut)) ? index : null;
    }
    if (stage.renditions.length === 0) return this.makePictures(stage, index);
    const ladder = (await this.inChunksIfPossible(stage, index, cut)) ?? (await this.makeInOneGo(stage, index, cut));
    this.made.push(...ladder.renditions);
    return ladder;
  }

  /**
   * Whether other workers may encode chunks while this stage is made. The passthrough stage comes first, because it
   * decides where the others are cut.
   */
  private isForHelpers(stage: PlannedStage): boolean {
    return stage.renditions.length === 0 || stage.chunkable !== null;
  }

  /** Lays out the chunks of this stage and all later ones, so that helpers never wait while a stage is joined. */
  private async layOutChunks(index: number, { boundaries }: StageCut): Promise<boolean> {
    const { deps, run, keys } = this;
    const { claim, canCut } = run;
    const stages = this.chunkedFrom(index);
    if (stages.length === 0 || !(await canCut())) return false;
    const layout = planChunks(claim.probe, deps, boundaries);
    if (claim.encryption) this.keys = await deps.mediaKeys.create(claim, layout.endSegment, keys);
    await deps.chunks.plan(claim, layout, stages);
    return true;
  }

  private chunkedFrom(index: number): StageRenditions[] {
    const later = this.run.stages.slice(index);
    return later.flatMap((stage) => (stage.chunkable ? [stage.chunkable.renditions] : []));
  }

  /** @returns null if the stage has to be made in one go */
  private async inChunksIfPossible(stage: PlannedStage, index: number, cut: StageCut): Promise<EncodedLadder | null> {
    const { deps, run } = this;
    const { claim, progress, report } = run;
    const since = this.chunkedSince ?? null;
    if (since === null) return null;
    const { chunkable } = stage;
    if (chunkable === null) return null;
    const { boundaries = null } = cut;
    const keys = claim.encryption ? (this.keys ?? null) : null;
    const onProgress = (encoded: EncodeProgress): void => report(progress.encoding(index, encoded));
    const { renditions, aside } = chunkable;
    if (index > since) await deps.chunks.inviteAgain(claim, renditions);
    const makeAside = aside && ((): Promise<EncodedLadder> => this.makeInOneGo(aside, index, cut, { isAside: true }));
    const { made: stored } = this;
    const made = await makeInChunks(deps, { ...run, renditions, boundaries, keys, onProgress, makeAside, stored });
    if (!('unfit' in made)) return made;
    deps.logger.info({ reason: made.unfit }, 'encoded without chunks: the video cannot be cut');
    await deps.chunks.giveUp(claim, this.chunkedFrom(index));
    this.chunkedSince = null;
    return null;
  }

  private async makePictures(stage: Stage, index: number): Promise<EncodedLadder | null> {
    const { claim, signal } = this.run;
    try {
      return await this.makeInOneGo(stage, index, {});
    } catch (error) {
      const isKilled = error instanceof TranscoderKilledError;
      const isOfVideo = failureOf(error) !== null || isKilled;
      const isCertain = claim.faults > 0 || !(isKilled || isInDoubt(error));
      if (signal.aborted || !isOfVideo || !isCertain) throw error;
      this.deps.logger.warn({ err: error, tail: technicalTailOf(error) }, 'could not make a poster and a storyboard');
      return null;
    }
  }

  /** @param isAside whether it is made beside a stage's chunks; then only the chunks count as progress */
  private async makeInOneGo(
    stage: Stage,
    index: number,
    cut: StageCut,
    { isAside = false } = {},
  ): Promise<EncodedLadder> {
    const { claim, sourcePath, folder, progress, signal, stages, onEncoded, assertHeld } = this.run;
    const isLast = !isAside && index === stages.length - 1;
    const report = isAside ? (): void => undefined : this.run.report;
    const outputDir = join(folder, `${index}`);
    const { renditions } = stage;
    // A passthrough takes seconds, of which reading its segments again would be a third.
    const isPassed = renditions.some(({ quality, passthrough }) => quality !== 'audio' && passthrough);
    await using ahead = isPassed && !claim.encryption ? new DigestsAhead(outputDir, renditions) : null;
    const encoded = await this.deps.transcoder.encode({
      sourcePath,
      probe: claim.probe,
      renditions,
      pictures: stage.pictures,
      besidePicture: claim.quality !== 'audio' && renditions.every(({ quality }) => quality === 'audio'),
      ...cut,
      brand: claim.brand,
      // Players cannot decrypt part of an encrypted segment, so there is no I-frame playlist.
      keyFrames: !claim.encryption,
      outputDir,
      signal,
      onProgress: (state) => report(progress.encoding(index, state)),
    });
    await ahead?.stop();
    if (isLast) onEncoded();
    const ladder = withoutDominatedRenditions(encoded, this.made);
    // Check before the first write: a worker that was suspended during its encode learns here that it lost its claim.
    await assertHeld(isAside ? progress.encoding(index, NOTHING_YET) : progress.storing(index, 0));
    const digests: Digests = new Map();
    const encrypted = claim.encryption ? await this.encrypt(ladder, outputDir, digests) : null;
    await storeLadder(this.deps.store, outputDir, claim.outputPrefix, ladder, {
      signal,
      digests,
      ...(encrypted && { put: (path: string) => encrypted.put(path) }),
      ...(ahead && { digestOf: (path: string) => ahead.digest(path) }),
      onStored: (share) => report(progress.storing(index, share)),
    });
    await rm(outputDir, { recursive: true, force: true });
    const stored = encrypted?.measured() ?? ladder;
    return { ...stored, renditions: stored.renditions.map((rendition) => withDigest(rendition, digests)) };
  }

  /** Reads the captions in the source. Leaves out those that cannot be read. */
  async captions(): Promise<SourceCaptions> {
    const { claim, sourcePath, folder, signal } = this.run;
    const { probe } = claim;
    const outputDir = join(folder, CAPTIONS_DIR);
    const subtitles = await this.deps.transcoder.subtitles({ sourcePath, probe, outputDir, signal });
    const { chapters = [], durationMs } = probe;
    return prepareSourceCaptions({ subtitles, chapters, durationMs }, (error) =>
      this.deps.logger.info({ err: error }, 'skipped a subtitle track'),
    );
  }

  /**
   * Encrypts with keys that are saved before the first segment is stored. All stages share them. @throws FencedError
   */
  private async encrypt(ladder: EncodedLadder, outputDir: string, digests: Digests): Promise<EncryptedLadder> {
    const { claim, signal } = this.run;
    const segments = Math.max(0, ...ladder.renditions.map(({ segmentPaths }) => segmentPaths.length));
    this.keys = await this.deps.mediaKeys.create(claim, segments, this.keys);
    const { store } = this.deps;
    const { keys } = this;
    return new EncryptedLadder({ store, outputDir, prefix: claim.outputPrefix, ladder, keys, digests, signal });
  }
}

function withDigest(rendition: EncodedRendition, digests: Digests): EncodedRendition {
  const sha256 = renditionDigest(rendition, digests);
  return { ...rendition, ...(sha256 !== undefined && { sha256 }) };
}
