import { addAbortSignal, type Readable } from 'node:stream';

import { AppError } from '../../errors.js';

/** Who comes after so many would wait longer than for asking again. */
const MOST_AT_ONCE = 22;
/** For what a picture is drawn from. */
const READ_WITHIN_MS = 30_000;

/**
 * Who may have something drawn in this process: an account one thing at a time, so that one alone does not keep all
 * others waiting, and not too many accounts. Taken before what is drawn is read: who is refused costs no memory.
 */
export class DrawingTurns {
  private readonly accounts = new Set<string>();

  constructor(private readonly thing: 'logo' | 'poster') {}

  /** @throws RATE_LIMIT_EXCEEDED where the account has a turn already; SERVICE_UNAVAILABLE where too many have one. */
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
 * A body from the store, which ends in time from when it is first read: stores are patient with viewers who pause, and
 * here a turn is kept.
 */
export async function* inTime(body: Readable): AsyncGenerator<Uint8Array> {
  addAbortSignal(AbortSignal.timeout(READ_WITHIN_MS), body);
  yield* body as AsyncIterable<Uint8Array>;
}
