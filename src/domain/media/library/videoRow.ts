import { execute, type Sql, statement } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import type { VideoStatus } from './video.entity.js';

/** A video's metadata as the hot statements select it; bigints and times as PostgreSQL formats them. */
export interface VideoRow {
  id: string;
  status: VideoStatus;
  title: string;
  description: string;
  tags: string[];
  metadata: Record<string, string>;
  quality: string | null;
  branding: boolean;
  encryption: boolean;
  duration_ms: string | null;
  width: number | null;
  height: number | null;
  /** The uploaded source file. */
  size_bytes: string | null;
  /** Path below the public address. */
  poster_path: string | null;
  created_at: string;
  updated_at: string;
  ready_at: string | null;
}

export const VIDEO_COLUMNS = `v.id, v.status, v.title, v.description, v.tags, v.metadata, v.quality, v.branding,
  v.encryption, v.duration_ms, v.width, v.height, v.size_bytes, v.poster_path, v.created_at, v.updated_at, v.ready_at`;

/** The key's part of a row. There is no row if the key is unknown or revoked. */
export interface KeyedRow {
  suspended: boolean;
}

/** @throws INVALID_API_KEY, ACCOUNT_SUSPENDED */
export function assertKey(row: KeyedRow | undefined): asserts row is KeyedRow {
  if (!row) throw invalidApiKey();
  if (row.suspended) throw new AppError('ACCOUNT_SUSPENDED', 'This account is suspended.');
}

const KEY = statement<{ keyHash: Buffer }, KeyedRow>(
  'video-key',
  'select suspended from api_key where hash = :keyHash and revoked_at is null',
);

/**
 * For a request that is refused before its statement runs: an invalid key must be reported first.
 *
 * @throws INVALID_API_KEY, ACCOUNT_SUSPENDED
 */
export async function checkKey(sql: Sql, keyHash: Buffer): Promise<void> {
  const [row] = await execute(sql, KEY, { keyHash });
  assertKey(row);
}

export function invalidApiKey(): AppError {
  return new AppError('INVALID_API_KEY', 'The API key is invalid or has been revoked.');
}
