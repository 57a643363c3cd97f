import { createRequire } from 'node:module';

import type PDFDocument from 'pdfkit';

/**
 * Noto Sans comes in one file per script. The first file that covers a character draws it. If none does, U+FFFD, which
 * the Latin file has, replaces it.
 *
 * Ranges as in the font's own unicode.json, without those of earlier files.
 */
const SCRIPTS = [
  {
    name: 'latin',
    covers:
      /[\u{20}-\u{7e}\u{a0}-\u{ff}\u{131}\u{152}\u{153}\u{2bb}\u{2bc}\u{2c6}\u{2da}\u{2dc}\u{2010}-\u{2027}\u{2030}-\u{205e}\u{20ac}\u{2122}\u{2191}\u{2193}\u{2212}\u{2215}\u{fffd}]/u,
  },
  {
    name: 'devanagari',
    covers:
      /[\u{900}-\u{97f}\u{1cd0}-\u{1cf9}\u{200c}-\u{200d}\u{20a8}\u{20b9}\u{25cc}\u{a830}-\u{a839}\u{a8e0}-\u{a8ff}]/u,
  },
  {
    name: 'latin-ext',
    covers:
      /[\u{100}-\u{2ba}\u{2bd}-\u{2c5}\u{2c7}-\u{2cc}\u{2ce}-\u{2d7}\u{2dd}-\u{2ff}\u{1d00}-\u{1dbf}\u{1e00}-\u{1e9f}\u{1ef2}-\u{1eff}\u{20a0}-\u{20c0}\u{2113}\u{2c60}-\u{2c7f}\u{a720}-\u{a7ff}]/u,
  },
  { name: 'vietnamese', covers: /[\u{300}\u{301}\u{303}\u{304}\u{308}\u{309}\u{323}\u{329}\u{1ea0}-\u{1ef9}]/u },
  { name: 'greek', covers: /[\u{370}-\u{377}\u{37a}-\u{37f}\u{384}-\u{38a}\u{38c}\u{38e}-\u{3a1}\u{3a3}-\u{3ff}]/u },
  { name: 'greek-ext', covers: /[\u{1f00}-\u{1fff}]/u },
  { name: 'cyrillic', covers: /[\u{400}-\u{45f}\u{490}\u{491}\u{4b0}\u{4b1}\u{2116}]/u },
  {
    name: 'cyrillic-ext',
    covers: /[\u{460}-\u{52f}\u{1c80}-\u{1c8a}\u{2de0}-\u{2dff}\u{a640}-\u{a69f}]/u,
  },
] as const;
const UNKNOWN = '\u{fffd}';
/** Joiners have no glyph of their own: they stay with the characters they join. */
const JOINER = /[\u{200c}-\u{200d}]/u;

export const WEIGHTS = { regular: 400, bold: 700 } as const;
export type Weight = keyof typeof WEIGHTS;

/** A piece of text that one font file draws. */
export interface Run {
  readonly font: string;
  readonly text: string;
}

const require = createRequire(import.meta.url);

/** Registers all fonts with the document. Only used ones are read and embedded. */
export function registerFonts(pdf: InstanceType<typeof PDFDocument>): void {
  for (const { name } of SCRIPTS) {
    for (const weight of Object.keys(WEIGHTS) as Weight[]) {
      const file = `@fontsource/noto-sans/files/noto-sans-${name}-${WEIGHTS[weight]}-normal.woff`;
      pdf.registerFont(fontName(name, weight), require.resolve(file));
    }
  }
}

/** Splits a text where its font changes. Leaves out control characters. */
export function runsOf(text: string, weight: Weight): Run[] {
  const runs: { script: string; text: string }[] = [];
  for (const character of text.normalize('NFC')) {
    if (character < ' ' || character === '\u{7f}') continue;
    const last = runs.at(-1);
    const script = JOINER.test(character) && last ? last.script : scriptOf(character);
    const shown = script === null ? UNKNOWN : character;
    if (last && last.script === (script ?? 'latin')) last.text += shown;
    else runs.push({ script: script ?? 'latin', text: shown });
  }
  return runs.map((run) => ({ font: fontName(run.script, weight), text: run.text }));
}

function scriptOf(character: string): string | null {
  return SCRIPTS.find(({ covers }) => covers.test(character))?.name ?? null;
}

function fontName(script: string, weight: Weight): string {
  return `${script}-${weight}`;
}
