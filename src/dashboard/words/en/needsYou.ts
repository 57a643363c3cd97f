import { counted } from './counted.js';

/** What needs the owner: on the home page, loaded when there is something. */
export const words = {
  needsYou: 'Needs you',
  verifyEmail: 'Verify your email address',
  verifyEmailNote: (email: string) =>
    `Click the link in the email to ${email}. Until then, you can’t create API keys or spend credits.`,
  resendEmail: 'Resend email',
  emailSent: 'Email sent',
  failed: (title: string) => `“${title}” failed`,
  moreFailed: (count: number) => `${counted(count, 'more video')} failed`,
  waitForApproval: (count: number) => `${counted(count, 'video')} ${count === 1 ? 'waits' : 'wait'} for your approval`,
  seePrice: 'See the price, and start processing.',
  needCredits: (count: number) => `${counted(count, 'video')} ${count === 1 ? 'needs' : 'need'} credits`,
  continueByThemselves: 'Processing continues automatically after a top-up.',
  endpointsDisabled: (count: number) => `${counted(count, 'webhook endpoint')} ${count === 1 ? 'is' : 'are'} disabled`,
  endpointsDisabledNote: 'Your server no longer receives events. Fix it, then enable the endpoint.',
  endpointsFailing: (count: number) => `${counted(count, 'webhook endpoint')} ${count === 1 ? 'fails' : 'fail'}`,
  endpointsFailingNote: 'We keep trying. After three days of failures, an endpoint is disabled.',
  keysUsedUp: (count: number) =>
    `${counted(count, 'API key')} ${count === 1 ? 'has used its' : 'have used their'} daily quota`,
  keysUsedUpNote: 'No more playback tokens until midnight UTC. Support can raise the quota.',
};
