import type { SourceProbe, Quality } from '../../../ports/sourceProbe.js';
import { type Database, execute, type Sql, statement } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { once } from '../../shared/once.js';
import type { MeasureUploadJob, ProcessVideoJob } from '../../../ports/jobQueue.js';
import type { Rendition } from '../../../ports/transcoder.js';
import { raiseAlert } from '../../shared/alerts/raiseAlert.js';
import { pixelsOf, renditionsFor } from './ladder.js';
import { FairnessLimit } from './fairnessLimit.js';

/** A place that output goes to, and how many bytes it still takes. */
export interface Volume {
  /** As staff know it, such as `store`. */
  readonly name: string;
  /** Whether the video itself is fetched to it, too, to be worked on. */
  readonly takesSource?: boolean;
  freeBytes(): Promise<number>;
}

/** What stays free for logs, the database and whoever else is about to write. */
const DEFAULT_MARGIN_BYTES = 256 * 1024 * 1024;
/** A purchase is not worth a look at the disk each; a disk does not fill in less. */
const FRESH_FOR_MS = 3000;
/** A rendition of a source that was packed with more care than ours may be larger than it, but hardly by more … */
const MAX_TIMES_SOURCE = 3;
/** … than the whole picture that each segment begins with, where the source has one for all of it. */
const SEGMENT_MS = 4000;
const WHOLE_PICTURE_BYTES_PER_PIXEL = 0.5;

/** What is asked of a video's making. */
export interface Making {
  readonly quality: Quality;
  readonly probe: SourceProbe;
}

const SOURCE = statement<{ accountId: string; videoId: string }, { source_probe: SourceProbe | null }>(
  'admission-source',
  'select source_probe from video where account_id = :accountId and id = :videoId and deleted_at is null',
);

const UPLOAD = statement<{ accountId: string; videoId: string }, { size_bytes: number }>(
  'admission-upload',
  `
    select o.size_bytes::float8 as size_bytes
    from video v join stored_object o on o.account_id = v.account_id and o.key = v.source_key
    where v.account_id = :accountId and v.id = :videoId and v.deleted_at is null and v.duration_ms is null`,
);

const ATTEMPT = statement<
  { accountId: string; videoId: string; attempt: number },
  { quality: Quality; source_probe: SourceProbe }
>(
  'admission-attempt',
  `
    select p.quality, v.source_probe
    from processing p join video v on v.account_id = p.account_id and v.id = p.video_id
    where p.account_id = :accountId and p.video_id = :videoId and p.attempt = :attempt and p.state in ('queued', 'running')
      and v.deleted_at is null and v.source_probe is not null`,
);

/**
 * Bytes that a ladder takes at most, or a little more: each rendition, and each track of sound, at the bitrate it is capped at,
 * but not more than three times the source and a whole picture every four seconds.
 */
export function estimateOutputBytes({ quality, probe }: Making): number {
  const segments = Math.ceil(probe.durationMs / SEGMENT_MS);
  const perRendition = renditionsFor(quality, probe).map((rendition) => {
    const wholePicturesBytes = segments * pixelsOf(rendition) * WHOLE_PICTURE_BYTES_PER_PIXEL;
    const cappedBytes = (capOf(rendition) * probe.durationMs) / 8000;
    return Math.min(cappedBytes, MAX_TIMES_SOURCE * probe.sizeBytes + wholePicturesBytes);
  });
  return Math.ceil(perRendition.reduce((sum, bytes) => sum + bytes, 0));
}

/** What is about to be written; by itself, and with the video beside it where that is fetched first. */
interface Need {
  readonly outputBytes: number;
  readonly sourceBytes: number;
}

/** Is kept until it is disposed of. */
export interface ReservedSpace extends Disposable {
  /** The source lies there now: who looks at the disk sees it. */
  readonly fetched: () => void;
}

interface FullVolume {
  readonly name: string;
  readonly freeBytes: number;
  readonly neededBytes: number;
}

/** What a job is to make; null where there is nothing left to do. */
export async function makingOf(sql: Sql, job: ProcessVideoJob): Promise<Making | null> {
  const [row] = await execute(sql, ATTEMPT, { accountId: job.accountId, videoId: job.videoId, attempt: job.attempt });
  return row ? { quality: row.quality, probe: row.source_probe } : null;
}

/** Keeps videos from being bought, and runs from being started, that would end on a full disk. */
export class Admission {
  private readonly looked = new Map<Volume, { atMs: number; freeBytes: Promise<number> }>();
  /** By video: those who make chunks of one share its output, and fetch a copy of it each. */
  private readonly kept = new Map<string, { outputBytes: number; holders: number; fetchedBytes: number }>();
  private readonly fairness = new FairnessLimit();
  private fetches = 0;
  private readonly marginBytes: number;

  constructor(
    private readonly deps: {
      readonly db: Database;
      readonly volumes: readonly Volume[];
      readonly marginBytes?: number;
    },
  ) {
    this.marginBytes = deps.marginBytes ?? DEFAULT_MARGIN_BYTES;
  }

  /** Before anything is locked. @throws STORE_FULL */
  async refuseWithoutSpace(sql: Sql, accountId: string, videoId: string, quality: Quality): Promise<void> {
    const [video] = await execute(sql, SOURCE, { accountId, videoId });
    if (!video?.source_probe) return;
    const need = needOf({ quality, probe: video.source_probe });
    if (!this.fullVolume(await this.freeBytes(), need, NOTHING)) return;
    throw new AppError(
      'STORE_FULL',
      'There is no space for this video right now. Nothing was charged; try again later.',
    );
  }

  /**
   * Before a run is claimed, so that nothing is counted against it. Its space is reserved until it is disposed of: what runs
   * beside it in this process must do with the rest, as if nothing of its output were written yet.
   *
   * @param comesAgain whether the job is tried again until there is space
   * @returns null where there is no space for what it would write; staff are told where there is none by itself, either.
   */
  async reserveSpace(job: ProcessVideoJob, { comesAgain = true } = {}): Promise<ReservedSpace | null> {
    const making = await makingOf(this.deps.db.sql, job);
    return this.keep(job, making === null ? NOTHING : needOf(making), comesAgain);
  }

  /** The same before a file is fetched to be measured: one that fills the disk would be taken for a broken one. */
  async reserveSpaceToMeasure(job: MeasureUploadJob): Promise<ReservedSpace | null> {
    const fetches = this.deps.volumes.some((volume) => volume.takesSource);

    const [upload] = fetches
      ? await execute(this.deps.db.sql, UPLOAD, { accountId: job.accountId, videoId: job.videoId })
      : [];
    return this.keep(job, { outputBytes: 0, sourceBytes: upload?.size_bytes ?? 0 });
  }

  private async keep(job: MeasureUploadJob, need: Need, comesAgain = true): Promise<ReservedSpace | null> {
    const key = `${job.accountId}:${job.videoId}`;
    const freeBytes = await this.freshFreeBytes();
    // Nobody comes between this look at what is kept and the next entry.
    const alone = this.fullVolume(freeBytes, need, NOTHING);
    if (alone) {
      await this.tellStaff(alone);
      return null;
    }
    const isFull = this.fullVolume(freeBytes, need, this.keptBeside(key)) !== null;
    if (isFull || (!this.kept.has(key) && this.fairness.isOver(key))) {
      if (comesAgain) this.fairness.refused(key);
      return null;
    }
    this.fairness.admitted(key);
    return this.hold(key, need);
  }

  private hold(key: string, { outputBytes, sourceBytes }: Need): ReservedSpace {
    const video = this.kept.get(key) ?? { outputBytes: 0, holders: 0, fetchedBytes: 0 };
    this.kept.set(key, video);
    video.outputBytes = Math.max(video.outputBytes, outputBytes);
    video.fetchedBytes += sourceBytes;
    video.holders += 1;
    const fetched = once(() => {
      video.fetchedBytes -= sourceBytes;
      this.fetches += 1;
      this.looked.clear();
    });
    return {
      fetched,
      [Symbol.dispose]: once(() => {
        fetched();
        video.holders -= 1;
        if (video.holders === 0) this.kept.delete(key);
      }),
    };
  }

  private keptBeside(key: string): Need {
    const sum = { outputBytes: 0, sourceBytes: 0 };
    for (const [video, { outputBytes, fetchedBytes }] of this.kept) {
      if (video !== key) sum.outputBytes += outputBytes;
      sum.sourceBytes += fetchedBytes;
    }
    return sum;
  }

  private fullVolume(free: readonly number[], need: Need, beside: Need): FullVolume | null {
    for (const [index, volume] of this.deps.volumes.entries()) {
      const neededBytes = bytesIn(volume, need);
      const freeBytes = free[index]! - bytesIn(volume, beside);
      if (neededBytes > 0 && freeBytes < neededBytes + this.marginBytes) {
        return { name: volume.name, freeBytes, neededBytes };
      }
    }
    return null;
  }

  private async tellStaff({ name, freeBytes, neededBytes }: FullVolume): Promise<void> {
    await raiseAlert(this.deps.db.sql, {
      kind: 'storage.full',
      subject: name,
      message:
        `A video waits because the ${name} has ${freeBytes} bytes free, and it may need ${neededBytes} ` +
        `with ${this.marginBytes} to spare. It resumes automatically once there is space.`,
    });
  }

  /** Looked at after the last copy was there, which nobody reserves space for any more. */
  private async freshFreeBytes(): Promise<number[]> {
    for (;;) {
      const { fetches } = this;
      const freeBytes = await this.freeBytes();
      if (fetches === this.fetches) return freeBytes;
    }
  }

  /** Of each volume. */
  private freeBytes(): Promise<number[]> {
    const nowMs = performance.now();
    return Promise.all(
      this.deps.volumes.map((volume) => {
        const known = this.looked.get(volume);
        if (known && nowMs - known.atMs < FRESH_FOR_MS) return known.freeBytes;
        const freeBytes = volume.freeBytes();
        this.looked.set(volume, { atMs: nowMs, freeBytes });
        freeBytes.catch(() => this.looked.delete(volume));
        return freeBytes;
      }),
    );
  }
}

const NOTHING: Need = { outputBytes: 0, sourceBytes: 0 };

function bytesIn(volume: Volume, { outputBytes, sourceBytes }: Need): number {
  return outputBytes + (volume.takesSource ? sourceBytes : 0);
}

function needOf(making: Making): Need {
  return { outputBytes: estimateOutputBytes(making), sourceBytes: making.probe.sizeBytes };
}

function capOf(rendition: Rendition): number {
  return rendition.quality === 'audio' ? rendition.bitrateBps : rendition.maxBitrateBps + 128_000;
}
