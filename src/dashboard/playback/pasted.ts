/** What a token says of itself, which proves nothing; `null` for other text. */
export function decodedToken(token: string): { header: unknown; claims: unknown } | null {
  const [header, claims, signature] = token.split('.');
  if (header === undefined || claims === undefined || signature === undefined) return null;
  try {
    return { header: decoded(header), claims: decoded(claims) };
  } catch {
    return null;
  }
}

function decoded(base64url: string): unknown {
  const text = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(bytes));
}

const WHOLE_KEY = /^(dk_(?:live|test)_[0-9A-Za-z]{4})[0-9A-Za-z]{41}([0-9A-Za-z]{4})$/;

/** A whole key as it is shown elsewhere, `dk_live_4f7a…9c1e`, so that the secret never leaves the page. */
export function shownKey(text: string): string {
  return text.trim().replace(WHOLE_KEY, '$1…$2');
}
