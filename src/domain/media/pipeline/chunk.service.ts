import { type Database, execute, type Sql } from '../../../db/sql.js';
import type { Brand } from '../../../ports/brand.js';
import type { EncodeChunkJob, JobQueue } from '../../../ports/jobQueue.js';
import type { ObjectStore } from '../../../ports/objectStore.js';
import type { ChunkSpan, SourceProbe, VideoRendition } from '../../../ports/transcoder.js';
import { ifStoreIsNotHeld } from '../../shared/processLock.js';
import { brandOfAttempt } from '../branding/purchasedBrand.js';
import { FencedError } from './attempt.service.js';
import * as statements from './chunk.sql.js';
import type { ChunkFacts, ChunkRefusal } from './processingChunk.entity.js';
import { outputPrefixOf } from './publication.js';

/** The renditions that one stage makes in chunks. They identify the stage within its run. */
export type StageRenditions = readonly VideoRendition[];

/** Where a video is cut into chunks. */
export interface ChunkLayout {
  readonly chunks: readonly Required<ChunkSpan>[];
  /** The last chunk ends before this segment. */
  readonly endSegment: number;
}

/** A worker's claim of a chunk. It ends when the worker is silent for too long or the run is over. */
export interface ChunkClaim extends EncodeChunkJob {
  readonly chunk: number;
  /** Starts at 1; every claim of a chunk gets a higher one. */
  readonly fence: number;
  readonly span: ChunkSpan;
  /** Segment boundaries of the video; null for segments of constant length. */
  readonly boundaries: readonly number[] | null;
  readonly renditions: readonly VideoRendition[];
  readonly sourceKey: string;
  readonly probe: SourceProbe;
  readonly encryption: boolean;
  readonly brand: Brand | null;
  /** Of the run. Ends with a slash. */
  readonly outputPrefix: string;
  /** The chunk as an earlier run of the attempt finished it; null if none did. */
  readonly made: MadeChunk | null;
}

/** Where an earlier run stored a finished chunk, and its facts. */
export interface MadeChunk {
  readonly run: number;
  readonly fence: number;
  /** Of the earlier run. */
  readonly outputPrefix: string;
  readonly facts: ChunkFacts;
}

export interface FinishedChunk {
  readonly fence: number;
  readonly firstSegment: number;
  readonly facts: ChunkFacts;
}

/** How many workers a run invites at once. A worker that stops helping passes its invitation on. */
const MAX_INVITATIONS = 64;

/**
 * Encodes a long video in chunks. Chunks are rows, and any worker with a free slot claims the next one: the run's own
 * worker, and those that its invitations reach. So nothing waits for a particular worker, and a lost one costs only the
 * chunk it worked on. If it also held the run, the attempt's next run takes over the finished chunks.
 */
export class ChunkService {
  constructor(private readonly deps: { db: Database; queue: JobQueue; store: ObjectStore }) {}

  /**
   * Lays out the chunks of stages, given by their renditions, and invites other workers. A worker that finds no free
   * chunk of the first stage continues with the next one, while the run's own worker may still make what is not
   * chunked. Call it once per run.
   * @throws FencedError
   */
  plan(run: EncodeChunkJob, { chunks, endSegment }: ChunkLayout, stages: readonly StageRenditions[]): Promise<void> {
    return this.deps.db.transaction(async ({ sql }) => {
      const planned = await execute(sql, statements.PLAN, {
        ...run,
        firsts: chunks.map((chunk) => chunk.firstSegment),
        ends: chunks.map((chunk) => chunk.endSegment ?? endSegment),
        stages: JSON.stringify(stages),
      });
      if (planned.length !== chunks.length * stages.length)
        throw new FencedError(`run ${run.run} of attempt ${run.attempt} is over`);
      // The run's own worker makes one of them.
      await this.invite(run, sql, planned.length - 1);
    });
  }

  /** Invites workers to the rest of a stage, because earlier invitations may have reached busy workers. */
  async inviteAgain(run: EncodeChunkJob, renditions: StageRenditions): Promise<void> {
    const { chunks, done } = await this.state(run, renditions);
    await this.invite(run, this.deps.db.sql, chunks - done - 1);
  }

  /** Invites another worker to replace one that leaves. */
  passOn(run: EncodeChunkJob): Promise<void> {
    return this.invite(run, this.deps.db.sql, 1);
  }

  /**
   * @param only chunks of this stage; if omitted, chunks of all stages in order
   * @returns `null` if no chunk is free or the run is over
   */
  async claimNext(run: EncodeChunkJob, only?: StageRenditions): Promise<ChunkClaim | null> {
    const renditions = only ? JSON.stringify(only) : null;
    const [row] = await execute(this.deps.db.sql, statements.CLAIM_NEXT, { ...run, renditions });
    if (!row) return null;
    const { accountId, videoId, attempt } = run;
    return {
      accountId,
      videoId,
      attempt,
      run: run.run,
      chunk: row.chunk,
      fence: row.fence,
      span: {
        firstSegment: row.first_segment,
        endSegment: row.is_last ? null : row.end_segment,
      },
      boundaries: row.boundaries,
      renditions: row.renditions,
      sourceKey: row.source_key,
      probe: row.source_probe,
      encryption: row.encryption,
      brand: await brandOfAttempt(this.deps.db.sql, run),
      outputPrefix: outputPrefixOf(run, run.run),
      made: madeOf(run, row),
    };
  }

  /** @returns false if the claim is lost: stop working */
  async report(claim: ChunkClaim, percent: number): Promise<boolean> {
    return (await execute(this.deps.db.sql, statements.REPORT, { ...claim, percent })).length > 0;
  }

  /** @returns false if the claim was lost: the result is discarded */
  async finish(claim: ChunkClaim, facts: ChunkFacts): Promise<boolean> {
    const rows = await execute(this.deps.db.sql, statements.FINISH, { ...claim, facts: JSON.stringify(facts) });
    return rows.length > 0;
  }

  /** Frees the chunk for the next claim. */
  async release(claim: ChunkClaim): Promise<boolean> {
    return (await execute(this.deps.db.sql, statements.RELEASE, claim)).length > 0;
  }

  /** Marks the chunk as impossible: a retry would end the same way. */
  async refuse(claim: ChunkClaim, refusal: ChunkRefusal): Promise<boolean> {
    const rows = await execute(this.deps.db.sql, statements.REFUSE, { ...claim, facts: JSON.stringify(refusal) });
    return rows.length > 0;
  }

  async state(run: EncodeChunkJob, renditions: StageRenditions): Promise<statements.ChunksState> {
    const asked = { ...run, renditions: JSON.stringify(renditions) };
    const [state] = await execute(this.deps.db.sql, statements.STATE, asked);
    return state!;
  }

  /** In playback order. */
  async finished(run: EncodeChunkJob, renditions: StageRenditions): Promise<FinishedChunk[]> {
    const asked = { ...run, renditions: JSON.stringify(renditions) };
    const rows = await execute(this.deps.db.sql, statements.FACTS, asked);
    return rows.map(({ fence, first_segment: firstSegment, facts }) => ({ fence, firstSegment, facts }));
  }

  /** Gives up making these stages in chunks. Keeps neither this run's chunks nor those it could have taken over. */
  giveUp(run: EncodeChunkJob, stages: readonly StageRenditions[]): Promise<void> {
    return this.deps.db.transaction(async ({ sql }) => {
      const ended = { ...run, stages: JSON.stringify(stages) };
      await execute(sql, statements.FORGET_EARLIER, ended);
      await execute(sql, statements.GIVE_UP, ended);
    });
  }

  /** Deletes what unsuccessful claims left behind, unless a backup holds it. @returns how many chunks were checked */
  async sweep(): Promise<number> {
    return (await ifStoreIsNotHeld(this.deps.db, () => this.sweepNow())) ?? 0;
  }

  private async sweepNow(): Promise<number> {
    const { db, store } = this.deps;
    await execute(db.sql, statements.DROP_ENDED);
    await execute(db.sql, statements.CLOSE_PUBLISHED);
    const rows = await execute(db.sql, statements.DUE);
    for (const row of rows) {
      const run = { accountId: row.account_id, videoId: row.video_id, attempt: row.attempt, run: row.run };
      for (const key of lostKeys(run, row)) await store.delete(key);
      await execute(db.sql, statements.SWEPT, { ...run, chunk: row.chunk });
    }
    return rows.length;
  }

  private async invite({ accountId, videoId, attempt, run }: EncodeChunkJob, sql: Sql, wanted: number) {
    const job = { accountId, videoId, attempt, run };
    const invitations = Math.min(MAX_INVITATIONS, wanted);
    for (let sent = 0; sent < invitations; sent += 1) await this.deps.queue.enqueueEncodeChunk(sql, job);
  }
}

function madeOf(run: EncodeChunkJob, row: statements.ClaimRow): MadeChunk | null {
  const { made_run: madeRun, made_fence: fence, made_facts: facts } = row;
  if (madeRun === null || fence === null || facts === null) return null;
  return { run: madeRun, fence, outputPrefix: outputPrefixOf(run, madeRun), facts };
}

/**
 * The file name of a segment within its rendition. No two claims of a chunk write the same object, so a worker that was
 * presumed dead cannot damage another's result when it resumes.
 */
export function chunkSegmentName(segment: number, fence: number): string {
  return `seg_${String(segment).padStart(5, '0')}_${fence}.m4s`;
}

/** What all claims but the one that is kept may have written. */
function* lostKeys(run: EncodeChunkJob, row: statements.DueRow): Iterable<string> {
  const prefix = outputPrefixOf(run, run.run);
  for (let fence = 1; fence <= row.fence; fence += 1) {
    if (fence === row.kept_fence) continue;
    for (let segment = row.first_segment; segment < row.end_segment; segment += 1) {
      for (const { quality } of row.renditions) yield `${prefix}${quality}/${chunkSegmentName(segment, fence)}`;
    }
  }
}
