import { describe, expect, it } from 'vitest';

import { csvRecord } from '../../../src/domain/shared/csv.js';
import { parseCsv } from '../../support/billing/csv.js';

describe('a CSV record', () => {
  it.each([
    '=1+1',
    '+1+1',
    '-1+1',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    '\n=1',
    ' =1',
    '＝1',
    '＋1',
    '－1',
    '＠A1',
    '\u{feff}=1',
  ])('disarms a formula: %j', (text) => {
    const [[first, second]] = parseCsv(csvRecord([text, 'x'])) as [string[]];
    expect(first).toBe(`'${text}`);
    expect(second).toBe('x');
  });

  it.each(['0', '-1', '-0.000007', '9007199254740.993', 'a=1', 'x-y', "it's", ''])('leaves %j unchanged', (text) => {
    expect(csvRecord([text])).toBe(`${text}\r\n`);
  });

  it.each([';=1', 'a;=1', 'a\t=1', 'a,=1', 'a"b', 'a\r\n=1', ' a '])('keeps %j in one cell', (text) => {
    const record = csvRecord([text, 'x']);
    expect(record.startsWith('"')).toBe(true);
    expect(parseCsv(record)).toEqual([[text, 'x']]);
  });
});
