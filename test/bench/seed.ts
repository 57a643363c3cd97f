import type pg from 'pg';

import { newId } from '../../src/domain/shared/ids.js';
import { generateKey } from '../../src/domain/accounts/keys/keyFormat.js';

export interface SeededAccount {
  readonly accountId: string;
  readonly key: string;
  /** UUIDs, newest first: a few playable ones. */
  readonly videoIds: string[];
}

/** An account with one key that is practically unlimited, and `videoCount` videos, a second apart. */
export async function seedAccount(client: pg.Client, videoCount: number): Promise<SeededAccount> {
  const accountId = newId();
  const key = generateKey('live');
  await client.query('select open_account($1)', [accountId]);
  await client.query(
    `insert into api_key (account_id, id, name, hash, prefix, last4, daily_limit)
     values ($1, $2, 'bench', $3, $4, $5, 2000000000)`,
    [accountId, newId(), key.hash, key.prefix, key.last4],
  );
  const videoIds = await seedVideosOf(client, accountId, videoCount);
  return { accountId, key: key.text, videoIds };
}

/** `videoCount` playable videos, a second apart. @returns the newest of them */
export async function seedVideosOf(client: pg.Client, accountId: string, videoCount: number): Promise<string[]> {
  await client.query(
    `insert into video (account_id, id, status, title, description, tags, metadata, quality, duration_ms, width, height,
       size_bytes, playable_rungs, pictures_prefix, poster_path, created_at, updated_at, ready_at)
     select $1, gen_random_uuid(), 'ready', 'Lecture ' || n || ' on the theory of everything',
       'The ' || n || 'th lecture, recorded in the large hall, with questions from the audience at the end.',
       array['physics', 'lecture', 'term-' || n % 8], jsonb_build_object('course', 'P' || n % 100, 'lecturer', 'Dr. Rao'),
       '1080p', 3600000 + n, 1920, 1080, 1234567890 + n, array['audio', '480p', '720p', '1080p'],
       'videos/x/' || n, 'media/posters/x/' || n || '.jpg', t.at, t.at + interval '9 minutes', t.at + interval '9 minutes'
     from generate_series(1, $2::int) n,
       lateral (select timestamptz '2026-01-01' - ($2::int - n) * interval '1.000123 second' as at) t`,
    [accountId, videoCount],
  );
  const { rows } = await client.query<{ id: string }>(
    'select id from video where account_id = $1 order by created_at desc, id desc limit 50',
    [accountId],
  );
  return rows.map((row) => row.id);
}

/**
 * Like `seedAccount`, for many videos: creates the word and tag indexes afterwards, which is many times faster and
 * results in the same schema.
 */
export async function seedLargeAccount(client: pg.Client, videoCount: number): Promise<SeededAccount> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select indexname as name, indexdef as definition from pg_indexes where tablename = 'video' and indexdef like '%using gin%'
       or tablename = 'video' and indexdef like '%USING gin%'`,
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  const account = await seedAccount(client, videoCount);
  await client.query(`set maintenance_work_mem = '512MB'`);
  for (const { definition } of rows) await client.query(definition);
  return account;
}

/** Positions of an account's videos, newest first, at these fractions of the way to the oldest. */
export async function positionsAt(
  client: pg.Client,
  account: SeededAccount,
  videoCount: number,
  shares: readonly number[],
): Promise<{ key: string; id: string }[]> {
  const positions: { key: string; id: string }[] = [];
  for (const share of shares) {
    const { rows } = await client.query<{ key: string; id: string }>(
      `select created_at::text as key, id from video where account_id = $1 and deleted_at is null
       order by created_at desc, id desc offset $2 limit 1`,
      [account.accountId, Math.min(videoCount - 30, Math.floor(videoCount * share))],
    );
    if (rows[0]) positions.push(rows[0]);
  }
  return positions;
}
