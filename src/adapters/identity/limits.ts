import { AppError } from '../../errors.js';
import { type Attempts, type Limit, mailboxName, networkOf } from './attempts.js';

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
 * Guesses at one account from anywhere. Its owner is not locked out for long: by the window, by a network that they are
 * signed in from, and by a reset, whose mail nobody can stop.
 */
const SIGN_INS = { name: 'sign-in', max: 20, windowSeconds: 15 * MINUTE };
/** Asked for by anybody, for any mailbox. The last links stay good for an hour. */
const MAILS = { name: 'mail', max: 5, windowSeconds: HOUR };
const PASSWORDS = { name: 'password', max: 10, windowSeconds: 15 * MINUTE };
/** All that identity sends to one mailbox, whatever it was for. */
const SENT: Limit = { max: 10, windowSeconds: HOUR };

const RULES: Readonly<Record<string, Rule>> = {
  '/sign-in/email': { perAddress: GUESSES, perMailbox: SIGN_INS },
  '/sign-up/email': { perAddress: GUESSES, perMailbox: MAILS },
  '/request-password-reset': { perAddress: { max: 5, windowSeconds: MINUTE }, perMailbox: MAILS },
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
  /** Of the session that the request carries. */
  readonly userId: () => Promise<string | null>;
}

/** How often identity may be asked: per address, mailbox and account, counted alike for known and unknown ones. */
export class IdentityLimits {
  constructor(private readonly attempts: Attempts) {}

  /** Counts an attempt, the address first: who is over its limit uses up nobody else's. @throws TooManyAttempts */
  async admit({ path, address, email, userId }: Attempt): Promise<void> {
    const network = networkOf(address);
    const { perAddress = ANYTHING, perMailbox, perAccount } = RULES[path] ?? {};
    await this.claim(`${network}|${path}`, perAddress);
    if (perMailbox && email !== null) {
      const seconds = await this.attempts.count(mailboxCount(perMailbox.name, email), perMailbox);
      const isOwner = seconds !== null && perMailbox === SIGN_INS && (await this.attempts.isAtHome(email, network));
      if (seconds !== null && !isOwner) throw new TooManyAttempts(seconds);
    }
    const user = perAccount ? await userId() : null;
    if (perAccount && user !== null) await this.claim(`${perAccount.name}|${user}`, perAccount);
  }

  /** The owner of the mailbox has shown who they are: what others tried counts no more. */
  async forgetSignIns(email: string): Promise<void> {
    await this.attempts.forget(mailboxCount(SIGN_INS.name, email));
  }

  /** Whether one more mail may go to this mailbox. */
  async maySend(email: string): Promise<boolean> {
    return (await this.attempts.count(mailboxCount('sent', email), SENT)) === null;
  }

  private async claim(name: string, limit: Limit): Promise<void> {
    const seconds = await this.attempts.count(name, limit);
    if (seconds !== null) throw new TooManyAttempts(seconds);
  }
}

function mailboxCount(name: string, email: string): string {
  return `${name}|${mailboxName(email)}`;
}
