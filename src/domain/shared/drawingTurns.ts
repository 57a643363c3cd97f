import { addAbortSignal, type Readable } from 'node:stream';

import { AppError } from '../../errors.js';

/** Beyond this many, waiting would take longer than retrying. */
const MOST_AT_ONCE = 22;
/** The time limit for reading the source of a picture. */
const READ_WITHIN_MS = 30_000;

/**
 * Limits what this process draws at once: one thing per account, so that no account keeps all others waiting, and a
 * maximum in all. Take a turn before reading the source, so that a refused request costs no memory.
 */
export class DrawingTurns {
  private readonly accounts = new Set<string>();

  constructor(private readonly thing: 'logo' | 'poster') {}

  /**
   * @throws RATE_LIMIT_EXCEEDED if the account already has a turn; SERVICE_UNAVAILABLE if too many accounts have one.
   */
  async take<T>(accountId: string, draw: () => Promise<T>): Promise<T> {
    if (this.accounts.has(accountId)) {
      throw new AppError('RATE_LIMIT_EXCEEDED', `A ${this.thing} is already being rendered. Wait a moment.`);
    }
    if (this.accounts.size >= MOST_AT_ONCE) {
      throw new AppError('SERVICE_UNAVAILABLE', `Too many ${this.thing}s are being rendered. Try again.`);
    }
    this.accounts.add(accountId);
    try {
      return await draw();
    } finally {
      this.accounts.delete(accountId);
    }
  }
}

/**
 * Streams a body from the store with a deadline that starts at the first read. Stores wait for viewers who pause, but
 * here the read holds a turn.
 */
export async function* inTime(body: Readable): AsyncGenerator<Uint8Array> {
  addAbortSignal(AbortSignal.timeout(READ_WITHIN_MS), body);
  yield* body as AsyncIterable<Uint8Array>;
}
