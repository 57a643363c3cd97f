import { PassThrough, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

import { describe, expect, it } from 'vitest';

import { PdfWriter } from '../../../src/adapters/pdf/pdfWriter.js';
import type { PrintedDocument, PrintedRow } from '../../../src/ports/documents.js';
import { readPdf, type PdfPage } from '../../support/documents/pdfText.js';

const NEVER = new AbortController().signal;
const writer = new PdfWriter();
const DOCUMENT: PrintedDocument = {
  title: 'Tax invoice',
  subtitle: 'Nothing',
  author: 'Dhara',
  date: new Date('2026-05-01T10:00:00Z'),
  facts: [{ label: 'Number', value: 'D/1' }],
  parties: [{ label: 'Buyer', lines: ['हिन्दी विद्यालय', 'Łódź Ωμέγα Київ Việt'] }],
  sections: [],
  footer: 'Dhara · foot',
};
const COLUMNS = [
  { heading: 'What', weight: 3, align: 'left' },
  { heading: 'Amount', weight: 1, align: 'right' },
] as const;

describe('a PDF', () => {
  it('has selectable text with rupees and names in all supported scripts', async () => {
    const totals = [{ label: 'Total', value: '₹1,23,456.00' }];
    const { pages, info } = await printed({ ...DOCUMENT, sections: [{ kind: 'totals', rows: totals }] });
    expect(pages).toHaveLength(1);
    for (const text of ['Tax invoice', '₹1,23,456.00', 'Łódź Ωμέγα Київ Việt', 'Dhara · foot', 'Page 1']) {
      expect(pages[0]!.text).toContain(text);
    }
    // Vowel signs are drawn, and so copied, before the consonant that they follow in speech.
    const letters = (text: string) => (text.match(/\p{Script=Devanagari}/gu) ?? []).toSorted().join('');
    expect(letters(pages[0]!.text)).toBe(letters('हिन्दी विद्यालय'));
    expect(pages[0]!.text).not.toContain('?');
    expect(info).toContain('D:20260501100000Z');
  });

  it('replaces characters without a font by U+FFFD, and drops invisible ones', async () => {
    const { pages } = await printed({ ...DOCUMENT, parties: [{ label: 'Buyer', lines: ['a漢\u0007b\u{1f600}c'] }] });
    expect(pages[0]!.text).toContain('a\u{fffd}b\u{fffd}c');
  });

  it('has the same bytes each time', async () => {
    expect((await bytes(DOCUMENT)).equals(await bytes(DOCUMENT))).toBe(true);
  });

  it('repeats the table’s head and numbers its pages, with no overlapping text', async () => {
    const long = 'A title so long that it takes several lines in its column, as some titles do. '.repeat(4);
    const rows = Array.from({ length: 300 }, (_, n): PrintedRow => [
      n % 7 === 0 ? `${n} ${long}` : `row ${n}`,
      `${n}.5`,
    ]);
    const { pages } = await printed(table(rows));
    expect(pages.length).toBeGreaterThan(5);
    for (const [n, page] of pages.entries()) {
      expect(page.text).toContain('WhatAmount');
      expect(page.text).toContain(`Page ${n + 1}`);
      expectNothingOverlaps(page);
    }
    const text = pages.map((page) => page.text).join('\n');
    for (let n = 0; n < 300; n += 1) expect(text).toContain(`${n}.5`);
  });

  it('continues a row that is longer than a page, and breaks words that fit no line', async () => {
    const word = 'z'.repeat(20_000);
    const { pages } = await printed(table([[word, '1.5']]));
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.flatMap((page) => [...page.text.matchAll(/z/g)])).toHaveLength(20_000);
    for (const page of pages) expectNothingOverlaps(page);
  });

  it('shows a text in place of an empty table', async () => {
    expect((await printed(table([]))).pages[0]!.text).toContain('No rows.');
  });

  it('is written no faster than it is read', async () => {
    let made = 0;
    async function* endless() {
      for (;;) {
        await Promise.resolve();
        made += 50;
        yield Array.from({ length: 50 }, (_, n): PrintedRow => [`row ${made} ${n}`, `${made}`]);
      }
    }
    const gone = new AbortController();
    const neverRead = new PassThrough({ highWaterMark: 1024 });
    const document = { ...table([]), sections: [{ ...table([]).sections[0]!, rows: endless() }] } as PrintedDocument;
    const writing = writer.write(document, neverRead, gone.signal);
    let before = -1;
    await expect
      .poll(
        () => {
          const isStill = made === before;
          before = made;
          return isStill && made > 0;
        },
        { interval: 500, timeout: 25_000 },
      )
      .toBe(true);
    gone.abort();
    await expect(writing).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('fails if its rows fail', async () => {
    async function* failing() {
      yield await Promise.resolve([['row', '1']]);
      throw new Error('the books are away');
    }
    const document = { ...table([]), sections: [{ ...table([]).sections[0]!, rows: failing() }] } as PrintedDocument;
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
    await expect(writer.write(document, nowhere, NEVER)).rejects.toThrow('the books are away');
  });
});

function table(rows: readonly PrintedRow[]): PrintedDocument {
  return {
    ...DOCUMENT,
    sections: [{ kind: 'table', title: 'Entries', columns: COLUMNS, rows: [rows], emptyText: 'No rows.' }],
  };
}

async function bytes(document: PrintedDocument): Promise<Buffer> {
  const into = new PassThrough();
  const [file] = await Promise.all([buffer(into), writer.write(document, into, NEVER)]);
  return file;
}

async function printed(document: PrintedDocument) {
  return readPdf(await bytes(document));
}

/** Expects lines to keep their distance, and all text to be within the margins. */
function expectNothingOverlaps(page: PdfPage): void {
  const byLeft = Map.groupBy(page.pieces, ({ x }) => Math.round(x));
  for (const column of byLeft.values()) {
    const heights = column.map(({ y }) => y).toSorted((a, b) => a - b);
    for (let n = 1; n < heights.length; n += 1) {
      const distance = heights[n]! - heights[n - 1]!;
      expect(distance === 0 || distance > 8, `${heights[n - 1]} and ${heights[n]}`).toBe(true);
    }
  }
  for (const { x, y } of page.pieces) {
    expect(x).toBeGreaterThan(30);
    expect(x).toBeLessThan(570);
    expect(y).toBeGreaterThan(30);
    expect(y).toBeLessThan(830);
  }
}
