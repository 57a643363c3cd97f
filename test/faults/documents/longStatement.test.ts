import { afterAll, beforeAll, expect, it } from 'vitest';

import { parseCsv } from '../../support/billing/csv.js';
import { PastLedger } from '../../support/billing/ledger.js';
import { DocumentRig, type Person } from '../../support/documents/rig.js';

const MONTH = new Date().toISOString().slice(0, 7);
const MANY = 100_000;

let rig: DocumentRig;
let stranger: Person;
let heavy: Person;

beforeAll(async () => {
  rig = await DocumentRig.start();
  stranger = await rig.person('stranger@example.com');
  heavy = await rig.person('heavy@example.com');
  const many = await PastLedger.of(rig.admin, heavy.accountId);
  const at = new Date();
  await many.write(Array.from({ length: MANY }, () => ({ type: 'TOPUP', at, deltas: { MASTER: 1n } }) as const));
});
afterAll(() => rig.stop());

it('a statement of a hundred thousand entries is read only as fast as the client takes it, and no further after it disconnects', async () => {
  for (const extension of ['csv', 'pdf']) {
    rig.pagesRead = 0;
    const answer = await rig.open(`/statements/${MONTH}.${extension}`, heavy);
    answer.pause();
    let before = -1;
    await expect
      .poll(
        () => {
          const isStill = rig.pagesRead === before;
          before = rig.pagesRead;
          return isStill && rig.pagesRead > 0;
        },
        { interval: 700 },
      )
      .toBe(true);
    expect(rig.pagesRead).toBeLessThan(MANY / 1_000);
    const whenGone = rig.pagesRead;
    answer.destroy();
    // Later requests find every connection of the pool free, and nothing is read for the client that disconnected.
    expect((await rig.get(`/statements/${MONTH}.csv`, stranger)).status).toBe(200);
    expect(rig.pagesRead).toBeLessThanOrEqual(whenGone + 2);
  }
});

it('a statement of a hundred thousand entries is complete', async () => {
  const answer = await rig.get(`/statements/${MONTH}.csv`, heavy);
  const rows = parseCsv(answer.body.toString('utf8').slice(1));
  expect(rows.filter(([record]) => record === 'entry')).toHaveLength(MANY);
  expect(rows.find(([record]) => record === 'closing')![6]).toBe('0.1');
});
