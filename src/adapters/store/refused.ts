/** The store answered, and the answer was no: a wrong setting, a missing right or a missing bucket. Nothing secret. */
export class StoreRefusedError extends Error {
  override readonly name = 'StoreRefusedError';
}
