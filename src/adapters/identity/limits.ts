import { AppError } from '../../errors.js';
import { networkOf } from '../../networkAddress.js';
import { type Attempts, type Limit, mailboxName } from './attempts.js';
import type { KnownDevices } from './knownDevice.js';

/** Too many attempts. It knows when the next one makes sense. */
export class TooManyAttempts extends AppError {
  constructor(readonly retryAfterSeconds: number) {
    super('RATE_LIMIT_EXCEEDED', 'Too many attempts. Please try again later.');
    this.name = 'TooManyAttempts';
  }
}

interface Rule {
  /** For each path, beside which everything from one address has `ANYTHING`. */
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
 * Guesses at one account from anywhere. Its owner is not locked out: a browser that they have signed in with before counts
 * apart, a network that they are signed in from passes, and so does a reset, whose links nobody can stop.
 */
const SIGN_INS = { name: 'sign-in', max: 20, windowSeconds: 15 * MINUTE };
/** Of one browser that was signed in before: whoever has its cookie, too, cannot guess for ever. */
const DEVICE: Limit = { max: 10, windowSeconds: 15 * MINUTE };
/** Asked for by anybody, for any mailbox. */
const MAILS = { name: 'mail', max: 5, windowSeconds: HOUR };
/**
 * Apart from other mails, and with room of its own among those that are sent: whoever uses it up for somebody else has
 * sent them links, which stay good for the same hour.
 */
const RESETS = { name: 'reset', max: 5, windowSeconds: HOUR };
const PASSWORDS = { name: 'password', max: 10, windowSeconds: 15 * MINUTE };
/** All that identity sends to one mailbox, links that reset a password and others counted apart. */
const SENT: Limit = { max: 10, windowSeconds: HOUR };

export type MailKind = 'reset' | 'other';

const RULES: Readonly<Record<string, Rule>> = {
  '/sign-in/email': { perAddress: GUESSES, perMailbox: SIGN_INS },
  '/sign-up/email': { perAddress: GUESSES, perMailbox: MAILS },
  '/request-password-reset': { perAddress: { max: 5, windowSeconds: MINUTE }, perMailbox: RESETS },
  '/send-verification-email': { perAddress: { max: 5, windowSeconds: MINUTE }, perMailbox: MAILS },
  '/change-password': { perAddress: GUESSES, perAccount: PASSWORDS },
  '/two-factor/enable': { perAddress: GUESSES, perAccount: PASSWORDS },
  '/two-factor/disable': { perAddress: GUESSES, perAccount: PASSWORDS },
  '/two-factor/generate-backup-codes': { perAddress: GUESSES, perAccount: PASSWORDS },
  '/two-factor/verify-totp': { perAddress: GUESSES },
  '/two-factor/verify-backup-code': { perAddress: GUESSES },
};

export interface Attempt {
  readonly path: string;
  /** As Express knows it, behind the proxies that are believed. */
  readonly address: string;
  readonly email: string | null;
  /** The cookie of a known device, whatever is in it. */
  readonly device: string | undefined;
  /** Of the session that the request carries. */
  readonly userId: () => Promise<string | null>;
}

/** How often identity may be asked: per address, mailbox and account, counted alike for known and unknown ones. */
export class IdentityLimits {
  constructor(
    private readonly attempts: Attempts,
    private readonly devices: KnownDevices,
  ) {}

  /** Counts an attempt, the address first: who is over its limit uses up nobody else's. @throws TooManyAttempts */
  async admit({ path, address, email, device, userId }: Attempt): Promise<void> {
    const network = networkOf(address);
    const { perAddress = ANYTHING, perMailbox, perAccount } = RULES[path] ?? {};
    await this.claim(`${network}|${path}`, perAddress);
    if (perMailbox === SIGN_INS && email !== null) await this.admitSignIn(email, network, device);
    else if (perMailbox && email !== null) await this.claim(mailboxCount(perMailbox.name, email), perMailbox);
    const user = perAccount ? await userId() : null;
    if (perAccount && user !== null) await this.claim(`${perAccount.name}|${user}`, perAccount);
  }

  /** The owner of the mailbox has shown who they are: what others tried counts no more. */
  async forgetSignIns(email: string): Promise<void> {
    await this.attempts.forget(mailboxCount(SIGN_INS.name, email));
  }

  /** Whether one more mail may go to this mailbox. */
  async maySend(email: string, kind: MailKind): Promise<boolean> {
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
