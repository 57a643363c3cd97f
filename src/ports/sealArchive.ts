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
 * A person's word that a restored database has lost blocks which the archive has: they are given up, and the numbers are
 * used anew. It stands in the archive and in the database, the same in both; on one side alone it counts for nothing.
 */
export interface SealReconciliation {
  readonly id: string;
  readonly firstBlock: number;
  readonly lastBlock: number;
  /** SHA-256 in hex over the digests of exactly the heads that are given up. */
  readonly digest: string;
  readonly reason: string;
  /** RFC 3339, in UTC. */
  readonly reconciledAt: string;
}

/** In the order in which they were appended. */
export type SealRecord = { readonly head: SealHead } | { readonly reconciliation: SealReconciliation };

/**
 * Where the heads of sealed blocks are kept outside the database, so that a database rewritten from end to end still
 * differs from something. What was appended is never changed.
 */
export interface SealArchive {
  /** Resolves once it would survive a power cut. */
  append(record: SealRecord): Promise<void>;
  /** Everything that was appended, in that order. Whatever cannot be read any more is left out. */
  records(): Promise<readonly SealRecord[]>;
}
