import fc from '../../support/properties.js';
import { describe, expect, it } from 'vitest';

import { cleanCueText } from '../../../src/domain/media/captions/cueText.js';
import { parseCaptions } from '../../../src/domain/media/captions/parseCaptions.js';
import { captionsVtt } from '../../../src/domain/media/captions/writeVtt.js';
import { AppError } from '../../../src/errors.js';
import { WAIT_MS } from '../../support/deadlines.js';

const cue = (text: string, timing = '00:00:01,000 --> 00:00:02,000'): string => `1\n${timing}\n${text}\n`;
const texts = (source: string): string[] => parseCaptions(source).map(({ text }) => text);

function refusal(source: string): { message: string; line: string | undefined } {
  try {
    parseCaptions(source);
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    const { code, message, details } = error as AppError;
    expect(code).toBe('INVALID_INPUT');
    return { message, line: details['line'] };
  }
  throw new Error('it was taken');
}

describe('a caption file', () => {
  it.each([
    ['SRT', '1\r\n00:00:01,500 --> 00:00:04,000\r\nHello\r\nthere\r\n\r\n2\r\n01:02:03,004 --> 01:02:04,000\r\nBye'],
    [
      'SRT without numbers, with dots',
      '00:00:01.5 --> 00:00:04.00\nHello\nthere\n\n1:02:03.004 --> 1:02:04.000\nBye\n',
    ],
    [
      'WebVTT',
      '\ufeffWEBVTT - a video\nKind: captions\n\nNOTE\nnothing\n\n00:01.500 --> 00:04.000\nHello\nthere\n\nid\n01:02:03.004 --> 01:02:04.000 region:x\nBye',
    ],
    [
      'WebVTT with a style',
      'WEBVTT\n\nSTYLE\n::cue { background: url(http://evil.example/) }\n\n00:01.500 --> 00:04.000\nHello\nthere\n\n01:02:03.004 --> 01:02:04.000\nBye',
    ],
    [
      'SRT with the line breaks of old Macs',
      '1\r00:00:01,500 --> 00:00:04,000\rHello\rthere\r\r2\r01:02:03,004 --> 01:02:04,000\rBye',
    ],
    [
      'SRT out of order',
      '01:02:03,004 --> 01:02:04,000\nBye\n\n\n\n00:00:01,500 --> 00:00:04,000 X1:1 Y1:2\nHello\nthere',
    ],
  ])('is read as %s', (_, source) => {
    expect(parseCaptions(source)).toEqual([
      { startMs: 1_500, endMs: 4_000, settings: '', text: 'Hello\nthere' },
      { startMs: 3_723_004, endMs: 3_724_000, settings: '', text: 'Bye' },
    ]);
  });

  it('keeps the position of a WebVTT cue, and no other settings', () => {
    const timing = '00:01.000 --> 00:02.000 line:0 align:middle size:50% region:fred position:10%,line-left x:url(1)';
    expect(parseCaptions(`WEBVTT\n\n${timing}\nHi`)[0]!.settings).toBe(
      'line:0 align:center size:50% position:10%,line-left',
    );
  });

  it.each([
    ['an empty file', '', undefined, /no captions/],
    ['a header alone', 'WEBVTT\n\nNOTE nothing', undefined, /no captions/],
    ['prose', 'Once upon a time\nthere was', '1', /times of a caption/],
    ['seconds beyond 59', cue('a', '00:00:61,000 --> 00:01:02,000'), '2', /not readable/],
    ['a missing end time', `${cue('a')}\n2\n00:00:05,000 -->\nb`, '6', /not readable/],
    ['an end before the beginning', cue('a', '00:00:03,000 --> 00:00:02,000'), '2', /ends before/],
    ['a missing empty line', `${cue('a')}2\n00:00:03,000 --> 00:00:04,000\nb`, '5', /empty line/],
    ['Latin-1 read as UTF-8', cue('caf\ufffd'), '3', /UTF-8/],
    ['a NUL', cue('a\0b'), '3', /UTF-8/],
    ['a terminal escape', cue('\u001b[2J'), '3', /UTF-8/],
    ['half of a surrogate pair', cue('\ud83d'), '3', /UTF-8/],
    ['a cue as long as a book', cue('x'.repeat(6_000)), '2', /too long/],
    ['more than a megabyte', cue('x'.repeat(1_000_001)), undefined, /1000000 bytes/],
    ['too many cues', cue('a\n').repeat(20_001), '80001', /20000 cues/],
    ['HTML', '<html><body>00:00:01,000</body></html>', '1', /times of a caption/],
  ])('is refused with its line for %s', (_, source, line, message) => {
    const refused = refusal(source);
    expect(refused.message).toMatch(message);
    expect(refused.line).toBe(line);
    if (line !== undefined) expect(refused.message).toContain(`Line ${line}: `);
  });

  it.each([
    ['<b>bold</b> <i>it</i> <u>un</u>', '<b>bold</b> <i>it</i> <u>un</u>'],
    ['<v Roger Bingham>Hi</v>', '<v Roger Bingham>Hi</v>'],
    ['<c.yellow.bg_blue>Hi</c> <lang en-GB>x</lang>', '<c.yellow.bg_blue>Hi</c> <lang en-GB>x</lang>'],
    ['<font color="#fff">Hi</font>', 'Hi'],
    ['<script>alert(1)</script>', 'alert(1)'],
    ['<img src=x onerror=alert(1)>Hi', 'Hi'],
    ['<b onclick=alert(1)>Hi</b>', '<b>Hi</b>'],
    ['<00:00:01.500>Hi', 'Hi'],
    ['{\\an8}Up', 'Up'],
    ['I <3 you & 5 > 4', 'I &lt;3 you &amp; 5 &gt; 4'],
    ['&lt;b&gt; &amp;amp; &#60;i&#62; &nope;', '&lt;b&gt; &amp;amp; &lt;i&gt; &amp;nope;'],
    ['<b><i>a</b></i>', '<b><i>a</i></b>'],
    ['<b>open', '<b>open</b>'],
    ['closed</b></v></>', 'closed'],
    ['<<b>b>', '&lt;<b>b&gt;</b>'],
    ['a --> b', 'a --&gt; b'],
    ['<v <script>>x', '&lt;v &gt;x'],
    ['a\u00a0&nbsp;b', 'a\u00a0\u00a0b'],
    ['x&#0;&#27;&#xd800;&#x85;y', 'xy'],
  ])('keeps only allowed tags: %s', (source, wanted) => {
    expect(texts(cue(source))).toEqual([wanted]);
  });

  it('leaves out cues without visible text', () => {
    expect(texts(`${cue('<b> </b>')}\n${cue('\u200e{\\pos(1,2)}').replace('\u200e', '')}\n${cue('a')}`)).toEqual(['a']);
  });

  it('leaves out nested overrides completely', () => {
    expect(texts(cue('a{\\b{\\c}d}e'))).toEqual(['ae']);
    expect(texts(cue('x{\\{\\}}'))).toEqual(['x']);
  });

  it('from a video is read as far as it is valid', () => {
    const lenient = (source: string) =>
      parseCaptions(source, { isLenient: true }).map(({ startMs, text }) => [startMs, text]);
    const [hello, bye] = ['00:01.000 --> 00:02.000\nHello', '00:05.000 --> 00:06.000\nBye'];
    const both = [
      [1_000, 'Hello'],
      [5_000, 'Bye'],
    ];
    const vtt = (...blocks: string[]) => `WEBVTT\n\n${blocks.join('\n\n')}\n`;

    // A cue that cannot be used is left out with all of its text.
    for (const bad of [
      '00:03.000 --> 00:03.000\nBlink',
      '00:03.000 --> 00:03.000\n\nBlink\n\n\nagain',
      '00:03.000 --> 00:02.000\nBack',
      '00:61.000 --> 00:62.000\nNever',
      '00:03.000 --> 00:04.000\nBell \u0007',
      `00:03.000 --> 00:04.000\n${'x'.repeat(5_001)}`,
      'NOTE of no use',
    ]) {
      expect(lenient(vtt(hello, bad, bye))).toEqual(both);
    }
    expect(lenient(`${cue('Blink', '00:00:03,000 --> 00:00:03,000')}\n${cue('Hello')}`)).toEqual([[1_000, 'Hello']]);

    // As ffmpeg writes \\N\\N of ASS.
    expect(lenient(vtt(hello, 'there', '<b>a --> b\n1', bye))).toEqual([
      [1_000, 'Hello\nthere\n<b>a --&gt; b\n1</b>'],
      [5_000, 'Bye'],
    ]);
    expect(lenient(vtt('00:01.000 --> 00:02.000', 'Hello', bye))).toEqual(both);
    expect(lenient(vtt('Hello', bye))).toEqual([[5_000, 'Bye']]);
  });

  it.each([
    ['cues without a duration', 'WEBVTT\n\n00:03.000 --> 00:03.000\nBlink\n', /no captions/],
    ['prose', 'Once upon a time\n\nthere was', /no captions/],
    ['more than a megabyte', cue('x'.repeat(1_000_001)), /1000000 bytes/],
    ['too many cues', cue('a\n').repeat(20_001), /20000 cues/],
  ])('from a video is still refused for %s', (_, source, message) => {
    expect(() => parseCaptions(source, { isLenient: true })).toThrow(message);
  });

  it('is unchanged when it is read back', () => {
    const part = fc.constantFrom(
      '<',
      '>',
      '&',
      '<b>',
      '</i>',
      '<v A>',
      '&lt;',
      '-->',
      'x',
      ' ',
      '\n',
      '{\\',
      '}',
      'é',
      '&#',
      ';',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const clean = cleanCueText(parts.join(''));
        expect(cleanCueText(clean)).toBe(clean);
        expect(clean.replaceAll(/<\/?(?:b|i|v)(?: A)?>/g, '')).not.toMatch(/[<>]|-->/);
        if (clean === '') return;
        const cues = [{ startMs: 1, endMs: 360_000_000, settings: 'line:1', text: clean }];
        expect(parseCaptions(captionsVtt(cues))).toEqual(cues);
      }),
      { numRuns: 500 },
    );
  });

  // With steps for each pair of characters or lines, it would take hours.
  it('made to be slow is parsed in steps that its size bounds', { timeout: WAIT_MS }, () => {
    for (const unit of ['<', '<b', '<b.', '&', '&#1', '{\\', '<v ', '--> ', '<c.a']) {
      const line = unit.repeat(Math.floor(4_900 / unit.length));
      parseCaptions(Array.from({ length: 190 }, () => cue(`a${line}`)).join('\n'));
    }
    parseCaptions(`${cue('a')}\n${cue('b')}${'\nx\n'.repeat(300_000)}`, { isLenient: true });
  });
});
