import { randomBytes } from 'node:crypto';

import { PostgresDatabase } from '../../../src/db/database.js';
import { setClockOffset } from '../../../src/db/virtualClock.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { KeyService } from '../../../src/domain/accounts/keys/keys.service.js';
import { PlaybackService } from '../../../src/domain/playback/playback.service.js';
import { listen } from '../../../src/api/http/server.js';
import { createTestDatabase, type TestDatabase } from '../database.js';
import { PUBLIC_URL, restApp } from './restApp.js';

export { PUBLIC_URL };

export interface RestService {
  readonly url: string;
  readonly database: TestDatabase;
  readonly db: PostgresDatabase;
  readonly keys: KeyService;
  readonly playback: PlaybackService;
  readonly masterKey: Buffer;
  stop(): Promise<void>;
}

/** The /v1 API over real HTTP, with the middleware that the service mounts before it. */
export async function startRestService(
  options: { database?: TestDatabase; masterKey?: Buffer; maxConnections?: number } = {},
): Promise<RestService> {
  const database = options.database ?? (await createTestDatabase());
  const masterKey = options.masterKey ?? randomBytes(32);
  const db = await PostgresDatabase.connect({
    url: database.runtimeUrl,
    maxConnections: options.maxConnections ?? 10,
    log: () => undefined,
  });
  const playback = await PlaybackService.open({ db, masterKey, publicUrl: PUBLIC_URL });
  const server = await listen(restApp({ db, playback, masterKey }), '127.0.0.1', 0);
  return {
    url: `http://127.0.0.1:${server.port}`,
    database,
    db,
    keys: new KeyService({ db }),
    playback,
    masterKey,
    stop: async () => {
      await server.stop(1000);
      playback.close();
      await db.close();
      if (!options.database) await database.drop();
    },
  };
}

const TO_NOON_MS = 43_200_000 - (Date.now() % 86_400_000);

/** Moves an adjustable clock to this long after the noon of the day the tests began: none of them is near midnight. */
export async function clockAfterNoon({ database }: Pick<RestService, 'database'>, seconds = 0): Promise<void> {
  await setClockOffset(database.migrationUrl, TO_NOON_MS + seconds * 1000);
}

/** A complete account without a user. Returns its id. */
export async function openAccount(db: PostgresDatabase): Promise<string> {
  const accountId = newId();
  await db.sql.query({ name: 'test-open-account', text: 'select open_account($1)' }, [accountId]);
  return accountId;
}

/** A new account with an API key. */
export async function openCustomer(service: RestService): Promise<{ accountId: string; key: string; keyId: string }> {
  const accountId = await openAccount(service.db);
  const { key, record } = await service.keys.create(accountId, { name: 'test' });
  return { accountId, key, keyId: record.id };
}

export interface VideoSeed {
  id?: string;
  title?: string;
  status?: string;
  tags?: string[];
  playableRungs?: string[];
  durationMs?: number | null;
  posterPath?: string | null;
  createdAt?: string;
  failureCode?: string | null;
}

/** A video row as the pipeline leaves it, ready and playable by default. Returns its UUID. */
export async function addVideo(db: PostgresDatabase, accountId: string, seed: VideoSeed = {}): Promise<string> {
  const id = seed.id ?? newId();
  const status = seed.status ?? 'ready';
  const renditions = seed.playableRungs ?? (status === 'ready' ? ['audio', '480p'] : []);
  await db.sql.query(
    {
      name: 'test-add-video',
      text: `insert into video (account_id, id, title, status, tags, playable_rungs, duration_ms, poster_path,
          pictures_prefix, quality, width, height, size_bytes, failure_code, failure_message, created_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8, 'videos/x', '480p', 854, 480, 123456, $9, $9,
          coalesce($10::timestamptz, clock_timestamp()))`,
    },
    [
      accountId,
      id,
      seed.title ?? 'A video',
      status,
      seed.tags ?? [],
      renditions,
      seed.durationMs === undefined ? 90_500 : seed.durationMs,
      seed.posterPath ?? null,
      seed.failureCode ?? null,
      seed.createdAt ?? null,
    ],
  );
  return id;
}
