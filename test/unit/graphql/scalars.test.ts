import { describe, expect, it } from 'vitest';

import { DateTime } from '../../../src/api/graphql/scalars/dateTime.js';
import { Day } from '../../../src/api/graphql/scalars/day.js';

const invalid = expect.objectContaining({ code: 'INVALID_INPUT' }) as Error;

describe('a DateTime', () => {
  it.each([
    ['2026-11-24T09:30:00Z', '2026-11-24T09:30:00.000Z'],
    ['2026-11-24T09:30:00.123456+05:30', '2026-11-24T04:00:00.123Z'],
    ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('is read with its offset: %s', (text, time) => {
    expect(DateTime.parseValue(text).toISOString()).toBe(time);
  });

  it.each([
    '2026-11-24T09:30:00',
    '2026-02-30T00:00:00Z',
    '2026-11-24T25:00:00Z',
    '0000-06-01T00:00:00Z',
    '0001-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    '',
    1,
  ])('that PostgreSQL or the calendar does not know is refused: %s', (value) => {
    expect(() => DateTime.parseValue(value)).toThrow(invalid);
  });
});

describe('a Day', () => {
  it.each(['2026-11-24', '2028-02-29', '0001-01-01', '9999-12-31'])('is read: %s', (day) => {
    expect(Day.parseValue(day)).toBe(day);
  });

  it.each(['2026-02-30', '2027-02-29', '0000-01-01', '2026-1-1', '20260101', '', 1])(
    'that does not exist is refused: %s',
    (day) => {
      expect(() => Day.parseValue(day)).toThrow(invalid);
    },
  );
});
