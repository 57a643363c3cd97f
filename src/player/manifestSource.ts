import type { Manifest, TokenReason } from './api.js';
import { PlayerError } from './errors.js';
import { exchangeToken } from './exchange.js';

const FIRST_WAIT_MS = 3_000;
const LONGEST_WAIT_MS = 30_000;

export interface TokenSource {
  /** The service's address. */
  readonly api: string;
  /** See ExchangeRequest. */
  readonly embedder: string | null;
  /** The token at hand, if any. */
  readonly token: string | null;
  /** Asks the page for a fresh one; null where nobody provides any. */
  readonly freshToken: (reason: TokenReason) => Promise<string | null>;
  /** The video is still being processed; it is asked for again by itself. */
  readonly onWaiting: () => void;
}

/**
 * The manifest, by the token at hand or a fresh one. Waits for a video that is still being processed.
 *
 * @throws PlayerError; an abort is thrown as it is.
 */
export async function findManifest(source: TokenSource, signal: AbortSignal): Promise<Manifest> {
  let token = source.token ?? (await source.freshToken('missing'));
  if (token === null) throw new PlayerError('NO_TOKEN');
  // A provider that hands out dead tokens is not asked for ever.
  let mayAsk = true;
  let waitMs = FIRST_WAIT_MS;
  for (;;) {
    signal.throwIfAborted();
    try {
      return await exchangeToken({ ...source, token }, signal);
    } catch (error) {
      if (!(error instanceof PlayerError)) throw error;
      if (error.code === 'VIDEO_NOT_READY') {
        source.onWaiting();
        await pause(waitMs, signal);
        waitMs = Math.min(waitMs * 1.5, LONGEST_WAIT_MS);
        mayAsk = true;
        continue;
      }
      const isDead = error.code === 'PLAYBACK_TOKEN_EXPIRED' || error.code === 'INVALID_PLAYBACK_TOKEN';
      const fresh: string | null = isDead && mayAsk ? await source.freshToken('expired') : null;
      if (fresh === null) throw error;
      token = fresh;
      mayAsk = false;
    }
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}
