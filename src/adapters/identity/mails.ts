import type { Mail } from '../../ports/mailer.js';

interface Addressee {
  readonly name: string;
  readonly email: string;
}

export function verificationMail(to: Addressee, link: string): Mail {
  return {
    to: to.email,
    subject: 'Verify your email address',
    text: letter(to, [
      'Welcome to Dhara. Open this link within 24 hours to verify your address and sign in:',
      link,
      "Didn't sign up? Ignore this email.",
    ]),
  };
}

export function passwordResetMail(to: Addressee, link: string): Mail {
  return {
    to: to.email,
    subject: 'Choose a new password',
    text: letter(to, [
      'Open this link within an hour to choose a new password. It signs you out everywhere:',
      link,
      "Didn't request this? Ignore this email. Your password does not change.",
    ]),
  };
}

/**
 * For an address that signed up before and was never confirmed: its owner sets a new password, which replaces any set
 * before.
 */
export function finishSignUpMail(to: Addressee, link: string): Mail {
  return {
    to: to.email,
    subject: 'Finish signing up',
    text: letter(to, [
      'Someone signed up with this address before but never verified it. Open this link within an hour to choose a password and verify it:',
      link,
      "Didn't sign up? Ignore this email.",
    ]),
  };
}

/** Sign-up responds the same for known and unknown addresses. Only the mailbox's owner learns which it was. */
export function existingAccountMail(to: Addressee, publicUrl: string): Mail {
  return {
    to: to.email,
    subject: 'You already have an account',
    text: letter(to, [
      'Someone, probably you, tried to sign up with this address. It already has an account. Sign in, or choose "Forgot password", at',
      publicUrl,
      "Wasn't you? Ignore this email. Your account and password have not changed.",
    ]),
  };
}

function letter(to: Addressee, paragraphs: string[]): string {
  // The name is chosen at sign-up: unfiltered, it could put a link of a stranger into our email.
  const name = to.name.replaceAll(/[^\p{L}\p{M}\p{N} '-]/gu, '').slice(0, 60);
  return [`Hi ${name},`, ...paragraphs].join('\n\n') + '\n';
}
