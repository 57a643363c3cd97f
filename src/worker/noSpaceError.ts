/** The disk is full: the job waits in the queue, unclaimed. */
export class NoSpaceError extends Error {
  override readonly name = 'NoSpaceError';

  constructor(forWhat: string) {
    super(`there is no free space for ${forWhat}`);
  }
}
