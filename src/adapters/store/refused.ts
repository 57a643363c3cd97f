/** The store responded with a refusal: a wrong setting, a missing right or a missing bucket. Contains no secrets. */
export class StoreRefusedError extends Error {
  override readonly name = 'StoreRefusedError';
}
