import { describe, expect, it } from 'vitest';

import { cleaned } from '../../../src/adapters/mail/emails/line.js';
import { ORIGIN, KINDS, SAMPLES, writeSample } from '../../support/emails/samples.js';

const HREF = /<a [^>]*href="([^"]*)"/g;
const BUTTON = /<a class="button" href="([^"]*)"/g;
const HOSTILE = [
  ['markup', `</td><script>alert(1)</script><a class="button" href="https://evil.example">"'&`],
  ['a header', 'Sailing\r\nBcc: all@example.com\r\n\r\n<h1>Hi'],
  ['right to left', 'فيديو عن الإبحار'],
  ['an override of direction', 'gpj.\u202efile\u2066 \u200fexe'],
  ['10,000 characters', 'x'.repeat(10_000)],
  ['10,000 emoji', '👩‍👩‍👧‍👦'.repeat(10_000)],
  ['half a character', 'a\ud83d'],
  ['nothing', ''],
  ['controls', '\u0000\u0007\u2028line\u2029\u001b[31m'],
] as const;

describe('an email', () => {
  it.each(KINDS)('%s has one button, whose link is also in the text, alone on its line', (kind) => {
    const { html, text } = writeSample(kind);
    const buttons = [...html.matchAll(BUTTON)].map(([, href]) => unescape(href!));
    expect(buttons).toHaveLength(1);
    expect(text.split('\n')).toContain(buttons[0]);
    expect(new URL(buttons[0]!).origin).toBe(ORIGIN);
  });

  it.each(KINDS)('%s says the same in HTML and in text', (kind) => {
    const { html, text } = writeSample(kind, SAMPLES[kind], { unsubscribeUrl: `${ORIGIN}/unsubscribe?token=a.b` });
    const shown = runs(html.slice(html.indexOf('<h1')));
    for (const line of text.split('\n').filter((each) => !['', '-- '].includes(each))) {
      const [, label, value = ''] = /^([\w -]+): ?(.*)$/.exec(line) ?? [];
      if (/^https?:/.test(line)) expect(unescape(html)).toContain(line);
      else if (label === undefined || shown.includes(line)) expect(shown).toContain(line);
      else {
        expect(shown).toContain(label);
        // Where an address may break is not part of its text.
        expect(unescape(html.replaceAll('<wbr>', ''))).toContain(value);
      }
    }
  });

  it('lets an address break after its slashes, and nothing else', () => {
    const { html } = writeSample('webhook.disabled');
    expect(html).toContain('<bdi>https://hooks.example.com/<wbr>dhara?shop=12</bdi>');
    expect(html.split('<wbr>')).toHaveLength(2);
  });

  it.each(KINDS)('%s reads like this', (kind) => {
    const { subject, text } = writeSample(kind);
    expect(`${subject}\n\n${text}`).toMatchSnapshot();
  });

  it.each(HOSTILE)('takes a title with %s as text', (_name, title) => {
    const { subject, text, html } = writeSample('video.ready', { ...SAMPLES['video.ready'], title });
    expect(subject).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069\u2028\u2029]/u);
    expect(subject.length).toBeLessThan(1_000);
    expect([...new Intl.Segmenter('en').segment(subject)].length).toBeLessThan(100);
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202a-\u202e\u2028\u2029]/u);
    expect(text).not.toMatch(/^Bcc:/m);
    expect(html).not.toContain('<script');
    expect([...html.matchAll(BUTTON)]).toHaveLength(1);
    expect([...html.matchAll(HREF)].every(([, href]) => href!.startsWith(ORIGIN))).toBe(true);
    expect(html.length).toBeLessThan(15_000);
    expect((subject + text + html).isWellFormed()).toBe(true);
    // Isolated characters of direction are balanced, so that our words keep theirs.
    expect(text.split('\u2068').length).toBe(text.split('\u2069').length);
  });

  it.each(HOSTILE)('takes data with %s everywhere', (_name, hostile) => {
    for (const kind of KINDS) {
      const data = Object.fromEntries(
        Object.entries(SAMPLES[kind]).map(([key, value]) => [
          key,
          typeof value === 'string' && !['link', 'uuid', 'at', 'topUpId'].includes(key) ? hostile : value,
        ]),
      ) as never;
      const { subject, text, html } = writeSample(kind, data, { name: hostile, facts: [['Paid', hostile]] });
      expect(subject).not.toMatch(/[\r\n]/);
      expect(html).not.toMatch(/<script|<h1>|evil\.example"/);
      expect([...html.matchAll(BUTTON)]).toHaveLength(1);
      expect(text.length).toBeLessThan(8_000);
    }
  });

  it('shows no link from the name of a stranger', () => {
    const { text } = writeSample('password.reset', SAMPLES['password.reset'], {
      name: 'Win now at https://evil.example/x\n\n!',
    });
    expect(text.match(/https?:\/\/\S+/g)).toEqual([SAMPLES['password.reset'].link]);
    expect(text.split('\n')[0]).not.toMatch(/evil\.example/);
  });

  it('shows every digit of an amount, and at least two decimals', () => {
    expect(writeSample('topup.credited').text).toContain('Credits: 100,000.50\n');
    expect(writeSample('refund.booked').text).toContain('Credits: 250.00\n');
    const huge = { ...SAMPLES['wallet.low'], balance: '12345678901234567.000001' };
    expect(writeSample('wallet.low', huge).text).toContain('12,345,678,901,234,567.000001 credits');
  });
});

it('a value is cut at 200 characters, never within one', () => {
  expect(cleaned('é'.repeat(200))).toBe('é'.repeat(200));
  const family = '👩‍👩‍👧‍👦';
  expect(cleaned(family.repeat(50))).toBe(family.repeat(50));
  expect(cleaned('😀'.repeat(201))).toBe(`${'😀'.repeat(200)}…`);
  expect(cleaned(`a${'\u0301'.repeat(100_000)}`).length).toBeLessThan(1_100);
});

/** The runs of text between the marks of HTML. */
function runs(html: string): string[] {
  return html
    .replaceAll(/<\/?bdi>/g, '')
    .split(/<[^>]*>|&nbsp;·&nbsp;/)
    .map((run) => unescape(run).trim());
}

function unescape(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
