import { afterAll, beforeAll, expect, it } from 'vitest';

import { EventLog } from '../../../src/domain/shared/events/eventLog.js';
import { addVideo, openCustomer, type RestService, startRestService } from '../../support/contract/service.js';
import { IS_FULL } from '../../support/effort.js';
import { eventsOf } from '../../support/events/log.js';
import { type Fleet, startFleet } from './processes.js';

/** A round is one key that is used up by four processes. Keys of a group are used at the same time. */
const ROUNDS = IS_FULL ? 1_000 : 100;
const GROUP = 20;
const QUOTA = 10;
const RAISED = 15;

let service: RestService;
let fleet: Fleet;
beforeAll(async () => {
  service = await startRestService({ maxConnections: 20 });
  fleet = await startFleet(service, [0, 0, 0, 0]);
});
afterAll(async () => {
  await fleet?.stop();
  await service?.stop();
});

async function customer() {
  const opened = await openCustomer(service);
  await service.keys.setDailyQuota(opened.accountId, opened.keyId, QUOTA);
  return { ...opened, videoId: await addVideo(service.db, opened.accountId) };
}

/**
 * Meanwhile support raises the quota of every second key, the log is read and numbered, and partitions are kept: an
 * event is written once, and no statement waits for another in a circle, which would be a 500.
 */
it('a key is warned about and used up once per quota, with four processes', { timeout: 600_000 }, async () => {
  const log = new EventLog(service.db);
  for (let done = 0; done < ROUNDS; done += GROUP) {
    const owners = await Promise.all(Array.from({ length: GROUP }, customer));
    const minting = Promise.all(
      owners.flatMap(({ key, videoId }) => Array.from({ length: 24 }, (_, n) => fleet.mint(n, key, videoId))),
    );
    const meanwhile = owners.map(async ({ accountId, keyId }, n) => {
      if (n % 2 === 0) await service.keys.setDailyQuota(accountId, keyId, RAISED);
      await log.newestCursor(accountId);
    });
    const [answers] = await Promise.all([minting, log.keep(), ...meanwhile]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
    // A quota may have been raised after the last token was refused: what was raised is used up, too.
    await Promise.all(
      owners.flatMap(({ key, videoId }) => Array.from({ length: RAISED }, (_, n) => fleet.mint(n, key, videoId))),
    );
    const second = await Promise.all(owners.map(({ key, videoId }) => fleet.mint(0, key, videoId)));
    expect(new Set(second.map(({ status }) => status))).toEqual(new Set([429]));

    for (const [n, { accountId, keyId }] of owners.entries()) {
      const isRaised = n % 2 === 0;
      const events = (await eventsOf(service.db, accountId)).filter(({ data }) => 'used' in data);
      const at = (type: string, quota: number) =>
        events.filter((event) => event.type === type && event.data['dailyQuota'] === quota);
      expect(events.every(({ data }) => data['keyId'] === keyId)).toBe(true);

      const [last] = at('quota.reached', isRaised ? RAISED : QUOTA);
      expect(last?.data).toMatchObject({ used: isRaised ? RAISED : QUOTA });
      expect(at('quota.warning', isRaised ? RAISED : QUOTA)).toHaveLength(1);
      // The first quota is crossed or not, depending on when it was raised.
      for (const type of ['quota.warning', 'quota.reached']) expect(at(type, QUOTA).length).toBeLessThanOrEqual(1);
      expect(events.length).toBe(
        at('quota.warning', QUOTA).length + at('quota.reached', QUOTA).length + (isRaised ? 2 : 0),
      );
    }
  }
});
