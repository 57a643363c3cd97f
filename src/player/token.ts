/** The video a playback token is for, unverified: good enough to see whether it is the one at hand. Null where it is no JWT. */
export function videoIdOf(token: string): string | null {
  try {
    const [, claims = ''] = token.split('.');
    const parsed = JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/'))) as { sub?: unknown };
    return typeof parsed.sub === 'string' ? parsed.sub : null;
  } catch {
    return null;
  }
}
