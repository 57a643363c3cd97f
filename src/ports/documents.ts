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
  /** Its share of the page's width, in relation to the other columns. */
  readonly weight: number;
  readonly align: 'left' | 'right';
}

/** Rows come in batches, so that a table of any length passes through without being held. */
export type PrintedRows = Iterable<readonly PrintedRow[]> | AsyncIterable<readonly PrintedRow[]>;
/** One text per column. */
export type PrintedRow = readonly string[];

export type PrintedSection =
  | {
      readonly kind: 'table';
      readonly title: string | null;
      readonly columns: readonly PrintedColumn[];
      readonly rows: PrintedRows;
      /** Shown where there is no row. */
      readonly emptyText: string;
    }
  /** Amounts that add up, at the right; the last one is set off. */
  | { readonly kind: 'totals'; readonly rows: readonly PrintedFact[] }
  | { readonly kind: 'note'; readonly text: string };

/** What a document says; how it looks is the writer's. */
export interface PrintedDocument {
  readonly title: string;
  readonly subtitle: string;
  readonly author: string;
  /** The document's own date: the same document is the same bytes, whenever it is written. */
  readonly date: Date;
  readonly facts: readonly PrintedFact[];
  readonly parties: readonly PrintedParty[];
  readonly sections: readonly PrintedSection[];
  /** On every page, beside its number. */
  readonly footer: string;
}

export interface DocumentWriter {
  readonly mediaType: string;
  /**
   * Writes the whole document, no faster than it is taken, and ends the stream.
   *
   * @throws the signal's reason once it is aborted; whatever the rows throw. The stream is not ended then.
   */
  write(document: PrintedDocument, into: Writable, signal: AbortSignal): Promise<void>;
}
