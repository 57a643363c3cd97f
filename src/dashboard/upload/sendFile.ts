import type { DetailedError, Upload } from 'tus-js-client';
import { MODE_HEADERS } from '../session/mode.js';
import { AuthError } from '../session/authClient.js';

const CHUNK_BYTES = 32 * 1024 * 1024;
/** For short interruptions. The queue handles longer ones: it polls until the service is back. */
const RETRY_DELAYS_MS = [0, 1000];

export interface SendEvents {
  readonly onProgress: (sentBytes: number) => void;
  readonly onDone: () => void;
  /** The attempt ended. A TypeError if nobody responded; otherwise an error with the service's code. */
  readonly onError: (error: Error) => void;
}

/** Sends `file` to a tus upload address, from the offset that the service has. Returns a function that stops it. */
export async function sendFile(file: File, url: string, events: SendEvents): Promise<() => void> {
  const { Upload: TusUpload } = await import('tus-js-client');
  const upload: Upload = new TusUpload(file, {
    uploadUrl: url,
    headers: { ...MODE_HEADERS },
    chunkSize: CHUNK_BYTES,
    retryDelays: RETRY_DELAYS_MS,
    // We keep our own list over reloads, which also knows the file's video.
    storeFingerprintForResuming: false,
    onProgress: (sentBytes) => events.onProgress(sentBytes),
    onSuccess: () => events.onDone(),
    onError: (error) => events.onError(errorOf(error)),
  });
  upload.start();
  return () => void upload.abort();
}

function errorOf(error: Error | DetailedError): Error {
  const response = 'originalResponse' in error ? error.originalResponse : null;
  // No response at all: a network error, reported as `fetch` does.
  if (!response) return new TypeError('no response', { cause: error });
  try {
    const { error: body } = JSON.parse(response.getBody()) as { error?: { code?: string; message?: string } };
    if (body?.code) return new AuthError(body.code, body.message ?? '');
  } catch {
    // A proxy's page.
  }
  return new AuthError(response.getStatus() === 404 ? 'VIDEO_NOT_FOUND' : 'SERVICE_UNAVAILABLE', '');
}

/** How many bytes of an upload the service has; undefined if it no longer knows it. Rejects if it does not respond. */
export async function askSentBytes(url: string): Promise<number | undefined> {
  const response = await fetch(url, {
    method: 'HEAD',
    credentials: 'same-origin',
    headers: { 'Tus-Resumable': '1.0.0', ...MODE_HEADERS },
  });
  if (response.status === 404 || response.status === 410) return undefined;
  if (!response.ok) throw new AuthError('SERVICE_UNAVAILABLE', '');
  return Number(response.headers.get('Upload-Offset') ?? 0);
}
