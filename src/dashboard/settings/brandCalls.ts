import { viewHeaders } from '../session/view.js';
import { AuthError } from '../session/authClient.js';
import type { Placement } from './brandBox.js';

const MAX_BYTES = 1_000_000;

/** Sends a file as the account's logo. @throws AuthError with the service's code */
export async function sendLogo(file: File): Promise<void> {
  if (file.size > MAX_BYTES) throw new AuthError('LOGO_TOO_LARGE', 'A logo has at most 1 MB');
  const response = await fetch('/branding/logo', { method: 'PUT', headers: viewHeaders(), body: file });
  if (!response.ok) throw await refusal(response);
}

/** The logo over a picture, rendered by the filter that burns it in. @throws AuthError with the service's code */
export async function drawPreview(placement: Placement, videoId: string | null): Promise<Blob> {
  const query = new URLSearchParams({
    position: placement.position.toLowerCase(),
    widthPercent: `${placement.widthPercent}`,
    marginPercent: `${placement.marginPercent}`,
    opacityPercent: `${placement.opacityPercent}`,
    ...(videoId === null ? {} : { video: videoId }),
  });
  const response = await fetch(`/branding/preview.jpg?${query}`, { headers: viewHeaders() });
  if (!response.ok) throw await refusal(response);
  return response.blob();
}

async function refusal(response: Response): Promise<AuthError> {
  const body = (await response.json().catch(() => null)) as { error?: { code?: string; message?: string } } | null;
  const { code = 'INTERNAL_ERROR', message = '' } = body?.error ?? {};
  return new AuthError(code, message);
}
