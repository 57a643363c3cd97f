import type { Manifest, PlayerErrorCode } from './api.js';
import { PlayerError, playerErrorOf } from './errors.js';

export interface ExchangeOptions {
  /** The service's URL, with or without a trailing slash. */
  readonly api: string;
  /** The site that embeds our frame, since the browser reports the frame's origin as ours. Null on any other page. */
  readonly embedder: string | null;
}

/** The JSON of the service's responses. */
export interface Envelope {
  readonly success: boolean;
  readonly data?: Manifest;
  readonly error?: { readonly code: string };
}

/**
 * Exchanges a playback token at the service. The same token can be exchanged again until it expires.
 *
 * @throws PlayerError in words for the viewer. An abort is thrown unchanged.
 */
export async function exchangeToken(
  { api, embedder }: ExchangeOptions,
  token: string,
  signal: AbortSignal,
): Promise<Manifest> {
  const address = `${api.replace(/\/+$/, '')}/v1/video/playback/manifest/${encodeURIComponent(token)}`;
  const envelope = await ask(address, embedder === null ? {} : { 'x-dhara-embedder': embedder }, signal);

  if (envelope.success && envelope.data) return envelope.data;
  throw playerErrorOf(envelope.error?.code);
}

async function ask(address: string, headers: Record<string, string>, signal: AbortSignal): Promise<Envelope> {
  let code: PlayerErrorCode = 'NETWORK';
  try {
    const response = await fetch(address, {
      headers,
      signal,
      credentials: 'omit',
      referrerPolicy: 'strict-origin-when-cross-origin',
    });
    // If this is not JSON, it is an error page of a proxy, not a response of the service.
    code = 'SERVICE_UNAVAILABLE';
    return (await response.json()) as Envelope;
  } catch (cause) {
    if (signal.aborted) throw cause;
    throw new PlayerError(code, { cause });
  }
}
