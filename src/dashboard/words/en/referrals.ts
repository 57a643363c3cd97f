import type { ReactNode } from 'react';
import { rich } from '../rich.js';

export const words = {
  status: {
    pending: 'Pending',
    granted: 'Granted',
    clawedBack: 'Taken back',
    cancelled: 'No bonus',
  },
  invitees: {
    title: 'Your invitees',
    none: 'No invitees yet',
    noneAdvice: 'Share your link with someone who publishes videos. People appear here after they sign up.',
    label: 'Invitees, newest first',
    pending: (day: string) => `Joined ${day}. You get the bonus with their first top-up.`,
    revocable: (day: string, moment: string) => `Joined ${day}. The bonus is final on ${moment}.`,
    final: (day: string) => `Joined ${day}. The bonus is final.`,
    clawedBack: (day: string, windowHours: number) =>
      `Joined ${day}. Taken back: their first top-up was refunded within ${windowHours} hours, or paid with a method that you use too.`,
    cancelled: (day: string) =>
      `Joined ${day}. Their first top-up was refunded, or paid with a method that you use too.`,
  },
  page: {
    title: 'Referrals',
    note: 'Invite others, earn credits.',
    loading: 'Loading your referrals',
  },
  how: {
    title: 'How it works',
    signUp: 'Someone signs up with your link or code and makes a first top-up.',
    bonuses: (invitee: ReactNode, referrer: ReactNode) =>
      rich`They get ${invitee} bonus credits, and you get ${referrer}.`,
    refund: (hours: ReactNode) => rich`If that top-up is refunded within ${hours} hours, both bonuses are taken back.`,
  },
  totals: {
    earned: 'Earned',
    invited: 'Invited',
    pending: 'Pending',
    granted: 'Granted',
    earnedNote: 'credits, including bonuses that aren’t final yet',
    invitedNote: 'signed up with your code',
    pendingNote: 'no top-up yet',
    grantedNote: 'made a first top-up',
  },
  share: {
    subject: 'Dhara',
    text: (credits: string) =>
      `Video hosting paid by the minute. With this link you get ${credits} bonus credits on your first top-up.`,
    failed: 'Sharing failed',
    failedAdvice: 'Copy the link instead.',
    link: 'Your link',
    orCode: 'Or share your code, to enter at sign-up',
    code: 'Your code',
    share: 'Share',
    email: 'Send email',
  },
};
