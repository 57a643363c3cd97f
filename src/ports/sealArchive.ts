/** The head of one sealed block: what is kept of it outside the database. */
export interface SealHead {
  /** 1, 2, 3, … without a hole. */
  readonly blockNo: number;
  /** SHA-256 in hex. */
  readonly digest: string;
  /** PostgreSQL's text, to the microsecond, in UTC. */
  readonly sealedAt: string;
  /** How many owners' books, and how many entries, the block seals. */
  readonly owners: number;
  readonly entries: number;
}

/**
 * Where the heads of sealed blocks are kept outside the database, so that a database rewritten from end to end still
 * differs from something. What was appended is never changed.
 */
export interface SealArchive {
  /** Resolves once the head would survive a power cut. */
  append(head: SealHead): Promise<void>;
  /** Everything that was appended, in that order. Whatever is no head any more is left out. */
  heads(): Promise<readonly SealHead[]>;
}
