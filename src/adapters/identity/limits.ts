import { networkOf } from '../../networkAddress.js';
import { type IdentityAttempt, TooManyAttempts } from '../../ports/identity.js';
import { type Attempts, type Limit, mailboxName } from './attempts.js';
import type { KnownDevices } from './knownDevice.js';

interface Rule {
  /** Per path. In addition, `ANYTHING` limits all requests from one address. */
  readonly perAddress: Limit;
  /** Shared by all paths with the same name. */
  readonly perMailbox?: Limit & { readonly name: string };
  readonly perAccount?: Limit & { readonly name: string };
}

const MINUTE = 60;
const HOUR = 3600;
const ANYTHING: Limit = { max: 100, windowSeconds: MINUTE };
const GUESSES: Limit = { max: 10, windowSeconds: MINUTE };
/**
 * Password attempts on one account from anywhere. They do not lock out its owner: browsers in which they have signed in
 * before are counted separately, a network where they have a session is exempt, and a password reset always works,
 * because nobody else can block its links.
 */
const SIGN_INS = { name: 'sign-in', max: 20, windowSeconds: 15 * MINUTE };
/** For one known browser, so that somebody who stole its cookie cannot guess forever. */
const DEVICE: Limit = { max: 10, windowSeconds: 15 * MINUTE };
/** Anybody can request these emails for any mailbox. */
const EMAILS = { name: 'mail', max: 5, windowSeconds: HOUR };
/**
 * Counted separately from other emails, also among those sent. Somebody who uses up the limit for somebody else has
 * sent them links, which stay valid for the same hour.
 */
const RESETS = { name: 'reset', max: 5, windowSeconds: HOUR };
const PASSWORDS = { name: 'password', max: 10, windowSeconds: 15 * MINUTE };
/**
 * Codes from a session that has not passed the second factor, from anywhere: better-auth does not count
 * them, so a thief of such a session could keep guessing. A sign-in that waits for its code has no session, and its own
 * limits.
 */
const CODES = { name: 'code', max: 10, windowSeconds: HOUR };
/** All emails to one mailbox; password resets and others are counted separately. */
const SENT: Limit = { max: 10, windowSeconds: HOUR };

export type CountedEmail = 'reset' | 'other';

const RULES: Readonly<Record<string, Rule>> = {
  '/sign-in/email': { perAddress: GUESSES, perMailbox: SIGN_INS },
  '/sign-up/email': { perAddress: GUESSES, perMailbox: EMAILS },
  '/request-password-reset': { perAddress: { max: 5, windowSeconds: MINUTE }, perMailbox: RESETS },
  '/send-verification-email': { perAddress: { max: 5, windowSeconds: MINUTE }, perMailbox: EMAILS },
  '/change-password': { perAddress: GUESSES, perAccount: PASSWORDS },
  // The mailbox is the new one: anybody with an account could have emails sent to it.
  '/change-address': { perAddress: GUESSES, perMailbox: EMAILS, perAccount: PASSWORDS },
  '/confirm-address': { perAddress: GUESSES },
  '/two-factor/enable': { perAddress: GUESSES, perAccount: PASSWORDS },
  '/two-factor/disable': { perAddress: GUESSES, perAccount: PASSWORDS },
  '/two-factor/generate-backup-codes': { perAddress: GUESSES, perAccount: PASSWORDS },
  '/two-factor/verify-totp': { perAddress: GUESSES, perAccount: CODES },
  '/two-factor/verify-backup-code': { perAddress: GUESSES, perAccount: CODES },
};

export interface Attempt extends Omit<IdentityAttempt, 'cookie'> {
  /** The cookie of a known device, unverified. */
  readonly device: string | undefined;
}

/** Rate limits of identity per address, mailbox and account. Known and unknown ones are counted the same. */
export class IdentityLimits {
  constructor(
    private readonly attempts: Attempts,
    private readonly devices: KnownDevices,
  ) {}

  /**
   * Counts an attempt, the address first: an address over its limit does not use up the limits of others.
   * @throws TooManyAttempts
   */
  async admit({ path, address, email, device, userId }: Attempt): Promise<void> {
    const network = networkOf(address);
    const { perAddress = ANYTHING, perMailbox, perAccount } = RULES[path] ?? {};
    await this.claim(`${network}|${path}`, perAddress);
    if (perMailbox === SIGN_INS && email !== null) await this.admitSignIn(email, network, device);
    else if (perMailbox && email !== null) await this.claim(mailboxCount(perMailbox.name, email), perMailbox);
    const user = perAccount ? await userId() : null;
    if (perAccount && user !== null) await this.claim(`${perAccount.name}|${user}`, perAccount);
  }

  /** Counts an attempt at the password of a signed-in user. @throws TooManyAttempts */
  admitPassword(userId: string): Promise<void> {
    return this.claim(`${PASSWORDS.name}|${userId}`, PASSWORDS);
  }

  /** The owner of the mailbox has proved who they are, so earlier attempts no longer count. */
  async forgetSignIns(email: string): Promise<void> {
    await this.attempts.forget(mailboxCount(SIGN_INS.name, email));
  }

  /** Whether one more email may go to this mailbox. */
  async maySend(email: string, kind: CountedEmail): Promise<boolean> {
    return (await this.attempts.count(mailboxCount(`sent ${kind}`, email), SENT)) === null;
  }

  private async admitSignIn(email: string, network: string, device: string | undefined): Promise<void> {
    const known = this.devices.idOf(device, email);
    if (known !== null && (await this.attempts.count(`device|${known}`, DEVICE)) === null) return;
    const seconds = await this.attempts.count(mailboxCount(SIGN_INS.name, email), SIGN_INS);
    if (seconds !== null && !(await this.attempts.isAtHome(email, network))) throw new TooManyAttempts(seconds);
  }

  private async claim(name: string, limit: Limit): Promise<void> {
    const seconds = await this.attempts.count(name, limit);
    if (seconds !== null) throw new TooManyAttempts(seconds);
  }
}

function mailboxCount(name: string, email: string): string {
  return `${name}|${mailboxName(email)}`;
}
