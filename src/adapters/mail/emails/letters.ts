/** The words of all emails, each with its data, its button and where that leads. */
import { videoIdOf } from '../../../domain/shared/ids.js';
import type { EmailContext, EmailData, EmailKind } from '../../../ports/emails.js';
import type { Letter } from './letter.js';
import { say, type Line } from './line.js';

export const GREETING = (name: string): string => (name === '' ? 'Hello,' : `Hi ${name},`);
export const FOOTER = {
  sender: 'Dhara video hosting',
  settings: 'Choose which emails you get',
  unsubscribe: 'Unsubscribe from emails of this kind',
  copyLink: 'If the button does not work, copy this address:',
};

type Letters = {
  readonly [Kind in EmailKind]: (
    data: EmailData[Kind],
    at: { readonly page: (path: string) => string; readonly facts: EmailContext['facts'] },
  ) => Letter;
};

/** Emails to people who may have no account, or cannot sign in: they have no settings yet. */
export const WITHOUT_SETTINGS: ReadonlySet<EmailKind> = new Set([
  'address.confirm',
  'address.change',
  'password.reset',
  'signup.finish',
  'signup.known',
]);

const NOT_YOU = say`Wasn’t you? Reset your password at once: it signs everyone out. Then look at your sessions and API keys.`;

export const LETTERS: Letters = {
  'address.confirm': ({ link }) => ({
    subject: say`Verify your email address`,
    paragraphs: [say`Welcome to Dhara. Open this link within 24 hours to verify your address and sign in.`],
    button: { label: 'Verify email address', url: link },
    showsLink: true,
    notes: [say`Didn’t sign up? Ignore this email.`],
  }),
  'address.change': ({ link }) => ({
    subject: say`Confirm your new email address`,
    paragraphs: [
      say`Someone, probably you, wants to use this address for their Dhara account. Open this link within 24 hours, and sign in if asked.`,
    ],
    button: { label: 'Use this address', url: link },
    showsLink: true,
    notes: [say`Didn’t request this? Ignore this email. Nothing changes.`],
  }),
  'password.reset': ({ link }) => ({
    subject: say`Choose a new password`,
    paragraphs: [say`Open this link within an hour to choose a new password. It signs you out everywhere.`],
    button: { label: 'Choose a new password', url: link },
    showsLink: true,
    notes: [say`Didn’t request this? Ignore this email. Your password does not change.`],
  }),
  // For an address that signed up before and was never confirmed: a new password replaces any set before.
  'signup.finish': ({ link }) => ({
    subject: say`Finish signing up`,
    paragraphs: [
      say`Someone signed up with this address before but never verified it. Open this link within an hour to choose a password and verify it.`,
    ],
    button: { label: 'Finish signing up', url: link },
    showsLink: true,
    notes: [say`Didn’t sign up? Ignore this email.`],
  }),
  // Sign-up responds the same for known and unknown addresses. Only the mailbox's owner learns which it was.
  'signup.known': (_data, { page }) => ({
    subject: say`You already have an account`,
    paragraphs: [
      say`Someone, probably you, tried to sign up with this address. It already has an account. Sign in, or choose “Forgot password”.`,
    ],
    button: { label: 'Sign in', url: page('/sign-in') },
    notes: [say`Wasn’t you? Ignore this email. Your account and password have not changed.`],
  }),

  'address.changed': ({ email }, { page }) => ({
    subject: say`Your email address was changed`,
    paragraphs: [say`Your account now uses ${email}. Emails no longer go to this address.`],
    button: { label: 'Review security', url: page('/settings/security') },
    notes: [
      say`Wasn’t you? The person who did this was signed in and knew your password. Links to this address no longer open your account, so contact us at once.`,
    ],
  }),
  'password.changed': ({ at }, { page }) => ({
    subject: say`Your password was changed`,
    paragraphs: [say`The password of your account was changed. All other sessions have ended.`],
    facts: [['When', moment(at)]],
    button: { label: 'Review security', url: page('/settings/security') },
    notes: [NOT_YOU],
  }),
  'session.new': ({ at, device, network }, { page }) => ({
    subject: say`New sign-in to your account`,
    paragraphs: [say`Someone signed in to your account in a browser that was not used for it before.`],
    facts: [['When', moment(at)], ['Browser', device], ...(network ? [['Network', network] as const] : [])],
    button: { label: 'Review sessions', url: page('/settings/security') },
    notes: [say`If it was you, there is nothing to do.`, NOT_YOU],
  }),
  'two_factor.on': ({ at }, { page }) => ({
    subject: say`Two-factor sign-in is on`,
    paragraphs: [
      say`From now on, sign-in also takes a code from your authenticator app. Keep your backup codes in a safe place.`,
    ],
    facts: [['When', moment(at)]],
    button: { label: 'Review security', url: page('/settings/security') },
    notes: [NOT_YOU],
  }),
  'two_factor.off': ({ at }, { page }) => ({
    subject: say`Two-factor sign-in is off`,
    paragraphs: [say`From now on, your password alone is enough to sign in.`],
    facts: [['When', moment(at)]],
    button: { label: 'Review security', url: page('/settings/security') },
    notes: [NOT_YOU],
  }),
  'key.created': ({ name, prefix, last4 }, { page }) => ({
    subject: say`New API key: ${name}`,
    paragraphs: [say`An API key was created. With it, programs list your videos and create playback tokens.`],
    facts: [
      ['Name', name],
      ['Key', `${prefix}…${last4}`],
    ],
    button: { label: 'Review API keys', url: page('/keys') },
    notes: [say`Wasn’t you? Revoke the key, and reset your password.`],
  }),
  'access_token.created': ({ name, prefix, last4, scopes }, { page }) => ({
    subject: say`New access token: ${name}`,
    paragraphs: [say`An access token was created. With it, programs act for you in the GraphQL API.`],
    facts: [
      ['Name', name],
      ['Token', `${prefix}…${last4}`],
      ['Scopes', scopes.join(', ')],
    ],
    button: { label: 'Review access tokens', url: page('/settings/security') },
    notes: [say`Wasn’t you? Revoke the token, and reset your password.`],
  }),

  'account.closed': ({ eraseAfter }, { page }) => ({
    subject: say`Your account is closed`,
    paragraphs: [
      say`Your videos no longer play, your API keys no longer work, and storage is no longer charged.`,
      say`What is left of your payments goes back to where you paid from. Credits that you did not pay for, such as bonuses, lapse with your data.`,
      say`On ${dateOf(eraseAfter)}, your videos and your personal data are deleted for good. Until then you can sign in and reopen the account.`,
    ],
    button: { label: 'Sign in', url: page('/sign-in') },
    notes: [say`Wasn’t you? Sign in, reopen the account, and change your password.`],
  }),
  'account.reopened': (_data, { page }) => ({
    subject: say`Your account is open again`,
    paragraphs: [
      say`Your videos play again. Your API keys stay revoked and your webhook endpoints disabled: create new keys, and enable the endpoints that you need.`,
    ],
    button: { label: 'Open API keys', url: page('/keys') },
    notes: [NOT_YOU],
  }),

  'topup.credited': ({ topUpId, amount }, { page, facts }) => ({
    subject: say`Receipt: ${credits(amount)} credits added`,
    paragraphs: [say`Thank you. Your payment arrived, and your wallet has ${credits(amount)} more credits.`],
    facts: [['Credits', credits(amount)], ...facts],
    button: { label: 'Open the top-up', url: page(`/wallet/top-ups/${encodeURIComponent(topUpId)}`) },
    ...enclosed(facts),
  }),
  'refund.booked': ({ topUpId, refundId, amount }, { page, facts }) => ({
    subject: say`Refund of ${credits(amount)} credits`,
    paragraphs: [
      say`A top-up was refunded: ${credits(amount)} credits were taken from your wallet. Your bank shows the money within days.`,
    ],
    facts: [['Credits', credits(amount)], ['Refund', refundId], ...facts],
    button: { label: 'Open the top-up', url: page(`/wallet/top-ups/${encodeURIComponent(topUpId)}`) },
    ...enclosed(facts),
  }),
  'wallet.low': ({ balance, threshold }, { page }) => ({
    subject: say`Your credits are running low`,
    paragraphs: [
      say`Your wallet has ${credits(balance)} credits, below your alert threshold of ${credits(threshold)}. Top up to keep processing and storing videos.`,
    ],
    button: { label: 'Add credits', url: page('/wallet?add') },
    notes: [say`You can change the threshold in your wallet.`],
  }),
  'wallet.runway_short': ({ daysLeft, storedBytes, automatic }, { page }) => ({
    subject: say`Credits for storage are running low`,
    paragraphs: [
      say`Your credits for storage pay for your ${gigabytes(storedBytes)} for ${daysLeft === 1 ? '1 more day' : `${daysLeft} more days`}. After that, unpaid storage becomes debt.`,
      remedy(automatic),
    ],
    button: fundStorage(automatic, page),
  }),
  'storage.arrears': ({ day, amount, storedBytes, automatic }, { page }) => ({
    subject: say`Storage payment overdue`,
    paragraphs: [
      say`Storing your ${gigabytes(storedBytes)} on ${dateOf(day)} cost ${credits(amount)} credits more than your wallet could pay. They became debt, which your next credits repay first. Until then, no new videos are processed. Your videos keep playing.`,
      remedy(automatic),
    ],
    button: fundStorage(automatic, page),
  }),

  'video.ready': ({ uuid, title }, { page }) => ({
    subject: say`Ready to play: ${title}`,
    paragraphs: [say`Your video ${title} has been processed and plays.`],
    button: { label: 'Open the video', url: page(`/videos/${videoIdOf(uuid)}`) },
  }),
  'videos.ready': ({ titles, count }, { page }) => ({
    subject: say`${count} videos are ready to play`,
    paragraphs: [
      say`${count} of your videos have been processed and play.`,
      ...titles.map((title) => say`• ${title}`),
      ...(count > titles.length ? [say`And ${count - titles.length} more.`] : []),
    ],
    button: { label: 'Open videos', url: page('/videos') },
  }),
  'video.failed': ({ uuid, title, failure }, { page }) => ({
    subject: say`Could not be processed: ${title}`,
    paragraphs: [
      say`Your video ${title} could not be processed. Nothing was charged.`,
      ...(failure === null ? [] : [say`${failure.message}`]),
    ],
    button: { label: 'See what happened', url: page(`/videos/${videoIdOf(uuid)}`) },
  }),
  'webhook.disabled': ({ url, reason }, { page }) => ({
    subject: say`A webhook endpoint was disabled`,
    paragraphs: [
      say`Dhara no longer sends events to this webhook endpoint.`,
      reason === 'gone'
        ? say`It responded with 410 Gone.`
        : say`Every attempt to deliver an event to it failed for three days.`,
    ],
    facts: [['Endpoint', url]],
    button: { label: 'Open webhooks', url: page('/webhook-endpoints') },
    notes: [
      say`The log shows every attempt. Enable the endpoint when it works again. Events that were waiting are then sent, and you can replay those that happened in between.`,
    ],
  }),
};

/** What the owner can do. What happens by itself is not asked of them. */
function remedy(isAutomatic: boolean): Line {
  return isAutomatic
    ? say`Add credits in your wallet. Storage takes them from Cloud, then from Master.`
    : say`In your wallet, move credits to Cloud, or let Master pay when Cloud runs out.`;
}

function fundStorage(isAutomatic: boolean, page: (path: string) => string): Letter['button'] {
  return isAutomatic
    ? { label: 'Add credits', url: page('/wallet?add') }
    : { label: 'Open the wallet', url: page('/wallet') };
}

function enclosed(facts: EmailContext['facts']): Pick<Letter, 'notes'> {
  return facts.length === 0 ? {} : { notes: [say`The document is attached as a PDF.`] };
}

/** "12,500.50", as in the dashboard: every digit, grouped, and at least two decimals. */
function credits(decimal: string): string {
  const [whole = '', fraction = ''] = decimal.split('.');
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
  return `${grouped}.${fraction.padEnd(2, '0')}`;
}

/** Rounded, for people to read. */
function gigabytes(bytes: string): string {
  const gb = Number(bytes) / 1e9;
  return gb < 0.01 ? 'files' : `${gb.toFixed(2)} GB`;
}

/** "26 November 2026", in UTC. */
function dateOf(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return iso;
  return time.toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
}

/** "26 November 2026 at 04:10 UTC": the sender does not know the reader's time zone. */
function moment(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return iso;
  return `${time.toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })} UTC`;
}
