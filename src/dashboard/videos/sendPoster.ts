import { MODE_HEADERS } from '../session/mode.js';
import { viewHeaders } from '../session/view.js';

/** Uses the service's codes, for which `wordsOf` has sentences. */
class PosterError extends Error {
  override readonly name = 'PosterError';

  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

const MAX_BYTES = 5 * 1024 * 1024;

/** Uploads a picture as a video's poster. @throws PosterError */
export async function sendPoster(videoId: string, picture: File): Promise<void> {
  if (picture.size > MAX_BYTES) throw new PosterError('POSTER_TOO_LARGE', 'A poster can have at most 5 MB.');
  const response = await fetch(`/uploads/posters/${videoId}`, {
    method: 'PUT',
    headers: { ...MODE_HEADERS, ...viewHeaders() },
    body: picture,
  }).catch(() => null);
  if (!response) throw new PosterError('NETWORK', 'The connection was lost.');
  if (response.ok) return;
  const body = (await response.json().catch(() => null)) as { error?: { code: string; message: string } } | null;
  throw new PosterError(body?.error?.code ?? 'INTERNAL_ERROR', body?.error?.message ?? '');
}
