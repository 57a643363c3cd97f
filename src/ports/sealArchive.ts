/** The head of one sealed block, which is also kept outside the database. */
export interface SealHead {
  /** 1, 2, 3, … without gaps. */
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
 * A person's statement that a restored database has lost blocks which the archive has. They are given up, and their
 * numbers are used again. The archive and the database must both have it; on one side alone it counts for nothing.
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
 * Keeps the heads of sealed blocks outside the database, so that even a completely rewritten database is noticed.
 * Append-only.
 */
export interface SealArchive {
  /** Resolves once the record would survive a power cut. */
  append(record: SealRecord): Promise<void>;
  /** Everything that was appended, in order. Omits what can no longer be read. */
  records(): Promise<readonly SealRecord[]>;
}
