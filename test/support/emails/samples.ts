import { LetterWriter } from '../../../src/adapters/mail/emails/emailWriter.js';
import type { EmailContext, EmailData, EmailKind, WrittenEmail } from '../../../src/ports/emails.js';

const AT = '2026-11-26T04:10:00Z';
const UUID = '0193a1c2-7d4e-7f60-8a9b-1c2d3e4f5a6b';
const TOP_UP = '0193a1c2-7d4e-7f60-8a9b-1c2d3e4f5a6c';
export const ORIGIN = 'https://video.example.com';

/** One email of each kind, as its occasion would write it. */
export const SAMPLES: { readonly [Kind in EmailKind]: EmailData[Kind] } = {
  'address.confirm': { link: `${ORIGIN}/api/auth/verify-email?token=a1.b2&callbackURL=%2F` },
  'address.change': { link: `${ORIGIN}/settings/profile?confirm=a1.b2` },
  'password.reset': { link: `${ORIGIN}/reset-password?token=a1b2` },
  'signup.finish': { link: `${ORIGIN}/reset-password?token=a1b2` },
  'signup.known': {},
  'address.changed': { email: 'asha@new.example' },
  'password.changed': { at: AT },
  'session.new': { at: AT, device: 'Firefox on Windows', network: '203.0.113.0' },
  'two_factor.on': { at: AT },
  'two_factor.off': { at: AT },
  'key.created': { name: 'Production', prefix: 'dk_live_4f7a', last4: '9c1e' },
  'access_token.created': { name: 'Backup script', prefix: 'dpat_4f7a', last4: '9c1e', scopes: ['read', 'manage'] },
  'account.closed': { eraseAfter: '2026-12-26T04:10:00Z' },
  'account.reopened': {},
  'topup.credited': { topUpId: TOP_UP, amount: '100000.5' },
  'refund.booked': { topUpId: TOP_UP, refundId: 'rfnd_NWHvD1nGq7yRtB', amount: '250' },
  'wallet.low': { balance: '42.5', threshold: '50' },
  'wallet.runway_short': { daysLeft: 5, storedBytes: '52428800000', automatic: true },
  'storage.arrears': { day: '2026-11-25', amount: '0.25', storedBytes: '52428800000', automatic: false },
  'video.ready': { uuid: UUID, title: 'Intro to sailing' },
  'videos.ready': { titles: ['Intro to sailing', 'Knots', 'Weather'], count: 12 },
  'video.failed': {
    uuid: UUID,
    title: 'Intro to sailing',
    failure: { message: 'The file looks like a video or audio file, but its content could not be read.' },
  },
  'webhook.disabled': { url: 'https://hooks.example.com/dhara?shop=12', reason: 'failing' },
};

export const KINDS = Object.keys(SAMPLES) as EmailKind[];

const CONTEXT: EmailContext = { name: 'Asha Rao', unsubscribeUrl: null, facts: [] };

/** What a receipt adds to its email. */
const RECEIPT_FACTS: EmailContext['facts'] = [
  ['Receipt', 'DHR/2627/000042'],
  ['Paid', '₹1,00,000.50'],
];

/** The sample of a kind, written. */
export function writeSample<Kind extends EmailKind>(
  kind: Kind,
  data: EmailData[Kind] = SAMPLES[kind],
  context: Partial<EmailContext> = {},
): WrittenEmail {
  const facts = kind === 'topup.credited' || kind === 'refund.booked' ? RECEIPT_FACTS : [];
  return new LetterWriter(ORIGIN).write(kind, data, { ...CONTEXT, facts, ...context });
}
