/** What happened, and what to do next. */
type Sentences = readonly [title: string, advice: string];

export const words = {
  /** By the codes of the service. */
  sentences: {
    NETWORK: ['The connection was lost', 'Check your network. We’ll reconnect automatically.'],
    SERVICE_UNAVAILABLE: ['The service is temporarily unavailable', 'Nothing is lost. Try again in a moment.'],
    INTERNAL_ERROR: [
      'Something went wrong on our side',
      'Try again. If it keeps happening, tell support what you did.',
    ],
    GRAPHQL_VALIDATION_FAILED: [
      'A newer version is available',
      'Reload the page to use it. Copy what you typed first: reloading discards it.',
    ],
    UNAUTHENTICATED: ['You are signed out', 'Sign in again to continue where you left off.'],
    FORBIDDEN: ['You don’t have permission', 'This needs another role. Ask your administrator.'],
    TWO_FACTOR_REQUIRED: [
      'A second factor is needed',
      'Reload the page to enter a code. Staff without a second factor turn it on in their settings.',
    ],
    APPROVAL_REQUIRED: [
      'Another member of staff must do this',
      'It exceeds what you can move alone today, or you are related to the account.',
    ],
    LIVE_MODE_ONLY: ['This exists in live mode only', 'Leave test mode, then open this page again.'],
    VIEW_READ_ONLY: [
      'This view is read-only',
      'You are viewing another account. Nothing can be changed or downloaded.',
    ],
    VIEW_ENDED: ['Your view has ended', 'Go back to the support console.'],
    VIEW_CHANGED: ['This page is out of date', 'You began or ended a view of another account. Reload the page.'],
    EMAIL_NOT_VERIFIED: ['Your email is not verified yet', 'Click the link in the email we sent you, then try again.'],
    ACCOUNT_SUSPENDED: ['This account is suspended', 'Your account is read-only. Contact support.'],
    INSUFFICIENT_CREDITS: [
      'Not enough credits',
      'Add credits in the wallet, or move them into Creative, then try again.',
    ],
    DEBT_OUTSTANDING: ['Unpaid balance', 'Pay it in the wallet to start new uploads and jobs.'],
    UPLOAD_ALLOWANCE_EXCEEDED: [
      'Your credits don’t cover storing this file',
      'Add credits, or process or delete unprocessed videos, then try again.',
    ],
    PROVIDER_UNAVAILABLE: ['The payment provider is not responding', 'You were not charged. Try again in a moment.'],
    RATE_UNAVAILABLE: ['No current exchange rate', 'Pay in rupees, or try again later.'],
    QUOTE_EXPIRED: ['Quote expired', 'Get a new quote: prices hold for a limited time.'],
    BRAND_MISSING: ['There is no logo yet', 'Upload one in Settings under Branding, or continue without it.'],
    VIDEO_NOT_FOUND: ['Video not found', 'It may have been deleted. Go back to your videos.'],
    VIDEO_NOT_READY: ['This video does not play yet', 'Wait until it is processed.'],
    WEBHOOK_ENDPOINT_NOT_FOUND: ['Webhook endpoint not found', 'Reload the page to see your current endpoints.'],
    API_KEY_NOT_FOUND: ['API key not found', 'Reload the page to see your current keys.'],
    INVALID_STATE: ['That’s not possible right now', 'Something changed in the meantime. Check the current state.'],
    IDEMPOTENCY_CONFLICT: ['This was already sent with other values', 'Reload the page and try again.'],
    LIMIT_REACHED: ['Limit reached', 'Remove what you no longer need, then try again.'],
    STORE_FULL: ['Out of storage space', 'You were not charged. Try again later.'],
    FILE_TOO_LARGE: ['This file is too large', 'Choose a smaller one, or ask support for a higher limit.'],
    UPLOAD_EXPIRED: ['This upload has expired', 'It was inactive for 24 hours. Upload the file again.'],
    RATE_LIMIT_EXCEEDED: ['Too many attempts', 'Wait a minute, then try again.'],
    PASSWORD_TOO_SHORT: ['The password is too short', 'Use ten characters or more.'],
    PASSWORD_TOO_LONG: ['The password is too long', 'Use at most 128 characters.'],
    INVALID_EMAIL: ['Enter a valid email', 'Check for typos.'],
    INVALID_EMAIL_OR_PASSWORD: ['Wrong email or password', 'Try again, or set a new password.'],
    INVALID_PASSWORD: ['The password is wrong', 'Try again.'],
    INVALID_CODE: ['The code is wrong', 'Enter the newest code from your app. Each code works once.'],
    INVALID_BACKUP_CODE: ['This backup code is wrong', 'Each backup code works once. Try another.'],
    INVALID_TWO_FACTOR_COOKIE: ['That took too long', 'Sign in with your password again.'],
    TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: ['Too many wrong codes', 'Sign in with your password again.'],
    ACCOUNT_TEMPORARILY_LOCKED: ['Too many wrong codes', 'Wait a few minutes, then sign in again.'],
    SAME_ADDRESS: ['This is your address already', 'Enter another one.'],
    FIXED_ADDRESS: ['The demo account keeps its address', 'Create an account of your own.'],
    ADDRESS_TAKEN: ['This address has another account', 'Use a different address, or sign in to that account.'],
    INVALID_TOKEN: ['This link does not work', 'It may have been used or cut off. Request a new one.'],
    TOKEN_EXPIRED: ['This link has expired', 'Request a new one.'],
  } satisfies Record<string, Sentences>,
  missing: {
    INSUFFICIENT_CREDITS: (credits: string): Sentences => [
      `You need ${credits} more credits`,
      'Add credits in the wallet, or move them into Creative, then try again.',
    ],
    UPLOAD_ALLOWANCE_EXCEEDED: (credits: string): Sentences => [
      `You need ${credits} more credits to store this file`,
      'Add credits in the wallet, or process or delete unprocessed videos, then try again.',
    ],
  },
  unknown: { title: 'Something went wrong', advice: 'Check what you entered and try again.' },
};
