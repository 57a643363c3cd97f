import { statement } from '../../../db/sql.js';
import type { Resealed } from '../../shared/secrets/keyring.js';

/** Without its keys, nobody can read what is still stored of the video, not even from a copy. */
export const REMOVE_MEDIA_KEYS = statement<{ accountId: string; videoId: string }>(
  'video-remove-media-keys',
  'delete from media_key where account_id = :accountId and video_id = :videoId returning key_index',
);

/** Part of a statement: deletes the keys of one run of an attempt, unless a condition holds. */
export const deleteKeysOfRun = (unless: string): string =>
  `delete from media_key where account_id = :accountId and video_id = :videoId and attempt = :attempt and run = :run and not ${unless}`;

/** The primary key. */
export interface MediaKeyPlace {
  readonly accountId: string;
  readonly videoId: string;
  readonly attempt: number;
  readonly run: number;
  readonly keyIndex: number;
}

/** Stores the key sealed under a new master key, unless it changed in the meantime. */
export const REPLACE_MEDIA_KEY = statement<Resealed & MediaKeyPlace>(
  'rewrap-media-key',
  `
    update media_key set master_key_id = :masterKeyId, sealed = :sealed
    where sealed = :before and account_id = :accountId and video_id = :videoId and attempt = :attempt and run = :run
      and key_index = :keyIndex
    returning 1 as done`,
);

/** A page in order of the primary key, after the given row. */
export const MEDIA_KEYS_AFTER = statement<
  MediaKeyPlace & { most: number },
  {
    account_id: string;
    video_id: string;
    attempt: number;
    run: number;
    key_index: number;
    master_key_id: string;
    sealed: Buffer;
  }
>(
  'rewrap-media-keys',
  `
    select account_id, video_id, attempt, run, key_index, master_key_id, sealed from media_key
    where (account_id, video_id, attempt, run, key_index) > (:accountId, :videoId, :attempt, :run, :keyIndex)
    order by account_id, video_id, attempt, run, key_index limit :most`,
);
