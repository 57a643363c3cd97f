import type { Writable } from 'node:stream';

/** A few lines about one side of a document, such as the seller. */
export interface PrintedParty {
  readonly label: string;
  readonly lines: readonly string[];
}

export interface PrintedFact {
  readonly label: string;
  readonly value: string;
}

export interface PrintedColumn {
  readonly heading: string;
  /** Its share of the page's width, relative to the other columns. */
  readonly weight: number;
  readonly align: 'left' | 'right';
}

/** Rows come in batches, so that a table of any length streams through without being held in memory. */
export type PrintedRows = Iterable<readonly PrintedRow[]> | AsyncIterable<readonly PrintedRow[]>;
/** One text per column. */
export type PrintedRow = readonly string[];

export type PrintedSection =
  | {
      readonly kind: 'table';
      readonly title: string | null;
      readonly columns: readonly PrintedColumn[];
      readonly rows: PrintedRows;
      /** Shown if there are no rows. */
      readonly emptyText: string;
    }
  /** Amounts that add up, aligned right; the last one is emphasized. */
  | { readonly kind: 'totals'; readonly rows: readonly PrintedFact[] }
  | { readonly kind: 'note'; readonly text: string };

/** The content of a document. The writer decides its layout. */
export interface PrintedDocument {
  readonly title: string;
  readonly subtitle: string;
  readonly author: string;
  /** The document's own date, so that the same document gives the same bytes whenever it is written. */
  readonly date: Date;
  readonly facts: readonly PrintedFact[];
  readonly parties: readonly PrintedParty[];
  readonly sections: readonly PrintedSection[];
  /** On every page, next to its number. */
  readonly footer: string;
}

export interface DocumentWriter {
  readonly mediaType: string;
  /**
   * Writes the whole document with backpressure, and ends the stream.
   *
   * @throws the signal's reason once it is aborted, and anything the rows throw; then the stream is not ended
   */
  write(document: PrintedDocument, into: Writable, signal: AbortSignal): Promise<void>;
}
