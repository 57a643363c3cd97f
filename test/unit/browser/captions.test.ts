import { describe, expect, it } from 'vitest';

import { faultOfFile, fileFaultOf, readCaptions } from '../../../src/dashboard/videos/captions/captionFile.js';
import { chaptersOf, faultsOf } from '../../../src/dashboard/videos/captions/chapterDrafts.js';
import {
  labelFor,
  languageInName,
  languageOptions,
  languageTyped,
  showLanguage,
} from '../../../src/dashboard/videos/captions/languages.js';
import { parseTimecode, showTimecode } from '../../../src/dashboard/videos/captions/timecode.js';

describe('a time that is typed', () => {
  it.each([
    ['75', 75],
    ['2:03', 123],
    ['1:02:03.5', 3_723.5],
    [' 0:00,25 ', 0.25],
    ['90:00', 5_400],
  ])('%j is %d seconds', (text, seconds) => {
    expect(parseTimecode(text)).toBe(seconds);
    expect(parseTimecode(showTimecode(seconds))).toBe(seconds);
  });

  it.each(['', 'one', '1:60', '1:60:00', '-1', '1:2:3:4', '1.2345'])('%j is not a time', (text) => {
    expect(parseTimecode(text)).toBeNull();
  });

  it('is shown without rounding', () => {
    expect([0, 9.125, 61, 3_723.5].map(showTimecode)).toEqual(['0:00', '0:09.125', '1:01', '1:02:03.5']);
  });
});

describe('chapters that are edited', () => {
  const rows = [
    { row: 1, start: '0', title: 'Intro ' },
    { row: 2, start: '0:00', title: 'Again' },
    { row: 3, start: 'soon', title: ' ' },
    { row: 4, start: '2:00', title: 'After the end' },
  ];

  it('cannot be saved without a distinct time before the end, and a title', () => {
    const faults = faultsOf(rows, 120);
    expect([...faults.keys()]).toEqual([2, 3, 4]);
    expect(faults.get(2)).toEqual({ start: expect.stringContaining('Another chapter') as string });
    expect(Object.keys(faults.get(3)!)).toEqual(['start', 'title']);
    expect(faults.get(4)!.start).toContain('2:00');
    expect(faultsOf([rows[0]!, rows[3]!], null).size).toBe(0);
  });

  it('are sent in seconds, with trimmed titles', () => {
    expect(chaptersOf([rows[0]!, rows[3]!])).toEqual([
      { startSeconds: 0, title: 'Intro' },
      { startSeconds: 120, title: 'After the end' },
    ]);
  });
});

describe('a captions file', () => {
  const file = (name: string, content: string) => new File([content], name);

  it('is refused if it is empty, too large or of another kind', async () => {
    for (const wrong of [file('video.mp4', 'x'), file('a.srt', ''), file('a.vtt', 'x'.repeat(1_000_001))]) {
      const fault = faultOfFile(wrong)!;
      expect(fault.length).toBeGreaterThan(10);
      const error = await readCaptions(wrong).catch((thrown: unknown) => thrown);
      expect(fileFaultOf(error)).toBe(fault);
    }
    expect(fileFaultOf(new TypeError('no response'))).toBeNull();
  });

  it('is read if it may be captions', async () => {
    expect(await readCaptions(file('A.SRT', '1\n'))).toBe('1\n');
  });
});

describe('languages', () => {
  it.each([
    ['video.pt-BR.srt', 'pt-BR'],
    ['video_en.vtt', 'en'],
    ['hi.srt', 'hi'],
    ['captions.srt', null],
    ['my.video.qqq.srt', null],
  ])('from the file name %s are %s', (name, tag) => {
    expect(languageInName(name)).toBe(tag);
  });

  it('are typed as a tag', () => {
    expect(['EN-us', ' de ', 'zh-hant', 'english', 'x', 'en-'].map(languageTyped)).toEqual([
      'en-US',
      'de',
      'zh-Hant',
      null,
      null,
      null,
    ]);
  });

  it('are sorted by name, once each, with the current one', () => {
    const options = languageOptions(['de', 'tlh', null]);
    const labels = options.map(({ label }) => label);
    expect(labels).toEqual(labels.toSorted((a, b) => a.localeCompare(b)));
    expect(options.filter(({ value }) => value === 'de')).toEqual([{ value: 'de', label: 'German' }]);
    expect(options.map(({ value }) => value)).toContain('tlh');
    expect(showLanguage('und')).toBe('Unknown language');
    expect(showLanguage('not a tag')).toBe('not a tag');
  });

  it('label a track in their own words, unlike any other track', () => {
    expect(labelFor('de', { isForced: false, isSdh: false }, [])).toBe('Deutsch');
    expect(labelFor('es', { isForced: true, isSdh: true }, [])).toBe('Español (forced, SDH)');
    expect(labelFor('de', { isForced: false, isSdh: false }, ['Deutsch', 'Deutsch 2'])).toBe('Deutsch 3');
    expect(labelFor('en-x-foo', { isForced: false, isSdh: false }, [])).toBe('English');
  });
});
