import { PlayerError, playerErrorOf } from './errors.js';

/** What a playback token is exchanged for. `url` is an HLS master playlist that outlives the film. */
export interface Manifest {
  readonly url: string;
  readonly title: string;
  /** Null for a film whose length is not known yet. */
  readonly durationSeconds: number | null;
  readonly posterUrl: string | null;
}

interface Envelope {
  readonly success: boolean;
  readonly data?: Manifest;
  readonly error?: { readonly code: string };
}

/**
 * Exchanges a playback token at the service at `baseUrl`. The same token may be exchanged again while it lives.
 * @throws PlayerError in words for the viewer; an abort is thrown as it is.
 */
export async function exchangeToken(baseUrl: string, token: string, signal: AbortSignal): Promise<Manifest> {
  const envelope = await ask(new URL(`v1/video/playback/manifest/${encodeURIComponent(token)}`, baseUrl), signal);

  if (envelope.success && envelope.data) return envelope.data;
  throw playerErrorOf(envelope.error?.code);
}

async function ask(address: URL, signal: AbortSignal): Promise<Envelope> {
  let response: Response;
  try {
    response = await fetch(address, { signal, credentials: 'omit', referrerPolicy: 'strict-origin-when-cross-origin' });
  } catch (cause) {
    if (signal.aborted) throw cause;
    throw new PlayerError('NETWORK', { cause });
  }
  try {
    return (await response.json()) as Envelope;
  } catch (cause) {
    if (signal.aborted) throw cause;
    // A proxy's error page, not the service's answer.
    throw new PlayerError('SERVICE_UNAVAILABLE', { cause });
  }
}
