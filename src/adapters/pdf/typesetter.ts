import type PDFDocument from 'pdfkit';

import { runsOf, type Run, type Weight } from './fonts.js';

export interface Style {
  readonly weight: Weight;
  /** In points. */
  readonly size: number;
  readonly color: string;
}

/** A line that fits its width, ready to be drawn. */
export interface Line {
  readonly runs: readonly Run[];
  readonly width: number;
}

/** Noto Sans needs this much for its accents, and for Devanagari's marks below the line. */
const LINE_HEIGHT = 1.42;
const MAX_REMEMBERED = 5_000;

/** Breaks texts into lines and draws them. pdfkit does so for only one font at a time, and a name may need several. */
export class Typesetter {
  private readonly widths = new Map<string, number>();

  constructor(private readonly pdf: InstanceType<typeof PDFDocument>) {}

  lineHeight({ size }: Style): number {
    return size * LINE_HEIGHT;
  }

  /** The text in lines no wider than `width`. Breaks wider words, and keeps its own line breaks. */
  lines(text: string, style: Style, width: number): Line[] {
    return text.split(/\r\n|[\r\n]/).flatMap((paragraph) => this.paragraph(paragraph, style, width));
  }

  draw(line: Line, style: Style, x: number, y: number): void {
    let left = x;
    this.pdf.fontSize(style.size).fillColor(style.color);
    for (const run of line.runs) {
      this.pdf.font(run.font).text(run.text, left, y, { lineBreak: false });
      left += this.widthOf(run, style.size);
    }
  }

  private paragraph(text: string, style: Style, width: number): Line[] {
    const lines: Line[] = [];
    let current = '';
    for (const word of text.split(/\s+/).filter((part) => part !== '')) {
      const longer = current === '' ? word : `${current} ${word}`;
      if (this.measure(longer, style).width <= width) {
        current = longer;
        continue;
      }
      if (current !== '') lines.push(this.measure(current, style));
      const pieces = this.pieces(word, style, width);
      current = pieces.pop()!;
      lines.push(...pieces.map((piece) => this.measure(piece, style)));
    }
    return [...lines, this.measure(current, style)];
  }

  /** Splits a word into pieces that fit, between grapheme clusters. */
  private pieces(word: string, style: Style, width: number): string[] {
    if (this.measure(word, style).width <= width) return [word];
    const pieces = [''];
    for (const { segment } of GRAPHEMES.segment(word)) {
      const longer = pieces.at(-1)! + segment;
      if (pieces.at(-1) === '' || this.measure(longer, style).width <= width) pieces[pieces.length - 1] = longer;
      else pieces.push(segment);
    }
    return pieces;
  }

  private measure(text: string, style: Style): Line {
    const runs = runsOf(text, style.weight);
    return { runs, width: runs.reduce((sum, run) => sum + this.widthOf(run, style.size), 0) };
  }

  private widthOf(run: Run, size: number): number {
    const key = `${run.font} ${run.text}`;
    let perPoint = this.widths.get(key);
    if (perPoint === undefined) {
      perPoint = this.pdf.font(run.font).fontSize(1000).widthOfString(run.text) / 1000;
      if (this.widths.size >= MAX_REMEMBERED) this.forget();
      this.widths.set(key, perPoint);
    }
    return perPoint * size;
  }

  /** Every row of a long table has new texts. Clearing the cache now and then is cheaper than keeping them all. */
  private forget(): void {
    this.widths.clear();
    const { _fontFamilies: fonts } = this.pdf as unknown as PdfkitInternals;
    for (const font of Object.values(fonts)) {
      if (font.layoutCache) font.layoutCache = Object.create(null) as object;
    }
  }
}

/** pdfkit keeps the layout of every text until the document ends. Without any cache, it would be five times slower. */
interface PdfkitInternals {
  readonly _fontFamilies: Record<string, { layoutCache?: object }>;
}

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });
