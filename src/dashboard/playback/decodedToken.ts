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
