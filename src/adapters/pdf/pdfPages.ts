import type PDFDocument from 'pdfkit';

import type { PrintedColumn, PrintedDocument, PrintedFact, PrintedParty } from '../../ports/documents.js';
import { Typesetter, type Line, type Style } from './typesetter.js';

/** A4 in points. */
const PAGE = { width: 595.28, height: 841.89 } as const;
const MARGIN = { left: 42, right: 42, top: 44, bottom: 58 } as const;
const WIDTH = PAGE.width - MARGIN.left - MARGIN.right;
const RIGHT = PAGE.width - MARGIN.right;
const BOTTOM = PAGE.height - MARGIN.bottom;
const GAP = { section: 18, cell: 8, row: 3 } as const;

const INK = '#16181d';
const GREY = '#5b6270';
const LINE = '#d5d9e0';
const SHADE = '#f2f4f7';
const TITLE: Style = { weight: 'bold', size: 18, color: INK };
const SUBTITLE: Style = { weight: 'regular', size: 10.5, color: GREY };
const SECTION: Style = { weight: 'bold', size: 11, color: INK };
const LABEL: Style = { weight: 'bold', size: 7.5, color: GREY };
const TEXT: Style = { weight: 'regular', size: 9, color: INK };
const STRONG: Style = { weight: 'bold', size: 9.5, color: INK };
const CELL: Style = { weight: 'regular', size: 8, color: INK };
const SMALL: Style = { weight: 'regular', size: 7.5, color: GREY };

interface Table {
  readonly title: string | null;
  readonly columns: readonly PrintedColumn[];
}

/** Places a document's parts below each other, and begins a new page when one does not fit. */
export class PdfPages {
  private readonly type: Typesetter;
  private y = 0;
  private pageNumber = 0;
  private table: Table | null = null;

  constructor(
    private readonly pdf: InstanceType<typeof PDFDocument>,
    private readonly footer: string,
  ) {
    this.type = new Typesetter(pdf);
    this.turn();
  }

  heading({ title, subtitle, author, facts, parties }: PrintedDocument): void {
    this.block(author, LABEL, MARGIN.left, WIDTH);
    this.block(title, TITLE, MARGIN.left, WIDTH);
    if (subtitle !== '') this.block(subtitle, SUBTITLE, MARGIN.left, WIDTH);
    this.y += GAP.section;
    this.sideBySide(facts.map(({ label, value }) => ({ label, lines: [value] })));
    this.sideBySide(parties);
  }

  tableHead(table: Table): void {
    this.table = table;
    if (table.title !== null) {
      // A heading at the bottom of a page, with its rows on the next, would look like an empty table.
      this.reserve(70);
      this.block(table.title, SECTION, MARGIN.left, WIDTH);
      this.y += GAP.row;
    }
    this.columnHeads(table);
  }

  row(cells: readonly string[]): void {
    const columns = this.table?.columns ?? [];
    const widths = widthsOf(columns);
    const lines = columns.map((_, n) => this.type.lines(cells[n] ?? '', CELL, widths[n]! - GAP.cell));
    const lineHeight = this.type.lineHeight(CELL);
    // A row that is longer than a page continues on the next.
    for (let from = 0; from < Math.max(1, ...lines.map(({ length }) => length));) {
      const fitting = Math.floor((BOTTOM - this.y - GAP.row * 2) / lineHeight);
      const wanted = Math.max(...lines.map(({ length }) => length)) - from;
      if (fitting < 1 || (from === 0 && fitting < Math.min(wanted, MAX_UNBROKEN_LINES))) {
        this.turn();
        continue;
      }
      const count = Math.min(fitting, wanted);
      this.y += GAP.row;
      this.cells(
        columns,
        widths,
        lines.map((all) => all.slice(from, from + count)),
        CELL,
      );
      this.y += count * lineHeight + GAP.row;
      from += count;
    }
    this.rule(LINE);
  }

  tableEnd(): void {
    this.table = null;
    this.y += GAP.section;
  }

  totals(rows: readonly PrintedFact[]): void {
    const labelWidth = 190;
    const valueWidth = 110;
    const left = RIGHT - labelWidth - valueWidth;
    for (const [index, { label, value }] of rows.entries()) {
      const style = index === rows.length - 1 ? STRONG : TEXT;
      const labels = this.type.lines(label, style, labelWidth - GAP.cell);
      const values = this.type.lines(value, style, valueWidth);
      const height = Math.max(labels.length, values.length) * this.type.lineHeight(style);
      this.reserve(height + GAP.row * 2);
      if (style === STRONG) this.rule(INK, left);
      this.y += GAP.row;
      this.stack(labels, style, left, labelWidth, 'left');
      this.stack(values, style, left + labelWidth, valueWidth, 'right');
      this.y += height + GAP.row;
    }
    this.y += GAP.section;
  }

  note(text: string): void {
    this.block(text, SUBTITLE, MARGIN.left, WIDTH);
    this.y += GAP.cell;
  }

  private turn(): void {
    this.pdf.addPage();
    this.pageNumber += 1;
    const y = PAGE.height - MARGIN.bottom / 2;
    const number = this.type.lines(`Page ${this.pageNumber}`, SMALL, 80);
    const [footer] = this.type.lines(this.footer, SMALL, WIDTH - 90);
    if (footer) this.type.draw(footer, SMALL, MARGIN.left, y);
    for (const line of number) this.type.draw(line, SMALL, RIGHT - line.width, y);
    this.y = MARGIN.top;
    if (this.table) this.columnHeads(this.table);
  }

  private columnHeads({ columns }: Table): void {
    const widths = widthsOf(columns);
    const lines = columns.map(({ heading }, n) => this.type.lines(heading, LABEL, widths[n]! - GAP.cell));
    const height = Math.max(...lines.map(({ length }) => length)) * this.type.lineHeight(LABEL) + GAP.row * 2;
    if (this.y + height > BOTTOM) {
      this.turn();
      return;
    }
    this.pdf.rect(MARGIN.left, this.y, WIDTH, height).fill(SHADE);
    this.y += GAP.row;
    this.cells(columns, widths, lines, LABEL);
    this.y += height - GAP.row;
  }

  private cells(
    columns: readonly PrintedColumn[],
    widths: readonly number[],
    lines: readonly Line[][],
    style: Style,
  ): void {
    let left = MARGIN.left + GAP.cell / 2;
    for (const [n, column] of columns.entries()) {
      const width = widths[n]! - GAP.cell;
      this.stack(lines[n] ?? [], style, left, width, column.align);
      left += widths[n]!;
    }
  }

  /** Prints parties in columns of equal height. */
  private sideBySide(parties: readonly PrintedParty[]): void {
    for (let from = 0; from < parties.length; from += PARTIES_PER_LINE) {
      const line = parties.slice(from, from + PARTIES_PER_LINE);
      const width = WIDTH / Math.min(parties.length, PARTIES_PER_LINE);
      const texts = line.map((party) =>
        party.lines.flatMap((text) => this.type.lines(text, TEXT, width - GAP.section)),
      );
      const height = Math.max(...texts.map(({ length }) => length)) * this.type.lineHeight(TEXT);
      this.reserve(height + this.type.lineHeight(LABEL));
      for (const [n, party] of line.entries()) {
        const x = MARGIN.left + n * width;
        this.stack(this.type.lines(party.label, LABEL, width - GAP.section), LABEL, x, width, 'left');
        this.stack(texts[n]!, TEXT, x, width, 'left', this.type.lineHeight(LABEL));
      }
      this.y += height + this.type.lineHeight(LABEL) + GAP.section * 0.7;
    }
  }

  /** Prints a paragraph over as many pages as it takes. */
  private block(text: string, style: Style, x: number, width: number): void {
    for (const line of this.type.lines(text, style, width)) {
      this.reserve(this.type.lineHeight(style));
      this.type.draw(line, style, x, this.y);
      this.y += this.type.lineHeight(style);
    }
  }

  private stack(
    lines: readonly Line[],
    style: Style,
    x: number,
    width: number,
    align: 'left' | 'right',
    below = 0,
  ): void {
    for (const [index, line] of lines.entries()) {
      const left = align === 'right' ? x + width - line.width : x;
      this.type.draw(line, style, left, this.y + below + index * this.type.lineHeight(style));
    }
  }

  private reserve(height: number): void {
    if (this.y + height > BOTTOM) this.turn();
  }

  private rule(color: string, from: number = MARGIN.left): void {
    this.pdf.moveTo(from, this.y).lineTo(RIGHT, this.y).lineWidth(0.5).strokeColor(color).stroke();
  }
}

const PARTIES_PER_LINE = 3;
/** Rows up to this length are kept together. */
const MAX_UNBROKEN_LINES = 12;

function widthsOf(columns: readonly PrintedColumn[]): number[] {
  const total = columns.reduce((sum, { weight }) => sum + weight, 0);
  return columns.map(({ weight }) => (WIDTH * weight) / total);
}
