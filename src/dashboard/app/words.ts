import { showCredits } from '../lib/credits.js';
import { AuthError } from '../auth/authClient.js';

/** A failure in words: what happened, and what to do next. */
export interface Words {
  readonly code: string;
  readonly title: string;
  readonly advice: string;
}

/** A sentence per code of the service. What is not here is told by the service's own message. */
const SENTENCES: Record<string, readonly [title: string, advice: string]> = {
  NETWORK: ['The connection was lost', 'Check your network. This page goes on by itself once it is back.'],
  SERVICE_UNAVAILABLE: ['The service is briefly away', 'Nothing is lost. Try again in a moment.'],
  INTERNAL_ERROR: ['Something went wrong on our side', 'Try again. If it stays like this, tell support what you did.'],
  GRAPHQL_VALIDATION_FAILED: [
    'There is a newer version',
    'Load this page again to use it. What you typed is lost by that, so copy it first.',
  ],
  UNAUTHENTICATED: ['You are signed out', 'Sign in again to go on where you were.'],
  FORBIDDEN: ['You may not do this', 'It needs another role. Ask whoever runs this service.'],
  TWO_FACTOR_REQUIRED: [
    'A second factor is needed',
    'Open Support again: it asks for a code, or shows where to switch it on.',
  ],
  APPROVAL_REQUIRED: [
    'Another member of staff has to do this',
    'It is above what you may move alone today, or the account is close to you.',
  ],
  EMAIL_NOT_VERIFIED: ['Your address is not confirmed yet', 'Open the link in the mail we sent you, then try again.'],
  ACCOUNT_SUSPENDED: ['This account is suspended', 'You can look, but not change anything. Write to support.'],
  INSUFFICIENT_CREDITS: ['Not enough credits', 'Move credits into CREATIVE from the wallet, then try again.'],
  DEBT_OUTSTANDING: ['There is a debt', 'Repay it in the wallet; new uploads and jobs start after that.'],
  UPLOAD_ALLOWANCE_EXCEEDED: [
    'Your credits do not pay for keeping this file',
    'Add credits, or process or delete videos that wait, then try again.',
  ],
  PROVIDER_UNAVAILABLE: ['The payment provider does not answer', 'Nothing was taken. Try again in a moment.'],
  RATE_UNAVAILABLE: ['There is no current exchange rate', 'Pay in rupees, or try again later.'],
  QUOTE_EXPIRED: ['The price has lapsed', 'Ask for it again: prices hold for a limited time.'],
  BRAND_MISSING: ['There is no logo yet', 'Set one in the settings under Branding, or go on without it.'],
  VIDEO_NOT_FOUND: ['This video is not here', 'It may have been deleted. Go back to the list.'],
  VIDEO_NOT_READY: ['This video does not play yet', 'Wait until it has been processed.'],
  API_KEY_NOT_FOUND: ['This key is not here any more', 'Load the page again to see which keys there are.'],
  INVALID_STATE: ['That is not possible just now', 'It changed in the meantime. Look at how it stands now.'],
  IDEMPOTENCY_CONFLICT: ['This was already sent with other values', 'Load the page again and repeat it.'],
  LIMIT_REACHED: ['The limit is reached', 'Remove what you no longer need, then try again.'],
  STORE_FULL: ['There is no room at the moment', 'Nothing was charged. Try again later.'],
  FILE_TOO_LARGE: ['This file is too large', 'Choose a smaller one, or ask support for a higher limit.'],
  UPLOAD_EXPIRED: ['This upload has expired', 'It lay still for a day. Upload the file again.'],
  RATE_LIMIT_EXCEEDED: ['Too many attempts', 'Wait a minute, then try again.'],
  PASSWORD_TOO_SHORT: ['The password is too short', 'Use ten characters or more.'],
  PASSWORD_TOO_LONG: ['The password is too long', 'Use at most 128 characters.'],
  INVALID_EMAIL: ['This is no e-mail address', 'Look for a typing error.'],
  INVALID_EMAIL_OR_PASSWORD: ['Address or password is wrong', 'Try again, or set a new password.'],
  INVALID_PASSWORD: ['The password is wrong', 'Try again.'],
  INVALID_CODE: ['The code is wrong', 'Take the newest one from your app. Each code works once.'],
  INVALID_BACKUP_CODE: ['This backup code is wrong', 'Each one works once. Try another.'],
  INVALID_TWO_FACTOR_COOKIE: ['That took too long', 'Sign in with your password again.'],
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: ['Too many wrong codes', 'Sign in with your password again.'],
  ACCOUNT_TEMPORARILY_LOCKED: ['Too many wrong codes', 'Wait a few minutes, then sign in again.'],
  INVALID_TOKEN: ['This link does not work', 'It may be used up or cut short. Ask for a new one.'],
  TOKEN_EXPIRED: ['This link has expired', 'Ask for a new one.'],
};

/** Whatever was thrown, in words. */
export function wordsOf(error: unknown): Words {
  const { code, message, missing } = factsOf(error);
  if (code === 'INSUFFICIENT_CREDITS' && missing) {
    return {
      code,
      title: `${showCredits(missing)} credits are missing`,
      advice: 'Move them into CREATIVE from your wallet, then try again.',
    };
  }
  if (code === 'UPLOAD_ALLOWANCE_EXCEEDED' && missing) {
    return {
      code,
      title: `To keep this file, ${showCredits(missing)} more credits are needed`,
      advice: 'Add credits in the wallet, or process or delete videos that wait, then try again.',
    };
  }
  const [title, advice] = SENTENCES[code] ?? [message || 'That did not work', 'Check what you entered and try again.'];
  return { code, title, advice };
}

interface Facts {
  readonly code: string;
  readonly message: string;
  readonly missing?: string;
}

/** The GraphQL client's errors, told apart by name: who has yet to sign in does not wait for its code. */
interface ClientError extends Error {
  readonly errors?: readonly { readonly message: string; readonly extensions?: Record<string, unknown> }[];
  readonly statusCode?: number;
  readonly bodyText?: string;
}

function factsOf(error: unknown): Facts {
  if (error instanceof AuthError) return { code: error.code, message: error.message };
  // What `fetch` throws when nobody answers is a TypeError in every browser.
  if (error instanceof TypeError) return { code: 'NETWORK', message: '' };
  const { name, errors, statusCode } = (error ?? {}) as ClientError;
  if (name === 'CombinedGraphQLErrors') {
    const { message = '', extensions = {} } = errors?.[0] ?? {};
    const { code = 'INTERNAL_ERROR', details } = extensions as { code?: string; details?: { missing?: string } };
    return { code, message, ...(details?.missing === undefined ? {} : { missing: details.missing }) };
  }
  if (name === 'ServerError' || name === 'ServerParseError') {
    if (statusCode === 429) return { code: 'RATE_LIMIT_EXCEEDED', message: '' };
    return { code: statusCode === 401 ? 'UNAUTHENTICATED' : 'SERVICE_UNAVAILABLE', message: '' };
  }
  // A route that is no GraphQL has its errors thrown under the service's own codes.
  if (name === 'PosterError') return error as Facts;
  return { code: 'INTERNAL_ERROR', message: '' };
}

/** Whether the service refused with this code. */
export function isCode(error: unknown, code: string): boolean {
  return factsOf(error).code === code;
}

/** Too many strangers ask, or this address does: whoever signs in is served all the same. */
export function isBusyForVisitors(error: unknown): boolean {
  return (
    isCode(error, 'RATE_LIMIT_EXCEEDED') && (error as ClientError).bodyText?.includes('"askedAs":"visitor"') === true
  );
}

/** Both sentences in one line, for a field or a notification. */
export function lineOf(error: unknown): string {
  const { title, advice } = wordsOf(error);
  return `${title}. ${advice}`;
}
