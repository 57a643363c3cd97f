import { once } from 'node:events';
import { setImmediate as breathe } from 'node:timers/promises';
import type { Writable } from 'node:stream';

import type PDFDocument from 'pdfkit';

import type { DocumentWriter, PrintedDocument } from '../../ports/documents.js';
import { registerFonts } from './fonts.js';
import { PdfPages } from './pdfPages.js';

/** How many bytes may wait for a slow reader. */
const MAX_WAITING_BYTES = 1 << 20;

/** Writes documents as PDF 1.7 on A4, with selectable and searchable text, one page at a time. */
export class PdfWriter implements DocumentWriter {
  readonly mediaType = 'application/pdf';

  async write(document: PrintedDocument, into: Writable, signal: AbortSignal): Promise<void> {
    // Load it only when needed: it is large.
    const { default: Pdf } = await import('pdfkit');
    const pdf = new Pdf({
      size: 'A4',
      margin: 0,
      autoFirstPage: false,
      pdfVersion: '1.7',
      lang: 'en-IN',
      displayTitle: true,
      // pdfkit derives the file's id from this, so that the same document has the same bytes.
      info: {
        Title: document.title,
        Author: document.author,
        Subject: document.subtitle,
        CreationDate: document.date,
        ModDate: document.date,
      },
    });
    registerFonts(pdf);
    pdf.pipe(into, { end: false });
    const ended = once(pdf, 'end', { signal });
    // Prevents an unhandled rejection until it is awaited.
    ended.catch(() => undefined);
    const pages = new PdfPages(pdf, document.footer);

    try {
      pages.heading(document);
      for (const section of document.sections) {
        if (section.kind === 'totals') pages.totals(section.rows);
        else if (section.kind === 'note') pages.note(section.text);
        else {
          pages.tableHead(section);
          let count = 0;
          for await (const batch of section.rows) {
            for (const row of batch) {
              pages.row(row);
              count += 1;
              if (count % ROWS_WITHOUT_A_BREATH === 0) await paced(pdf, into, signal);
            }
            await paced(pdf, into, signal);
          }
          if (count === 0) pages.note(section.emptyText);
          pages.tableEnd();
        }
      }
      pdf.end();
      await ended;
    } finally {
      pdf.unpipe(into);
    }
    into.end();
  }
}

const ROWS_WITHOUT_A_BREATH = 50;

/** Lets other requests run, and waits for the reader if too many bytes are waiting. */
async function paced(pdf: InstanceType<typeof PDFDocument>, into: Writable, signal: AbortSignal): Promise<void> {
  await breathe();
  signal.throwIfAborted();
  while (pdf.readableLength + into.writableLength > MAX_WAITING_BYTES) {
    await once(into, 'drain', { signal });
  }
}
