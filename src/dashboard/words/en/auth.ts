import { words as form } from './signIn.js';
import type { ReactNode } from 'react';
import { rich, type Wrap } from '../rich.js';

export const words = {
  checkEmail: {
    title: 'Check your email',
    sent: (address: ReactNode, what: string) => rich`We sent an email to ${address}. ${what}`,
    nothing: 'No email after a minute? Check your spam folder, or resend it.',
    sentAgain: 'Email resent',
    sendAgain: 'Resend email',
  },
  backToSignIn: 'Back to sign-in',
  forgot: {
    what: 'If the address belongs to an account, the email has a link to set a new password.',
    title: 'Forgot your password?',
    note: 'We’ll email you a link to set a new one.',
    submit: 'Send link',
  },
  emailAddress: form.emailAddress,
  newPasswordNote: (length: number) => `At least ${length} characters. A few unrelated words are easy to remember.`,
  reset: {
    title: 'Set a new password',
    note: 'This ends all other sessions of your account.',
    newPassword: 'New password',
    requestLink: 'Request a new link',
    submit: 'Set password',
  },
  password: form.password,
  signIn: {
    title: 'Sign in',
    newHere: (link: Wrap) => rich`New here? ${link('Create an account')}`,
    passwordSetNote: 'Sign in with your new password.',
    passwordSet: 'Your password was changed',
    linkExpired: 'Sign in, and we’ll send you a new one.',
  },
  signUp: {
    what: 'Click the link in it to verify your address and sign in.',
    title: 'Create an account',
    note: 'No subscription: pay by the minute.',
    haveAccount: (link: Wrap) => rich`Already have an account? ${link('Sign in')}`,
    name: 'Name',
    referralCode: 'Referral code (optional)',
    referralNote: 'Have a referral code? You both earn credits on your first top-up.',
    submit: 'Create account',
  },
};
