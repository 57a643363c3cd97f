/** The disk is full: the job waits in the queue, unclaimed. */
export class NoRoomError extends Error {
  override readonly name = 'NoRoomError';

  constructor(forWhat: string) {
    super(`there is no room for ${forWhat}`);
  }
}
