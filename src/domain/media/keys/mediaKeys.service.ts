import { randomBytes } from 'node:crypto';

import { type Database, execute, statement } from '../../../db/sql.js';
import { FencedError } from '../pipeline/attempt.service.js';
import { Keyring, type MasterKeys } from '../../shared/secrets/keyring.js';
import { AES_BYTES, type SegmentSeal } from './segmentCipher.js';

/** Ten minutes of video with four-second segments. */
const SEGMENTS_PER_KEY = 150;

/** One run of a processing attempt. Its keys belong to it alone. */
export interface RunRef {
  readonly accountId: string;
  /** UUID */
  readonly videoId: string;
  readonly attempt: number;
  readonly run: number;
}

/**
 * Only a run that still holds its attempt gets keys: what a lost run writes is swept, and its keys would have to be
 * too.
 */
const INSERT = statement<{
  accountId: string;
  videoId: string;
  attempt: number;
  run: number;
  masterKeyId: string;
  sealed: readonly Buffer[];
  keyIndex: number;
}>(
  'media-key-insert',
  `
    with held as (
      select account_id, video_id, attempt, run from processing
      where account_id = :accountId and video_id = :videoId and attempt = :attempt and run = :run and state = 'running' for share
    )
    insert into media_key (account_id, video_id, attempt, run, key_index, master_key_id, sealed, created_at)
    select h.account_id, h.video_id, h.attempt, h.run, :keyIndex::integer + k.n - 1, :masterKeyId, k.sealed, service_now()
    from held h, unnest(:sealed::bytea[]) with ordinality as k (sealed, n)
    returning key_index`,
);

const OF_RUN = statement<{ accountId: string; videoId: string; attempt: number; run: number }, FoundKey>(
  'media-keys-of-run',
  `
    select master_key_id, sealed from media_key
    where account_id = :accountId and video_id = :videoId and attempt = :attempt and run = :run order by key_index`,
);

const FIND = statement<
  { accountId: string; videoId: string; attempt: number; run: number; keyIndex: number; prefix: string },
  FoundKey
>(
  'media-key-find',
  `
    select k.master_key_id, k.sealed
    from video v
    join media_key k on k.account_id = v.account_id and k.video_id = v.id
    where v.account_id = :accountId and v.id = :videoId and v.deleted_at is null
      and k.attempt = :attempt and k.run = :run and k.key_index = :keyIndex and exists (
        select from rendition r where r.account_id = v.account_id and r.video_id = v.id and r.prefix = :prefix
          and r.quality = any (v.playable_rungs))`,
);

interface FoundKey {
  readonly master_key_id: string;
  readonly sealed: Buffer;
}

export interface MediaKeyOptions {
  readonly db: Database;
  readonly masterKeys: MasterKeys;
  /** How many segments share one key. */
  readonly segmentsPerKey?: number;
}

/** The keys of encrypted videos: created for a run, stored sealed, and given to everyone who may watch. */
export class MediaKeyService {
  private readonly keyring: Keyring;

  constructor(private readonly options: MediaKeyOptions) {
    this.keyring = new Keyring(options.masterKeys, 'media-key');
  }

  /**
   * Creates and stores the keys of a run whose longest rendition has `segments` segments. All renditions share them.
   *
   * @param held the run's keys from an earlier stage: kept, and extended only as far as a longer rendition needs
   * @throws FencedError; then no key is stored
   */
  async create(run: RunRef, segments: number, held?: RunKeys): Promise<RunKeys> {
    const { segmentsPerKey = SEGMENTS_PER_KEY, db } = this.options;
    const known = held?.keys ?? [];
    const missing = Math.max(0, Math.ceil(segments / segmentsPerKey) - known.length);
    const keys = Array.from({ length: missing }, () => randomBytes(AES_BYTES));
    const sealed = keys.map((key, index) => this.keyring.seal(key, contextOf(run, known.length + index)).sealed);
    const { accountId, videoId, attempt } = run;

    const rows = await execute(db.sql, INSERT, {
      accountId,
      videoId,
      attempt,
      run: run.run,
      masterKeyId: this.keyring.currentId,
      sealed,
      keyIndex: known.length,
    });
    if (rows.length !== keys.length) throw new FencedError(`run ${run.run} of attempt ${attempt} is over`);
    return new RunKeys([...known, ...keys], segmentsPerKey);
  }

  /** The keys of a run, for a worker that helps with it. @throws UnreadableSecretError */
  async ofRun(run: RunRef): Promise<RunKeys> {
    const { segmentsPerKey = SEGMENTS_PER_KEY, db } = this.options;
    const { accountId, videoId, attempt } = run;
    const rows = await execute(db.sql, OF_RUN, { accountId, videoId, attempt, run: run.run });
    const keys = rows.map(({ master_key_id: masterKeyId, sealed }, index) =>
      this.keyring.open({ masterKeyId, sealed }, contextOf(run, index)),
    );
    return new RunKeys(keys, segmentsPerKey);
  }

  /**
   * The 16 bytes of one key; `null` if nothing of this run is playable. The caller must check who may have it.
   *
   * @throws UnreadableSecretError
   */
  async find(run: RunRef, keyIndex: number): Promise<Buffer | null> {
    const { accountId, videoId, attempt } = run;
    const prefix = `videos/${accountId}/${videoId}/${attempt}-${run.run}/`;

    const [row] = await execute(this.options.db.sql, FIND, {
      accountId,
      videoId,
      attempt,
      run: run.run,
      keyIndex,
      prefix,
    });
    if (row === undefined) return null;
    return this.keyring.open({ masterKeyId: row.master_key_id, sealed: row.sealed }, contextOf(run, keyIndex));
  }
}

/** The keys of one run, in the order of the video. */
export class RunKeys {
  constructor(
    readonly keys: readonly Buffer[],
    private readonly segmentsPerKey: number,
  ) {}

  /** The key and IV for the segment at this index of any rendition. Every call returns a new IV. */
  sealOf(segmentIndex: number): SegmentSeal {
    const keyIndex = Math.floor(segmentIndex / this.segmentsPerKey);
    const key = this.keys[keyIndex];
    if (key === undefined) throw new Error(`there is no key for segment ${segmentIndex}`);
    return { keyIndex, key, iv: randomBytes(AES_BYTES) };
  }
}

/** The sealing context of a key: its row. */
export function contextOf({ accountId, videoId, attempt, run }: RunRef, keyIndex: number): string {
  return [accountId, videoId, attempt, run, keyIndex].join('/');
}
