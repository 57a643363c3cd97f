import { type Database, execute, type Sql } from '../../../db/sql.js';
import type { Brand } from '../../../ports/brand.js';
import type { EncodeChunkJob, JobQueue } from '../../../ports/jobQueue.js';
import type { ObjectStore } from '../../../ports/objectStore.js';
import type { ChunkSpan, SourceProbe, VideoRendition } from '../../../ports/transcoder.js';
import { brandOfAttempt } from '../branding/purchasedBrand.js';
import { FencedError } from './attempt.service.js';
import * as statements from './chunk.sql.js';
import type { ChunkFacts, ChunkRefusal } from './processingChunk.entity.js';
import { outputPrefixOf } from './publication.js';

/** What one stage of a run makes in chunks: what tells it from the run's others. */
export type StageRenditions = readonly VideoRendition[];

/** Where a video is cut. */
export interface ChunkLayout {
  readonly chunks: readonly Required<ChunkSpan>[];
  /** The last chunk ends before it, at the latest. */
  readonly endSegment: number;
}

/** A chunk in a worker's hands, until it is silent for too long or the run is over. */
export interface ChunkClaim extends EncodeChunkJob {
  readonly chunk: number;
  /** Every claim of a chunk has a higher one, from 1 on. */
  readonly fence: number;
  readonly span: ChunkSpan;
  /** Where the video's segments begin; null is by the clock. */
  readonly boundaries: readonly number[] | null;
  readonly renditions: readonly VideoRendition[];
  readonly sourceKey: string;
  readonly probe: SourceProbe;
  readonly encryption: boolean;
  readonly brand: Brand | null;
  /** The run's. Ends with a slash. */
  readonly outputPrefix: string;
  /** What an earlier run of the attempt finished of it; null where none did. */
  readonly made: MadeChunk | null;
}

/** Where an earlier run left a finished chunk, and what it found. */
export interface MadeChunk {
  readonly run: number;
  readonly fence: number;
  /** The earlier run's. */
  readonly outputPrefix: string;
  readonly facts: ChunkFacts;
}

export interface FinishedChunk {
  readonly fence: number;
  readonly firstSegment: number;
  readonly facts: ChunkFacts;
}

/** As many workers are reached at once; whoever goes passes the invitation on. */
const MAX_INVITATIONS = 64;

/**
 * A long video in chunks. Chunks are rows, and whoever has a slot to spare claims the next one: the run's own worker, and
 * those that its invitations reach. So nothing waits for a worker, and a lost one costs what it was at; where it had the
 * run itself, the attempt's next run takes over the chunks that were finished.
 */
export class ChunkService {
  constructor(private readonly deps: { db: Database; queue: JobQueue; store: ObjectStore }) {}

  /**
   * Lays out the chunks of stages, given by their renditions, and invites others to them: whoever finds none of the first left
   * goes on with the next, while the run's own worker is still at what is not in chunks. Once a run.
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
      // One of them is the run's own worker's.
      await this.invite(run, sql, planned.length - 1);
    });
  }

  /** To what is left of a stage: earlier invitations may have reached workers that had no room. */
  async inviteAgain(run: EncodeChunkJob, renditions: StageRenditions): Promise<void> {
    const { chunks, done } = await this.state(run, renditions);
    await this.invite(run, this.deps.db.sql, chunks - done - 1);
  }

  /** Somebody else, in the place of whoever goes. */
  passOn(run: EncodeChunkJob): Promise<void> {
    return this.invite(run, this.deps.db.sql, 1);
  }

  /**
   * @param only of this stage; of all, in their order, where left out
   * @returns `null` where nothing is left to be taken up, or the run is over
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

  /** @returns false where the claim is lost: stop working. */
  async report(claim: ChunkClaim, percent: number): Promise<boolean> {
    return (await execute(this.deps.db.sql, statements.REPORT, { ...claim, percent })).length > 0;
  }

  /** @returns false where the claim was lost: what was made is not taken. */
  async finish(claim: ChunkClaim, facts: ChunkFacts): Promise<boolean> {
    const rows = await execute(this.deps.db.sql, statements.FINISH, { ...claim, facts: JSON.stringify(facts) });
    return rows.length > 0;
  }

  /** Leaves it to whoever claims it next. */
  async release(claim: ChunkClaim): Promise<boolean> {
    return (await execute(this.deps.db.sql, statements.RELEASE, claim)).length > 0;
  }

  /** Trying again gives the same. */
  async refuse(claim: ChunkClaim, refusal: ChunkRefusal): Promise<boolean> {
    const rows = await execute(this.deps.db.sql, statements.REFUSE, { ...claim, facts: JSON.stringify(refusal) });
    return rows.length > 0;
  }

  async state(run: EncodeChunkJob, renditions: StageRenditions): Promise<statements.ChunksState> {
    const asked = { ...run, renditions: JSON.stringify(renditions) };
    const [state] = await execute(this.deps.db.sql, statements.STATE, asked);
    return state!;
  }

  /** In playing order. */
  async finished(run: EncodeChunkJob, renditions: StageRenditions): Promise<FinishedChunk[]> {
    const asked = { ...run, renditions: JSON.stringify(renditions) };
    const rows = await execute(this.deps.db.sql, statements.FACTS, asked);
    return rows.map(({ fence, first_segment: firstSegment, facts }) => ({ fence, firstSegment, facts }));
  }

  /** Nothing will come of these stages in chunks: neither this run's nor what it could have taken over are kept. */
  giveUp(run: EncodeChunkJob, stages: readonly StageRenditions[]): Promise<void> {
    return this.deps.db.transaction(async ({ sql }) => {
      const ended = { ...run, stages: JSON.stringify(stages) };
      await execute(sql, statements.FORGET_EARLIER, ended);
      await execute(sql, statements.GIVE_UP, ended);
    });
  }

  /** Deletes what claims left that came to nothing. @returns how many chunks were looked at. */
  async sweep(): Promise<number> {
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
 * What a segment is called under its rendition: no two claims of a chunk write the same object, so that a worker that was
 * taken for dead and wakes cannot spoil what another made.
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
