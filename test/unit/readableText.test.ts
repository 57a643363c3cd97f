import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { titleOfUpload } from '../../src/domain/media/library/videoInput.js';
import { checkedLine, checkedLines, readableLine } from '../../src/readableText.js';

const line = (text: string): string => checkedLine('A title', text, { min: 1, max: 200 });

const READABLE = [
  ['Persian with non-joiners', 'علی‌رضا می‌خواهم'],
  ['Hindi with joiners', 'क्‍ष क्‌ष'],
  ['Malayalam that ends in a joiner', 'ന്‍'],
  ['Bengali', 'র‌্য'],
  ['Sinhala', 'ශ්‍රී ලංකා'],
  ['a family', '👨‍👩‍👧‍👦'],
  ['a profession with a skin colour', '👩🏽‍💻'],
  ['a burning heart', '❤️‍🔥'],
  ['a keycap', '1️⃣'],
  ['flags', '🇮🇳🏳️‍🌈🏴󠁧󠁢󠁳󠁣󠁴󠁿'],
  ['a variant of a Japanese name', '葛󠄀城'],
  ['Arabic number signs', '؀123'],
  ['quotes, dashes and spaces of many kinds', '“Zoë’s” — l’été : 100 %　動画'],
  ['Khmer whose words a zero-width space ends', 'ភាសា\u200Bខ្មែរ'],
  ['Thai whose words a zero-width space ends', 'สวัสดี\u200Bครับ'],
  ['Burmese whose words a zero-width space ends', 'မြန်မာ\u200Bစာ'],
  ['right to left', 'שלום (1) مرحبا'],
] as const;

const UNREADABLE = [
  ['a bidi override', 'a\u202Eb', 'U+202E'],
  ['a bidi isolate', '\u2066a\u2069', 'U+2066'],
  ['a bidi mark', 'a\u200Eb', 'U+200E'],
  ['an Arabic letter mark', 'a\u061Cb', 'U+061C'],
  ['a zero-width space', 'pay\u200Bpal', 'U+200B'],
  ['a zero-width space at the end of Thai', 'ครับ\u200B', 'U+200B'],
  ['two zero-width spaces in a row', 'ครับ\u200B\u200Bครับ', 'U+200B'],
  ['a zero-width space between Thai and Latin', 'ครับ\u200Ba', 'U+200B'],
  ['a joiner between Latin letters', 'pay\u200Dpal', 'U+200D'],
  ['a non-joiner between Latin letters', 'pay\u200Cpal', 'U+200C'],
  ['two joiners in a row', 'می\u200C\u200Cخ', 'U+200C'],
  ['a joiner after one emoji', '😀\u200D', 'U+200D'],
  ['a word joiner', 'a\u2060b', 'U+2060'],
  ['a byte-order mark', 'a\uFEFFb', 'U+FEFF'],
  ['a soft hyphen', 'a\u00ADb', 'U+00AD'],
  ['a variation selector after a letter', 'a\uFE0F', 'U+FE0F'],
  ['a variation selector after a digit', '1\uFE0F', 'U+FE0F'],
  ['a Hangul filler', '\u3164', 'U+3164'],
  ['an empty Braille cell', '\u2800', 'U+2800'],
  ['a grapheme joiner', 'a\u034Fb', 'U+034F'],
  ['tags', 'a\u{E0041}', 'U+E0041'],
  ['tags after a flag that does not exist', '🏴\u{E0041}\u{E007F}', 'U+E0041'],
  ['a private character', '\uE000', 'U+E000'],
  ['an unassigned code point', '\u0378', 'U+0378'],
  ['a noncharacter', '\uFFFF', 'U+FFFF'],
  ['half of a surrogate pair', 'a\uD800', 'U+D800'],
  ['a NUL', 'a\0b', 'U+0000'],
  ['an escape', 'a\u001B[31mb', 'U+001B'],
  ['a line break', 'a\nb', 'U+000A'],
  ['a line separator', 'a\u2028b', 'U+2028'],
] as const;

describe('the title of an upload', () => {
  it('is the file’s name if none is given, without unreadable characters', () => {
    expect(titleOfUpload(null, 'pay\u200Bpal \u202Egpj.mp4')).toBe('pay pal gpj');
    expect(titleOfUpload(' ', '\u202E.mp4')).toBe('Untitled');
  });

  it('is cleaned if it is made from the file’s name, and refused if somebody typed it', () => {
    expect(titleOfUpload('summer\uFEFF party', 'summer\uFEFF_party.mp4')).toBe('summer party');
    expect(titleOfUpload('\uFEFF', '\uFEFF.mp4')).toBe('Untitled');
    expect(() => titleOfUpload('summer\uFEFF party', 'summer_party.mp4')).toThrow('U+FEFF');
    expect(() => titleOfUpload('summer\uFEFF \u202Eparty', 'summer\uFEFF_party.mp4')).toThrow('U+FEFF');
  });
});

describe('readable text', () => {
  it.each(READABLE)('may contain %s', (_name, text) => {
    expect(line(text)).toBe(text.normalize('NFC'));
    expect(readableLine(text)).toBe(text.normalize('NFC'));
  });

  it.each(UNREADABLE)('may not contain %s, and the error names it', (_name, text, codePoint) => {
    expect(() => line(text)).toThrow(
      expect.objectContaining({
        code: 'INVALID_INPUT',
        message: `A title cannot hold the invisible or unsupported character ${codePoint}.`,
      }) as Error,
    );
    expect(() => line(readableLine(`x${text}`))).not.toThrow();
  });

  it('is trimmed, in NFC, and counted in characters', () => {
    expect(line(' Zoe\u0308 ')).toBe('Zoë');
    expect(checkedLine('A title', '😀'.repeat(200), { max: 200 })).toHaveLength(400);
    expect(() => line('😀'.repeat(201))).toThrow('A title has 1 to 200 characters.');
    expect(() => line(' \u00A0 ')).toThrow('A title has 1 to 200 characters.');
  });

  it('may have line breaks and tabs if several lines are allowed', () => {
    expect(checkedLines('A description', 'a\r\n\tb\n', { max: 20 })).toBe('a\r\n\tb\n');
    expect(() => checkedLines('A description', 'a\u2029', { max: 20 })).toThrow('U+2029');
  });

  it('can be made from any text of a file', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        const clean = readableLine(text);
        expect(checkedLine('A title', clean, { max: 60 })).toBe(clean);
      }),
    );
  });
});
