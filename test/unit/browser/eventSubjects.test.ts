import { expect, it } from 'vitest';

import { subjectOf } from '../../../src/dashboard/events/payload.js';

it.each([
  [{ title: 'Knots', status: 'ready' }, 'Knots'],
  [{ topUpId: '1', amount: '1499.5' }, '1,499.50 credits'],
  [{ balance: '48.25', threshold: '50' }, '48.25 credits'],
  [{ day: '2026-11-29', bytes: 1 }, '2026-11-29'],
  [{ videoId: 'vid_1' }, ''],
])('the event with the data %j is about: %s', (data, subject) => {
  expect(subjectOf(JSON.stringify({ data }))).toBe(subject);
});
