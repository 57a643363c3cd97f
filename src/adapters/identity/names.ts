export const COOKIE_PREFIX = 'dhara';
/**
 * The header in which better-auth gets the caller's address. A client's header of this name is overwritten.
 */
export const CLIENT_ADDRESS_HEADER = 'x-dhara-client-address';

/** The name that browsers require for cookies that only travel over https. */
export function sessionCookieName(publicUrl: string): string {
  const prefix = publicUrl.startsWith('https://') ? '__Secure-' : '';
  return `${prefix}${COOKIE_PREFIX}.session_token`;
}

/** The cookie that says that somebody has signed in to a mailbox from this browser before. */
export function deviceCookieName(publicUrl: string): string {
  const prefix = publicUrl.startsWith('https://') ? '__Secure-' : '';
  return `${prefix}${COOKIE_PREFIX}.known_device`;
}
