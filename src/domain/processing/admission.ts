import type { Database, Sql, Statement } from '../../db/sql.js';
import { AppError } from '../../errors.js';
import type { MeasureUploadJob, ProcessVideoJob } from '../../ports/jobQueue.js';
import type { Quality, Rung, SourceProbe } from '../../ports/transcoder.js';
import { raiseAlert } from '../alerts/raiseAlert.js';
import { rungsFor } from './ladder.js';

/** A place that output goes to, and how many bytes it still takes. */
export interface Room {
  /** As staff know it, such as `store`. */
  readonly name: string;
  /** Whether the film itself is fetched to it, too, to be worked on. */
  readonly takesSource?: boolean;
  freeBytes(): Promise<number>;
}

/** What stays free for logs, the database and whoever else is about to write. */
const DEFAULT_MARGIN_BYTES = 256 * 1024 * 1024;
/** A purchase is not worth a look at the disk each; a disk does not fill in less. */
const FRESH_FOR_MS = 3000;
/** A rung of a source that was packed with more care than ours may be larger than it, but not by more. */
const MAX_TIMES_SOURCE = 3;

/** What is asked of a film's making. */
export interface Making {
  readonly quality: Quality;
  readonly probe: SourceProbe;
}

const SOURCE: Statement = {
  name: 'admission-source',
  text: 'select source_probe from video where account_id = $1 and id = $2 and deleted_at is null',
};

const UPLOAD: Statement = {
  name: 'admission-upload',
  text: `
    select o.size_bytes::float8 as size_bytes
    from video v join stored_object o on o.account_id = v.account_id and o.key = v.source_key
    where v.account_id = $1 and v.id = $2 and v.deleted_at is null and v.duration_ms is null`,
};

const ATTEMPT: Statement = {
  name: 'admission-attempt',
  text: `
    select p.quality, v.source_probe
    from processing p join video v on v.account_id = p.account_id and v.id = p.video_id
    where p.account_id = $1 and p.video_id = $2 and p.attempt = $3 and p.state in ('queued', 'running')
      and v.deleted_at is null and v.source_probe is not null`,
};

/**
 * Bytes that a ladder takes at most, or a little more: each rung, and each track of sound, at the bitrate it is capped at,
 * but not more than three times the source.
 */
export function estimateOutputBytes({ quality, probe }: Making): number {
  const perRung = rungsFor(quality, probe).map((rung) =>
    Math.min((capOf(rung) * probe.durationMs) / 8000, MAX_TIMES_SOURCE * probe.sizeBytes),
  );
  return Math.ceil(perRung.reduce((sum, bytes) => sum + bytes, 0));
}

/** What is about to be written; by itself, and with the film beside it where that is fetched first. */
interface Need {
  readonly outputBytes: number;
  readonly sourceBytes: number;
}

interface FullRoom {
  readonly name: string;
  readonly freeBytes: number;
  readonly neededBytes: number;
}

/** What a job is to make; null where there is nothing left to do. */
export async function makingOf(sql: Sql, job: ProcessVideoJob): Promise<Making | null> {
  const values = [job.accountId, job.videoId, job.attempt];
  const [row] = await sql.query<{ quality: Quality; source_probe: SourceProbe }>(ATTEMPT, values);
  return row ? { quality: row.quality, probe: row.source_probe } : null;
}

/** Keeps films from being bought, and runs from being started, that would end on a full disk. */
export class Admission {
  private readonly looked = new Map<Room, { atMs: number; freeBytes: Promise<number> }>();
  private readonly marginBytes: number;

  constructor(
    private readonly deps: { readonly db: Database; readonly rooms: readonly Room[]; readonly marginBytes?: number },
  ) {
    this.marginBytes = deps.marginBytes ?? DEFAULT_MARGIN_BYTES;
  }

  /** Before anything is locked. @throws STORE_FULL */
  async refuseWithoutRoom(sql: Sql, accountId: string, videoId: string, quality: Quality): Promise<void> {
    const [video] = await sql.query<{ source_probe: SourceProbe | null }>(SOURCE, [accountId, videoId]);
    if (!video?.source_probe) return;
    if (!(await this.fullRoom(needOf({ quality, probe: video.source_probe })))) return;
    throw new AppError(
      'STORE_FULL',
      'There is no room for this video at the moment. Nothing was charged; try again later.',
    );
  }

  /**
   * Before a run is claimed, so that nothing is counted against it.
   *
   * @returns false where there is no room for what it would write; staff are told then.
   */
  async hasRoomFor(job: ProcessVideoJob): Promise<boolean> {
    const making = await makingOf(this.deps.db.sql, job);
    return making === null || this.hasRoom(needOf(making));
  }

  /** The same before a file is fetched to be measured: one that fills the disk would be taken for a broken one. */
  async hasRoomToMeasure(job: MeasureUploadJob): Promise<boolean> {
    if (!this.deps.rooms.some((room) => room.takesSource)) return true;
    const [upload] = await this.deps.db.sql.query<{ size_bytes: number }>(UPLOAD, [job.accountId, job.videoId]);
    return upload === undefined || this.hasRoom({ outputBytes: 0, sourceBytes: upload.size_bytes });
  }

  private async hasRoom(need: Need): Promise<boolean> {
    const full = await this.fullRoom(need);
    if (!full) return true;
    await raiseAlert(this.deps.db.sql, {
      kind: 'storage.full',
      subject: full.name,
      message:
        `A video waits because the ${full.name} has ${full.freeBytes} bytes free, and it may need ${full.neededBytes} ` +
        `with ${this.marginBytes} to spare. It goes on by itself once there is room.`,
    });
    return false;
  }

  private async fullRoom({ outputBytes, sourceBytes }: Need): Promise<FullRoom | null> {
    for (const room of this.deps.rooms) {
      const neededBytes = outputBytes + (room.takesSource ? sourceBytes : 0);
      if (neededBytes === 0) continue;
      const freeBytes = await this.freeBytesOf(room);
      if (freeBytes < neededBytes + this.marginBytes) return { name: room.name, freeBytes, neededBytes };
    }
    return null;
  }

  private freeBytesOf(room: Room): Promise<number> {
    const nowMs = performance.now();
    const known = this.looked.get(room);
    if (known && nowMs - known.atMs < FRESH_FOR_MS) return known.freeBytes;
    const freeBytes = room.freeBytes();
    this.looked.set(room, { atMs: nowMs, freeBytes });
    freeBytes.catch(() => this.looked.delete(room));
    return freeBytes;
  }
}

function needOf(making: Making): Need {
  return { outputBytes: estimateOutputBytes(making), sourceBytes: making.probe.sizeBytes };
}

function capOf(rung: Rung): number {
  return rung.quality === 'audio' ? rung.bitrateBps : rung.maxBitrateBps + 128_000;
}
