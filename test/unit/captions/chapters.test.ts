import fc from '../../support/properties.js';
import { describe, expect, it } from 'vitest';

import { labelFor } from '../../../src/dashboard/videos/captions/languages.js';
import { checkedChapters, usableChapters, withOrigins } from '../../../src/domain/media/captions/chapters.js';
import {
  checkedLabel,
  checkedLanguage,
  languageName,
  languageOf,
} from '../../../src/domain/media/captions/language.js';
import { prepareSourceCaptions } from '../../../src/domain/media/captions/sourceCaptions.js';
import { captionsPlaylist, chaptersVtt } from '../../../src/domain/media/captions/writeVtt.js';
import { parseVtt } from '../../../src/player/vtt.js';

describe('chapters', () => {
  it('of the source keep their origin if their owner saves them unchanged', () => {
    const before = [
      { startMs: 0, title: 'One', origin: 'source' as const },
      { startMs: 5_000, title: 'Two', origin: 'source' as const },
      { startMs: 9_000, title: 'Of long ago' },
    ];
    const given = [before[0]!, { startMs: 5_000, title: 'Second' }, { startMs: 9_000, title: 'Of long ago' }];
    const plain = given.map(({ startMs, title }) => ({ startMs, title }));
    expect(withOrigins(plain, before).map(({ origin }) => origin)).toEqual(['source', 'upload', undefined]);
  });

  it('of an owner are ordered', () => {
    const given = [
      { startSeconds: 30.5, title: ' Two ' },
      { startSeconds: 0, title: 'One <b>' },
    ];
    const chapters = checkedChapters(given, 60_000);
    expect(chapters).toEqual([
      { startMs: 0, title: 'One <b>' },
      { startMs: 30_500, title: 'Two' },
    ]);
    expect(parseVtt(chaptersVtt(chapters, 60_000))).toEqual([
      { startSeconds: 0, endSeconds: 30.5, text: 'One &lt;b&gt;' },
      { startSeconds: 30.5, endSeconds: 60, text: 'Two' },
    ]);
  });

  it.each([
    ['a negative start', [{ startSeconds: -1, title: 'a' }]],
    ['a start that is not a number', [{ startSeconds: Number.NaN, title: 'a' }]],
    ['a chapter after the end', [{ startSeconds: 60, title: 'a' }]],
    ['no title', [{ startSeconds: 1, title: ' ' }]],
    ['two lines', [{ startSeconds: 1, title: 'a\nb' }]],
    ['a long title', [{ startSeconds: 1, title: 'x'.repeat(201) }]],
    ['the same moment twice', [1, 1.0001].map((startSeconds) => ({ startSeconds, title: 'a' }))],
    ['too many chapters', Array.from({ length: 201 }, (_, n) => ({ startSeconds: n / 10, title: 'a' }))],
  ])('of an owner are refused with %s', (_, chapters) => {
    expect(() => checkedChapters(chapters, 60_000)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });

  it('of a file are used as far as they are valid', () => {
    const found = [
      { startMs: 20_000, title: '' },
      { startMs: 0, title: `a\u0000\n\u2028b${'x'.repeat(500)}` },
      { startMs: 20_000, title: 'again' },
      { startMs: 60_000, title: 'after the end' },
      { startMs: Number.NaN, title: 'never' },
    ];
    const chapters = usableChapters(found, 60_000);
    expect(chapters.map(({ startMs }) => startMs)).toEqual([0, 20_000]);
    expect(chapters[0]!.title).toMatch(/^a b?x{190,}/);
    expect(chapters[0]!.title).toHaveLength(200);
    expect(chapters[1]!.title).toBe('Chapter 2');
    const many = Array.from({ length: 1_000 }, (_, n) => ({ startMs: n, title: 'x' }));
    expect(usableChapters(many, 60_000)).toHaveLength(200);
  });
});

describe('a language', () => {
  it.each([
    ['en', 'en'],
    ['eng', 'en'],
    ['pt-br', 'pt-BR'],
    ['zh-hant-tw', 'zh-Hant-TW'],
    [' hi ', 'hi'],
  ])('%s is stored as %s', (given, tag) => {
    expect(checkedLanguage(given)).toBe(tag);
  });

  it.each(['', 'english please', '../en', 'e', 'en_US', 'en"', 'x'.repeat(60)])('%j is refused', (given) => {
    expect(() => checkedLanguage(given)).toThrow(/BCP 47/);
    expect(languageOf(given)).toBe('und');
  });

  it('has a name', () => {
    expect(languageName('de')).toBe('Deutsch');
    expect(languageName('und')).toBe('Subtitles');
    expect(languageName('qaa')).not.toBe('');
  });

  it.each([
    ['en-x-foo', 'English'],
    ['de-u-co-phonebk', 'Deutsch'],
    ['en-t-de', 'English'],
    ['en-a-bb', 'English'],
    ['en-r-vu', 'English'],
  ])('has a name even with extensions: %s', (said, name) => {
    expect(languageOf(said)).toBe(said);
    expect(languageName(said)).toBe(name);
    expect(labelFor(said, { isForced: false, isSdh: false }, [])).toBe(name);
  });

  it.each(['und-x-a', 'und-Latn'])('is unknown if its tag names none: %s', (said) => {
    expect(languageOf(said)).toBe('und');
  });

  it('has a name for every valid tag', () => {
    const part = fc.stringMatching(/^[abdenrtuxz019]{1,8}$/);
    const tag = fc.tuple(fc.constantFrom('en', 'de', 'und', 'qaa', 'abcdefgh'), fc.array(part, { maxLength: 4 }));
    fc.assert(
      fc.property(tag, ([language, parts]) => {
        const said = languageOf([language, ...parts].join('-'));
        expect(languageName(said)).not.toBe('');
        expect(labelFor(said, { isForced: false, isSdh: false }, [])).not.toBe('');
      }),
      { numRuns: 2_000 },
    );
  });
});

it.each(['', ' ', 'a\nb', 'x'.repeat(81), 'a\u0000'])('the label %j is refused', (label) => {
  expect(() => checkedLabel(label)).toThrow(/label/);
});

it('the tracks of a file have distinct labels, and a broken one is left out', () => {
  const track = (title: string | null, language: string | null, text = 'WEBVTT\n\n00:01.000 --> 00:02.000\nHi\n') => ({
    title,
    language,
    isForced: false,
    isSdh: false,
    text,
  });
  const refused: unknown[] = [];
  const { captions } = prepareSourceCaptions(
    {
      subtitles: [
        track(null, 'eng'),
        track('../../etc/passwd\n', 'nonsense!'),
        track(null, 'en'),
        track(null, 'fr', 'WEBVTT\n\n00:03.000 --> 00:02.000\nHi\n'),
        track(null, null),
      ],
      chapters: [],
      durationMs: 1_000,
    },
    (error) => refused.push(error),
  );
  expect(captions.map(({ language, label }) => [language, label])).toEqual([
    ['en', 'English'],
    ['und', '../../etc/passwd'],
    ['en', 'English 2'],
    ['und', 'Subtitles'],
  ]);
  expect(refused).toHaveLength(1);
});

it('a playlist of captions has one segment as long as the video', () => {
  expect(captionsPlaylist('a.vtt', 90_500)).toContain(
    '#EXT-X-TARGETDURATION:91\n#EXT-X-PLAYLIST-TYPE:VOD\n#EXTINF:90.500,\na.vtt\n',
  );
});
