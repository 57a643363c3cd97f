/** One of the colours of charts; each has a light and a dark shade. */
export type Tone = 'stream' | 'sand' | 'plum' | 'moss' | 'brick' | 'slate';

export interface Series {
  readonly label: string;
  readonly tone: Tone;
}

/** A height, and the exact words for it: a float is good enough for a height, never for an amount. */
export interface Part {
  readonly value: number;
  readonly text: string;
}

export interface Bar {
  readonly key: string;
  /** In the table and beside the pointer: "3 March 2026". */
  readonly label: string;
  /** Below the bar, where there is room: "3 Mar". */
  readonly axis: string;
  /** From the ground up, one per series. */
  readonly parts: readonly Part[];
  /** All of them together, or whatever else `totalLabel` says. */
  readonly total?: string;
  /** A line across this bar, such as the quota of that day. */
  readonly mark?: Part;
}
