import { mkdir, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { newId } from '../../domain/shared/ids.js';
import type { Logger } from '../../logger.js';
import type { Email, Mailer } from '../../ports/mailer.js';

export interface FolderMailerOptions {
  /** Created if missing. Emails contain links that open accounts, so only the folder's owner may read it. */
  readonly folder: string;
  readonly from: string;
  readonly logger: Logger;
}

/**
 * For a service without a mail server: each email becomes a text file, and its link a line in the log. Its HTML and its
 * attachments are beside it.
 *
 * Plain text rather than a MIME message: encoding would break the link that a person copies from it.
 */
export class FolderMailer implements Mailer {
  constructor(private readonly options: FolderMailerOptions) {}

  async send(email: Email): Promise<void> {
    const { folder, from, logger } = this.options;
    const id = newId();
    const file = join(folder, `${id}.txt`);
    const headers = Object.entries(email.headers ?? {}).map(([name, value]) => `${name}: ${value}\n`);
    const text = `From: ${from}\nTo: ${email.to}\nSubject: ${email.subject}\n${headers.join('')}\n${email.text}`;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (email.html !== undefined) await writeFile(join(folder, `${id}.html`), email.html, { mode: 0o600 });
    for (const { fileName, content } of email.attachments ?? []) {
      await writeFile(join(folder, `${id}-${basename(fileName)}`), content, { mode: 0o600 });
    }
    // The text comes last and is renamed, so that programs that watch the folder see only complete emails.
    await writeFile(`${file}.part`, text, { mode: 0o600 });
    await rename(`${file}.part`, file);
    logger.info({ to: email.to, subject: email.subject, link: linkIn(email.text), file }, 'email written');
  }
}

function linkIn(text: string): string | undefined {
  return /^https?:\/\/\S+$/m.exec(text)?.[0];
}
