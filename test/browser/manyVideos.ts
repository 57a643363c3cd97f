import type { Client } from 'pg';

import { PROBE } from './seededVideo.js';

/** Measured and waiting for a quality: a minute of 720p each. */
const SEED = `
  insert into video (account_id, id, title, status, duration_ms, source_probe, source_key, size_bytes, created_at, tags)
  select a.id, gen_random_uuid(), 'Video ' || lpad(n::text, 5, '0'), 'uploaded', 60000, $2, 'sources/none', 1000,
    service_now() - make_interval(hours => n), case when n % 2 = 0 then array['even'] else '{}'::text[] end
  from auth."user" a, generate_series(1, $3::int) n where a.email = $1`;

/** "Video 00001" is the newest. Every second one has the tag "even". */
export async function seedVideos(database: Client, email: string, count: number): Promise<void> {
  await database.query(SEED, [email, JSON.stringify(PROBE), count]);
}
