import type { SourceProbe, Quality } from '../../../ports/sourceProbe.js';
import { type Database, execute, type Sql, statement } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { once } from '../../shared/once.js';
import type { MeasureUploadJob, ProcessVideoJob } from '../../../ports/jobQueue.js';
import type { Rendition } from '../../../ports/transcoder.js';
import { raiseAlert } from '../../shared/alerts/raiseAlert.js';
import { pixelsOf, renditionsFor } from './ladder.js';
import { FairnessLimit } from './fairnessLimit.js';

/** A volume that output is written to, and its free space. */
export interface Volume {
  /** The name staff know it by, such as `store`. */
  readonly name: string;
  /** Whether the source is fetched to it as well. */
  readonly takesSource?: boolean;
  freeBytes(): Promise<number>;
}

/** Space that stays free for logs, the database and other writers. */
const DEFAULT_MARGIN_BYTES = 256 * 1024 * 1024;
/** Free space is cached for this long: a disk does not fill faster, and purchases need not query it each time. */
const FRESH_FOR_MS = 3000;
/**
 * If the source was compressed better than we do, a rendition may be larger than it, but hardly by more than this
 * factor …
 */
const MAX_TIMES_SOURCE = 3;
/** … plus the full picture that begins each segment, because a source may have just one for its whole length. */
const SEGMENT_MS = 4000;
const WHOLE_PICTURE_BYTES_PER_PIXEL = 0.5;

/** What a video is asked to become. */
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
 * Upper estimate of a ladder's size in bytes. Each rendition and each sound track counts with its maximum bitrate, but
 * with at most three times the source plus a full picture every four seconds.
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

/** Bytes about to be written: the output, and the source if it is fetched first. */
interface Need {
  readonly outputBytes: number;
  readonly sourceBytes: number;
}

/** Holds the reservation until it is disposed of. */
export interface ReservedSpace extends Disposable {
  /** Call once the source is on the disk: from then on, the free space shows it. */
  readonly fetched: () => void;
}

interface FullVolume {
  readonly name: string;
  readonly freeBytes: number;
  readonly neededBytes: number;
}

/** What a job has to make; null if nothing is left to do. */
export async function makingOf(sql: Sql, job: ProcessVideoJob): Promise<Making | null> {
  const [row] = await execute(sql, ATTEMPT, { accountId: job.accountId, videoId: job.videoId, attempt: job.attempt });
  return row ? { quality: row.quality, probe: row.source_probe } : null;
}

/** Refuses purchases and runs that would fill a disk. */
export class Admission {
  private readonly looked = new Map<Volume, { atMs: number; freeBytes: Promise<number> }>();
  /** By video: workers that make chunks of one video share its output, and each fetches its own copy of the source. */
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

  /** Called before anything is locked. @throws STORE_FULL */
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
   * Called before a run is claimed, so that a refusal does not count against it. The space stays reserved until it is
   * disposed of. Other jobs of this process must fit into the rest, as if none of this output were written yet.
   *
   * @param comesAgain whether the job is retried until there is space
   * @returns null if there is no space for its output; staff are alerted if it would not fit even alone
   */
  async reserveSpace(job: ProcessVideoJob, { comesAgain = true } = {}): Promise<ReservedSpace | null> {
    const making = await makingOf(this.deps.db.sql, job);
    return this.keep(job, making === null ? NOTHING : needOf(making), comesAgain);
  }

  /** The same, before a file is fetched to be measured: a file that fills the disk would look like a broken one. */
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
    // There must be no await between this check of the reservations and the next entry.
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

  /** Reads the free space after the last fetched copy arrived, because a fetched copy is no longer reserved. */
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
