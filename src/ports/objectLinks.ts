/** Addresses that open one object each, straight at the store, for whoever holds them and until they run out. */
export interface ObjectLinks {
  /** What all addresses begin with; a key follows. */
  readonly baseUrl: string;
  /**
   * Makes addresses that are valid from `nowEpochSeconds` to `expiresAtEpochSeconds`. The same input gives the same
   * address. Costs no request; bounded by what the store allows (7 days with S3).
   */
  linker(nowEpochSeconds: number, expiresAtEpochSeconds: number): (key: string) => string;
}
