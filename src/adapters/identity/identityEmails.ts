import type { Logger } from '../../logger.js';
import type { EmailData, EmailKind, EmailWriter } from '../../ports/emails.js';
import type { Mailer } from '../../ports/mailer.js';
import type { CountedEmail } from './limits.js';

interface Recipient {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly emailVerified: boolean;
}

export interface IdentityEmailsOptions {
  readonly mailer: Mailer;
  readonly writer: EmailWriter;
  readonly publicUrl: string;
  readonly logger: Logger;
  /** Whether one more email may go to this mailbox. The requester never learns the result. */
  readonly maySend: (email: string, kind: CountedEmail) => Promise<boolean>;
  /** Stores a link that confirms an address; an unstored link does nothing. @returns the link to send */
  readonly keepConfirmation: (userId: string, link: { url: string; token: string }) => Promise<string>;
  /** Sends a link with which the owner of an address sets its password. */
  readonly requestPasswordReset: (email: string) => Promise<void>;
}

/**
 * The emails that identity sends. Nothing waits for them: a slow or failing mail server neither delays nor fails a
 * sign-up, and its delay does not reveal which addresses are known. Every email can be requested again.
 */
export class IdentityEmails {
  private readonly underWay = new Set<Promise<void>>();

  constructor(private readonly options: IdentityEmailsOptions) {}

  async verification(user: Recipient, link: { url: string; token: string }): Promise<void> {
    const kept = this.options.keepConfirmation(user.id, link);
    this.track(kept.then((url) => this.send(user, 'address.confirm', { link: url })));
  }

  async passwordReset(user: Recipient, token: string): Promise<void> {
    const link = `${this.options.publicUrl}/reset-password?token=${encodeURIComponent(token)}`;
    this.track(this.send(user, user.emailVerified ? 'password.reset' : 'signup.finish', { link }, 'reset'));
  }

  /** The link leads to a page that asks for a sign-in first. */
  addressChange(to: Pick<Recipient, 'name' | 'email'>, token: string): void {
    const link = `${this.options.publicUrl}/settings/profile?confirm=${encodeURIComponent(token)}`;
    this.track(this.send(to, 'address.change', { link }));
  }

  /**
   * Somebody signs up with an address that has a user. If it was never confirmed, its password may be a stranger's. So
   * the owner gets a link that sets a new password, not one that confirms the old one.
   */
  async existingAccount(user: Recipient): Promise<void> {
    if (user.emailVerified) this.track(this.send(user, 'signup.known', {}));
    else this.track(this.options.requestPasswordReset(user.email));
  }

  /** Resolves when no emails are being sent any more. */
  async settled(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  private async send<Kind extends EmailKind>(
    { name, email }: Pick<Recipient, 'name' | 'email'>,
    kind: Kind,
    data: EmailData[Kind],
    counted: CountedEmail = 'other',
  ): Promise<void> {
    if (!(await this.options.maySend(email, counted))) {
      this.options.logger.warn({ kind }, 'email not sent: too many to this mailbox');
      return;
    }
    const written = this.options.writer.write(kind, data, { name, unsubscribeUrl: null, facts: [] });
    await this.options.mailer.send({ to: email, ...written });
  }

  private track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => {
        this.options.logger.error({ err: error }, 'email not sent');
      })
      .finally(() => this.underWay.delete(tracked));
    this.underWay.add(tracked);
  }
}
