/** Presigned addresses: each opens one object directly at the store, for anyone who has it, until it expires. */
export interface ObjectLinks {
  /** The common prefix of all addresses, followed by the key. */
  readonly baseUrl: string;
  /**
   * Makes addresses that are valid from `nowEpochSeconds` to `expiresAtEpochSeconds`. The same input gives the same
   * address. Sends no request. The store limits the validity (7 days with S3).
   */
  linker(nowEpochSeconds: number, expiresAtEpochSeconds: number): (key: string) => string;
}
