import { inflateSync } from 'node:zlib';

/** The selectable text of each page, and the document information. */
export interface PdfText {
  readonly pages: readonly PdfPage[];
  readonly info: string;
}

export interface PdfPage {
  /** Pieces in drawing order. */
  readonly pieces: readonly PdfPiece[];
  readonly text: string;
}

export interface PdfPiece {
  readonly text: string;
  /** In points from the left and from the top. */
  readonly x: number;
  readonly y: number;
  readonly size: number;
}

const OBJECT = /^(\d+) 0 obj\n([\s\S]*?)\nendobj/gm;
const A4_HEIGHT = 841.89;

/**
 * Reads a PDF's text through the fonts' ToUnicode tables, as viewers do to copy and search. Glyphs without a mapping
 * cannot be selected, and become `?`. Supports as much of PDF as our writer produces.
 */
export function readPdf(file: Buffer): PdfText {
  const objects = new Map<string, string>();
  for (const match of file.toString('latin1').matchAll(OBJECT)) objects.set(match[1]!, match[2]!);
  const pages = [...objects.values()].filter((body) => /\/Type \/Page\b(?!s)/.test(body));
  const info = [...objects.values()].find((body) => body.includes('/CreationDate')) ?? '';
  const facts = info.replaceAll(/(\d+) 0 R/g, (_, id: string) => objects.get(id) ?? '');
  return { info: facts, pages: pages.map((page) => readPage(page, objects)) };
}

function readPage(page: string, objects: Map<string, string>): PdfPage {
  const content = stream(objects.get(reference(page, 'Contents'))!);
  const resources = objects.get(reference(page, 'Resources')) ?? page;
  const fonts = new Map<string, Map<string, string>>();
  for (const [, name, id] of resources.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
    const font = objects.get(id!)!;
    fonts.set(name!, toUnicode(stream(objects.get(reference(font, 'ToUnicode'))!)));
  }
  const pieces: PdfPiece[] = [];
  for (const [block] of content.matchAll(/BT\n[\s\S]*?\nET/g)) {
    const [, font, size] = /\/(F\d+) ([\d.]+) Tf/.exec(block)!;
    const [, x, y] = /1 0 0 1 ([\d.-]+) ([\d.-]+) Tm/.exec(block)!;
    const map = fonts.get(font!)!;
    const glyphs = [...block.matchAll(/<([0-9a-f]+)>/g)].flatMap(([, hex]) => hex!.match(/.{4}/g)!);
    const text = glyphs.map((glyph) => map.get(glyph) ?? '?').join('');
    pieces.push({ text, x: Number(x), y: A4_HEIGHT - Number(y), size: Number(size) });
  }
  return { pieces, text: linesOf(pieces) };
}

/** Pieces at one height are a line. */
function linesOf(pieces: readonly PdfPiece[]): string {
  const lines = Map.groupBy(pieces, ({ y }) => Math.round(y));
  return [...lines.values()].map((line) => line.map(({ text }) => text).join('')).join('\n');
}

function toUnicode(table: string): Map<string, string> {
  const map = new Map<string, string>();
  for (const [, from, , list] of table.matchAll(/<([0-9a-f]+)> <([0-9a-f]+)> \[([^\]]*)\]/g)) {
    for (const [n, [, hex]] of [...list!.matchAll(/<([0-9a-f ]*)>/g)].entries()) {
      const units = hex!.replaceAll(' ', '').match(/.{4}/g) ?? [];
      map.set((Number.parseInt(from!, 16) + n).toString(16).padStart(4, '0'), units.map(unit).join(''));
    }
  }
  return map;
}

function unit(hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16));
}

function stream(body: string): string {
  const start = body.indexOf('stream\n') + 'stream\n'.length;
  const data = Buffer.from(body.slice(start, body.lastIndexOf('\nendstream')), 'latin1');
  return (body.includes('/FlateDecode') ? inflateSync(data) : data).toString('latin1');
}

function reference(body: string, key: string): string {
  return new RegExp(`/${key} (\\d+) 0 R`).exec(body)?.[1] ?? '';
}
