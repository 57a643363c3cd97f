import { viewHeaders } from './view.js';

/** A refusal of an identity endpoint, with its code. */
export class AuthError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = 'AuthError';
  }
}

/**
 * Calls one identity endpoint below /api/auth. The session itself is an HttpOnly cookie that this page never sees.
 * @throws AuthError with the service's code; TypeError if the service does not respond
 */
async function call<Answer = unknown>(path: string, body: Record<string, unknown> = {}): Promise<Answer> {
  const response = await fetch(`/api/auth/${path}`, {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'content-type': 'application/json', ...viewHeaders() },
    body: JSON.stringify(body),
  });
  const answer: unknown = await response.json().catch(() => null);
  if (response.ok) return answer as Answer;

  const { code, message } = (answer ?? {}) as { code?: string; message?: string };
  throw new AuthError(code ?? (response.status === 429 ? 'RATE_LIMIT_EXCEEDED' : 'SERVICE_UNAVAILABLE'), message ?? '');
}

interface SignInResponse {
  readonly twoFactorRedirect?: boolean;
}

export const auth = {
  /** Responds the same for a known and an unknown address; only the email differs. */
  signUp: (name: string, email: string, password: string, referralCode: string) =>
    call('sign-up/email', {
      name,
      email,
      password,
      callbackURL: '/',
      ...(referralCode === '' ? {} : { referralCode }),
    }),

  sendVerification: (email: string) => call('send-verification-email', { email, callbackURL: '/' }),

  /** True if a second step is required. */
  signIn: async (email: string, password: string): Promise<boolean> =>
    (await call<SignInResponse>('sign-in/email', { email, password })).twoFactorRedirect === true,

  verifyTotp: (code: string, trustDevice = false) => call('two-factor/verify-totp', { code, trustDevice }),

  verifyBackupCode: (code: string) => call('two-factor/verify-backup-code', { code }),

  signOut: () => call('sign-out'),

  signOutEverywhere: () => call('revoke-sessions'),

  requestPasswordReset: (email: string) => call('request-password-reset', { email }),

  resetPassword: (token: string, newPassword: string) => call('reset-password', { token, newPassword }),

  changePassword: (currentPassword: string, newPassword: string) =>
    call('change-password', { currentPassword, newPassword }),

  /** The secret and the backup codes are returned only this once. */
  beginTwoFactor: (password: string) =>
    call<{ totpURI: string; backupCodes: readonly string[] }>('two-factor/enable', { password }),

  /** Sends a link to the new address. */
  requestAddress: (email: string, password: string) => call('change-address', { email, password }),

  /** Uses the link that was sent to it. */
  confirmAddress: (token: string) => call('confirm-address', { token }),

  rename: (name: string) => call('update-user', { name }),

  endTwoFactor: (password: string) => call('two-factor/disable', { password }),
};
