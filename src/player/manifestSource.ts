import type { Manifest, TokenReason } from './api.js';
import { PlayerError } from './errors.js';
import { exchangeToken } from './exchange.js';

const FIRST_WAIT_MS = 3_000;
const LONGEST_WAIT_MS = 30_000;

export interface TokenSource {
  /** The service's URL. */
  readonly api: string;
  /** See ExchangeOptions. */
  readonly embedder: string | null;
  /** The current token, if any. Replaced by each token that the page provides. */
  token: string | null;
  /** Asks the page for a new token. Null if nobody provides one. */
  readonly freshToken: (reason: TokenReason) => Promise<string | null>;
  /** Called while the video is still being processed. The request is repeated automatically. */
  readonly onWaiting: () => void;
}

/**
 * Returns the manifest, with the current token or a new one. Waits while the video is still being processed.
 *
 * @throws PlayerError. An abort is thrown unchanged.
 */
export async function findManifest(source: TokenSource, signal: AbortSignal): Promise<Manifest> {
  source.token ??= await source.freshToken('missing');
  if (source.token === null) throw new PlayerError('NO_TOKEN');
  // Do not ask a provider forever that returns expired tokens.
  let mayAsk = true;
  let waitMs = FIRST_WAIT_MS;
  for (;;) {
    signal.throwIfAborted();
    try {
      return await exchangeToken(source, source.token, signal);
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
      source.token = fresh;
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
