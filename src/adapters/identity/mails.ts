import type { Mail } from '../../ports/mailer.js';

interface Addressee {
  readonly name: string;
  readonly email: string;
}

export function verificationMail(to: Addressee, link: string): Mail {
  return {
    to: to.email,
    subject: 'Confirm your e-mail address',
    text: letter(to, [
      'welcome to Dhara. Open this link within 24 hours to confirm your address and sign in:',
      link,
      'You did not sign up? Then do not open it: nothing happens with an address that nobody confirms.',
    ]),
  };
}

export function passwordResetMail(to: Addressee, link: string): Mail {
  return {
    to: to.email,
    subject: 'Choose a new password',
    text: letter(to, [
      'open this link within an hour to choose a new password. It ends every session you have open:',
      link,
      'You did not ask for it? Then ignore this mail; your password stays as it is.',
    ]),
  };
}

/** For an address that signed up before and was never confirmed: its owner, and nobody before them, sets the password. */
export function finishSignUpMail(to: Addressee, link: string): Mail {
  return {
    to: to.email,
    subject: 'Finish signing up',
    text: letter(to, [
      'your address was used to sign up before but never confirmed. Open this link within an hour to choose your password; that confirms it:',
      link,
      'You did not sign up? Then ignore this mail.',
    ]),
  };
}

/** Sign-up answers alike for a known and an unknown address; only the mailbox's owner learns which it was. */
export function existingAccountMail(to: Addressee, publicUrl: string): Mail {
  return {
    to: to.email,
    subject: 'You already have an account',
    text: letter(to, [
      'somebody, probably you, tried to sign up with this address. It already has an account: sign in, or choose "Forgot password", at',
      publicUrl,
      'You did not try? Then nothing is lost: your account and password are as they were.',
    ]),
  };
}

function letter(to: Addressee, paragraphs: string[]): string {
  // A name is the sender's choice at sign-up: without this, it could carry a link of theirs into our mail.
  const name = to.name.replaceAll(/[^\p{L}\p{M}\p{N} '-]/gu, '').slice(0, 60);
  return [`Hello ${name},`, ...paragraphs].join('\n\n') + '\n';
}
