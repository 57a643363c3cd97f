import { counted } from './counted.js';

export const words = {
  title: 'Danger zone',
  note: 'Close your account. Nothing plays any more, your balance is refunded, and after 30 days your data is deleted for good.',
  download: 'Download my data',
  downloadNote: 'Everything in your account as lines of JSON, without secrets and video files.',
  open: 'Close account',
  dialog: 'Close your account?',
  loading: 'Loading what closing ends',
  atOnce: 'At once',
  videos: (count: number, size: string) =>
    `${counted(count, 'video')} (${size}) can no longer be played or listed. Storage is no longer charged.`,
  keys: (count: number) =>
    `${counted(count, 'API key')} and all access tokens stop working, even if you reopen the account.`,
  webhooks: (count: number) => `${counted(count, 'webhook endpoint')} will receive no more events.`,
  jobs: (count: number) => `${counted(count, 'video')} in processing: it ends, and its credits return.`,
  sessions: 'You are signed out everywhere.',
  balance: 'Your balance',
  debt: (credits: string) => `${credits} credits of debt are paid from it first.`,
  refund: (credits: string) => `${credits} credits go back to where you paid from.`,
  noRefund: 'There is nothing to refund.',
  lapsing: (credits: string) => `${credits} credits that you did not pay for, such as bonuses, lapse with your data.`,
  later: 'For 30 days',
  laterNote:
    'You can sign in and reopen the account. After that, your videos and your personal data are deleted for good. Invoices and ledger entries stay without your name, as the law requires.',
  email: (address: string) => `Type ${address} to confirm`,
  password: 'Your password',
  submit: 'Close account',
  cancel: 'Cancel',
  done: 'Your account is closed',
  doneNote: (day: string) => `Until ${day} you can sign in and reopen it. We sent you an email that says so.`,
  leave: 'Go to sign-in',
  closed: {
    title: 'Your account is closed',
    note: (day: string) =>
      `Your videos do not play, and storage costs nothing. On ${day}, your videos and your personal data are deleted for good.`,
    reopenNote:
      'If you reopen it, your videos play again. Create new API keys, and enable your webhook endpoints again.',
    reopen: 'Reopen account',
    signOut: 'Sign out',
  },
};
