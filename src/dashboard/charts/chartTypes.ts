/** A chart color; each has a light and a dark shade. */
export type Tone = 'stream' | 'sand' | 'plum' | 'moss' | 'brick' | 'slate';

export interface Series {
  readonly label: string;
  readonly tone: Tone;
}

/** A height, and its exact text: a float is good enough for a height, never for an amount. */
export interface Part {
  readonly value: number;
  readonly text: string;
}

export interface Bar {
  readonly key: string;
  /** In the table and the tooltip: "3 March 2026". */
  readonly label: string;
  /** Below the bar, if it fits: "3 Mar". */
  readonly axis: string;
  /** From the bottom up, one per series. */
  readonly parts: readonly Part[];
  /** The sum, or whatever `totalLabel` says. */
  readonly total?: string;
  /** A line across this bar, such as that day's quota. */
  readonly mark?: Part;
}
