import { afterAll, beforeAll, expect, it } from 'vitest';

import { installVirtualClock, setClockOffset } from '../../../src/db/virtualClock.js';
import { call } from '../../support/contract/client.js';
import { addVideo, openCustomer, type RestService, startRestService } from '../../support/contract/service.js';
import { IS_FULL } from '../../support/effort.js';

const ROTATIONS = IS_FULL ? 200 : 12;
/** Viewers at each process, each creating tokens at one and exchanging them at the other. */
const VIEWERS = 4;
/** A published key signs a minute later, when every process has reloaded. */
const UNTIL_IT_SIGNS_MS = 61_000;
/** How many tokens each viewer exchanges before the next rotation. */
const EXCHANGES_EACH = 20;

let first: RestService;
let second: RestService;
beforeAll(async () => {
  first = await startRestService();
  const { database, masterKey } = first;
  await installVirtualClock(database.migrationUrl);
  second = await startRestService({ database, masterKey });
});
afterAll(async () => {
  await second?.stop();
  await first?.stop();
});

it(`either process exchanges every token while keys rotate ${ROTATIONS} times`, async () => {
  const { key, keyId, accountId } = await openCustomer(first);
  const videoId = await addVideo(first.db, accountId);
  await first.db.sql.query(
    { name: 'test-raise-quota', text: 'update api_key set daily_limit = 100000000 where account_id = $1 and id = $2' },
    [accountId, keyId],
  );
  const kids = new Set<string>();
  const seen = { exchanges: 0, isOver: false };
  const viewer = async (mintsAt: RestService, exchangesAt: RestService) => {
    while (!seen.isOver) {
      const minted = await call(mintsAt, `/v1/video/${videoId}/playback-token`, { key, method: 'POST' });
      expect(minted.status, JSON.stringify(minted.body)).toBe(200);
      const token = minted.body.data.token as string;
      const { kid } = JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString()) as { kid: string };
      kids.add(kid);
      const manifest = await call(exchangesAt, `/v1/video/playback/manifest/${token}`);
      expect(manifest.status, JSON.stringify(manifest.body)).toBe(200);
      seen.exchanges += 1;
    }
  };
  const viewers = Array.from({ length: VIEWERS }, () => [viewer(first, second), viewer(second, first)]).flat();
  const watched = Promise.all(viewers);
  const rotations = rotate();
  try {
    await Promise.race([rotations, watched]);
  } finally {
    seen.isOver = true;
    await Promise.allSettled([rotations, watched]);
  }
  await watched;

  expect(kids.size).toBeGreaterThanOrEqual(ROTATIONS);

  async function rotate(): Promise<void> {
    for (let nth = 1; nth <= ROTATIONS && !seen.isOver; nth += 1) {
      await (nth % 2 ? first : second).playback.signingKeys.rotate();
      await Promise.all([first, second].map(({ playback }) => playback.signingKeys.reload()));
      await setClockOffset(first.database.migrationUrl, nth * UNTIL_IT_SIGNS_MS);
      const enough = seen.exchanges + EXCHANGES_EACH;
      while (seen.exchanges < enough && !seen.isOver) await new Promise(setImmediate);
    }
  }
});
