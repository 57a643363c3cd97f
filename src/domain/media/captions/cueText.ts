/**
 * What a cue may contain: `<b> <i> <u> <c.class> <v Speaker> <lang code>`, and text. Other tags are removed, but their
 * content stays; a lone `<` or `&` is a character. The result is balanced, and players parse it exactly as we did.
 */

const TAG = /<(\/?)([A-Za-z][A-Za-z0-9]*)((?:\.[^\s<>.&]{1,40})*)(?:[ \t\n]([^<>]{0,200}))?>|<\d[\d:.]*>|<\/>/g;
const MAX_OVERRIDE_LENGTH = 200;
const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,5}));/gi;
const PLAIN_TAGS = new Set(['b', 'i', 'u', 'c']);
const ANNOTATED_TAGS = new Set(['v', 'lang']);
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  lrm: '\u200e',
  rlm: '\u200f',
};

/** @returns WebVTT cue text without empty lines; empty if nothing readable is left */
export function cleanCueText(source: string): string {
  const open: string[] = [];
  const parts: string[] = [];
  let from = 0;
  const text = withoutOverrides(source);
  for (const match of text.matchAll(TAG)) {
    parts.push(escaped(text.slice(from, match.index)));
    from = match.index + match[0].length;
    const [, slash, name = '', classes = '', annotation = ''] = match;
    const tag = name.toLowerCase();
    if (slash === '/') parts.push(closing(open, tag));
    else parts.push(opening(open, tag, classes, annotation));
  }
  parts.push(escaped(text.slice(from)), ...open.toReversed().map((tag) => `</${tag}>`));
  const lines = parts.join('').split('\n');
  const kept = lines.map((line) => line.trim()).filter((line) => line !== '');
  return isReadable(kept) ? kept.join('\n') : '';
}

/**
 * Removes `{\\…}`, including nested ones: removing only the inner one could form a new one. Takes one pass, because the
 * text may be hostile.
 */
function withoutOverrides(text: string): string {
  const kept: string[] = [];
  const begun: number[] = [];
  for (const char of text) {
    kept.push(char);
    if (char === '\\' && kept.at(-2) === '{') begun.push(kept.length - 2);
    else if (char === '}') {
      const start = begun.pop();
      if (start !== undefined && kept.length - start <= MAX_OVERRIDE_LENGTH) kept.length = start;
    }
  }
  return kept.join('');
}

function opening(open: string[], tag: string, classes: string, annotation: string): string {
  const isAnnotated = ANNOTATED_TAGS.has(tag) && annotation.trim() !== '';
  if (!PLAIN_TAGS.has(tag) && !isAnnotated) return '';
  open.push(tag);
  return `<${tag}${classes}${isAnnotated ? ` ${escaped(annotation.trim().replaceAll(/\s+/g, ' '))}` : ''}>`;
}

/** Also closes the tags opened inside it. Ignores a tag that was never opened. */
function closing(open: string[], tag: string): string {
  const at = open.lastIndexOf(tag);
  if (at === -1) return '';
  return open
    .splice(at)
    .toReversed()
    .map((name) => `</${name}>`)
    .join('');
}

function escaped(text: string): string {
  const decoded = text.replaceAll(ENTITY, (all: string, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? all;
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    const character = code <= 0x10_ff_ff ? String.fromCodePoint(code) : '';
    return /[\p{Cc}\p{Cs}\ufffd]/u.test(character) ? '' : character;
  });
  return decoded.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function isReadable(lines: readonly string[]): boolean {
  return lines.some((line) => line.replaceAll(/<[^>]*>/g, '').trim() !== '');
}
