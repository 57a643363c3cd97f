import pg from 'pg';

import { connectionTo } from '../../src/db/connection.js';
import { PostgresDatabase } from '../../src/db/database.js';
import { videoIdOf } from '../../src/domain/shared/ids.js';
import { seedVideosOf } from '../bench/seed.js';
import { fundWallet } from './accounts.js';
import { signIn } from './service.js';

const EMAIL = 'owner@example.com';
const PASSWORD = 'correct horse battery';
const CREDIT = 1_000_000n;

/** Moves half a credit to CREATIVE, once per `$key`. */
export const ALLOCATE_HALF =
  'mutation($key: String!) { allocateCredits(amount: "0.5", from: MASTER, to: CREATIVE, idempotencyKey: $key) { __typename } }';

export interface Owner {
  readonly accountId: string;
  /** Of a session. */
  readonly cookie: string;
  /** Practically unlimited. */
  readonly key: string;
  /** A video that plays, as callers of `/v1` name it. */
  readonly videoId: string;
}

/** Signs up the only owner of a running service, with credits, a key and 30 videos. */
export async function signUpOwner(
  url: string,
  origin: string,
  { migrationUrl, runtimeUrl }: { readonly migrationUrl: string; readonly runtimeUrl: string },
): Promise<Owner> {
  const post = async (path: string, body: object, cookie = ''): Promise<Response> => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin, cookie },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response;
  };
  const admin = new pg.Client(connectionTo(migrationUrl));
  const db = await PostgresDatabase.connect({ url: runtimeUrl, maxConnections: 1 });
  await admin.connect();
  try {
    await post('/api/auth/sign-up/email', { name: 'A', email: EMAIL, password: PASSWORD });
    const { rows } = await admin.query<{ id: string }>(`update auth."user" set "emailVerified" = true returning id`);
    const accountId = rows[0]!.id;
    const cookie = await signIn({ url, email: EMAIL, password: PASSWORD }, origin);
    const made = await post('/graphql', { query: 'mutation { createApiKey(name: "Site") { key } }' }, cookie);
    const { data } = (await made.json()) as { data: { createApiKey: { key: string } } };
    await fundWallet(db, accountId, { MASTER: 100_000n * CREDIT });
    await admin.query('update api_key set daily_limit = 1000000');
    const [videoId] = await seedVideosOf(admin, accountId, 30);
    return { accountId, cookie, key: data.createApiKey.key, videoId: videoIdOf(videoId!) };
  } finally {
    await db.close();
    await admin.end();
  }
}
