import { randomBytes } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { ViewRecorder } from '../../../src/domain/playback/analytics/viewRecorder.js';
import { newId, videoIdOf } from '../../../src/domain/shared/ids.js';
import { exchange } from '../../support/analytics/watching.js';
import { parseCsv } from '../../support/billing/csv.js';
import { DocumentRig, type Person } from '../../support/documents/rig.js';

const DAY = '2026-03-14';
const NOON = Date.parse(`${DAY}T12:30:00Z`) / 1_000;
const VIDEO = newId();

let rig: DocumentRig;
let owner: Person;
let stranger: Person;
let staff: Person;

beforeAll(async () => {
  rig = await DocumentRig.start();
  owner = await rig.person('owner@example.com');
  stranger = await rig.person('stranger@example.com');
  staff = await rig.person('staff@example.com', 'support');
  const views = new ViewRecorder({ db: rig.db, visitorKey: randomBytes(32) });
  const about = { accountId: owner.accountId, mintedAtEpochSeconds: NOON };
  views.exchanged(exchange({ ...about, videoId: VIDEO }));
  views.exchanged(exchange({ ...about, videoId: newId(), country: '', address: '203.0.113.8' }));
  await views.flush();
});
afterAll(() => rig.stop());

async function csv(query: string, person: Person = owner): Promise<Record<string, string>[]> {
  const answer = await rig.get(`/analytics.csv?${query}`, person);
  expect(answer.status).toBe(200);
  const [names, ...rows] = parseCsv(answer.body.toString('utf8').slice(1));
  return rows.map((row) => Object.fromEntries(row.map((cell, n) => [names![n]!, cell])));
}

const period = `from=${DAY}&to=${DAY}`;

describe('analytics as CSV', () => {
  it('have a record per day or hour', async () => {
    const answer = await rig.get(`/analytics.csv?from=2026-03-13&to=${DAY}`, owner);
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe(
      `attachment; filename="dhara-analytics-2026-03-13-${DAY}.csv"`,
    );
    const days = await csv(`from=2026-03-13&to=${DAY}`);
    expect(days.map(({ startsAt, views, completionRate }) => [startsAt, views, completionRate])).toEqual([
      ['2026-03-13T00:00:00.000Z', '0', ''],
      ['2026-03-14T00:00:00.000Z', '2', ''],
    ]);
    const hours = await csv(`${period}&granularity=HOUR`);
    expect(hours).toHaveLength(24);
    expect(hours[12]).toMatchObject({ startsAt: `${DAY}T12:00:00.000Z`, views: '2', uniqueViews: '2' });
  });

  it('have a record per value of a dimension, of one video or all', async () => {
    const countries = await csv(`${period}&dimension=COUNTRY`);
    expect(countries.map(({ country, views }) => [country, views])).toEqual([
      ['', '1'],
      ['DE', '1'],
    ]);
    expect(await csv(`${period}&dimension=COUNTRY&videoId=${videoIdOf(VIDEO)}`)).toHaveLength(1);
  });

  it('are of the own account, or of any for staff', async () => {
    expect((await csv(period, stranger))[0]).toMatchObject({ views: '0' });
    expect((await csv(`${period}&account=${owner.accountId}`, staff))[0]).toMatchObject({ views: '2' });
    expect((await rig.get(`/analytics.csv?${period}&account=${owner.accountId}`, stranger)).status).toBe(403);
    expect((await rig.get(`/analytics.csv?${period}`, null)).status).toBe(401);
    const head = await rig.get(`/analytics.csv?${period}`, owner, 'HEAD');
    expect([head.status, head.body.length]).toEqual([200, 0]);
  });

  it.each([
    ['', 400],
    ['from=2026-02-30&to=2026-03-01', 400],
    ['from=2026-03-02&to=2026-03-01', 400],
    [`${period}&from=${DAY}`, 400],
    ['from=2024-03-02&to=2026-03-01', 400],
    [`${period}&granularity=MINUTE`, 400],
    [`${period}&dimension=left_out`, 400],
    [`${period}&dimension=ALL`, 400],
    [`${period}&videoId=nonsense`, 404],
  ])('refuse %s with %i', async (query, status) => {
    const answer = await rig.get(`/analytics.csv?${query}`, owner);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-disposition')).toBeNull();
  });
});
