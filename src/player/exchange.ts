import type { Manifest } from './api.js';
import { PlayerError, playerErrorOf } from './errors.js';

export interface ExchangeRequest {
  /** The service's address, with or without a slash at its end. */
  readonly api: string;
  readonly token: string;
  /** The site around our own frame, which the browser names as ours; null on any other page. */
  readonly embedder: string | null;
}

interface Envelope {
  readonly success: boolean;
  readonly data?: Manifest;
  readonly error?: { readonly code: string };
}

/**
 * Exchanges a playback token at the service. The same token may be exchanged again while it lives.
 *
 * @throws PlayerError in words for the viewer; an abort is thrown as it is.
 */
export async function exchangeToken({ api, token, embedder }: ExchangeRequest, signal: AbortSignal): Promise<Manifest> {
  const address = `${api.replace(/\/+$/, '')}/v1/video/playback/manifest/${encodeURIComponent(token)}`;
  const envelope = await ask(address, embedder === null ? {} : { 'x-dhara-embedder': embedder }, signal);

  if (envelope.success && envelope.data) return envelope.data;
  throw playerErrorOf(envelope.error?.code);
}

async function ask(address: string, headers: Record<string, string>, signal: AbortSignal): Promise<Envelope> {
  let response: Response;
  try {
    response = await fetch(address, {
      headers,
      signal,
      credentials: 'omit',
      referrerPolicy: 'strict-origin-when-cross-origin',
    });
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
