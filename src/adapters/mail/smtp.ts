import { createTransport, type Transporter } from 'nodemailer';

import type { Email, Mailer } from '../../ports/mailer.js';

const TIMEOUT_MS = 10_000;

export interface SmtpMailerOptions {
  /** `smtp://user:password@host:587` (STARTTLS if offered) or `smtps://…:465`. */
  readonly url: string;
  /** The sender, such as `Dhara <no-reply@example.com>`. */
  readonly from: string;
}

export class SmtpMailer implements Mailer {
  private readonly transport: Transporter;

  constructor(private readonly options: SmtpMailerOptions) {
    const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS };
    this.transport = createTransport({ url: options.url, pool: true, maxConnections: 2, ...timeouts });
  }

  async send({ to, subject, text, html, messageId, headers, attachments = [] }: Email): Promise<void> {
    await this.transport.sendMail({
      from: this.options.from,
      // As an object, so that no character of an address can add another recipient.
      to: { name: '', address: to },
      subject,
      text,
      ...(html === undefined ? {} : { html }),
      ...(messageId === undefined ? {} : { messageId }),
      ...(headers === undefined ? {} : { headers }),
      attachments: attachments.map(({ fileName, mediaType, content }) => ({
        filename: fileName,
        contentType: mediaType,
        content: Buffer.from(content),
      })),
    });
  }

  close(): void {
    this.transport.close();
  }
}
