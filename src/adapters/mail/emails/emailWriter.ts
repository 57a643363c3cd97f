import type { EmailContext, EmailData, EmailKind, EmailWriter, WrittenEmail } from '../../../ports/emails.js';
import { layout } from './layout.js';
import { LETTERS, WITHOUT_SETTINGS } from './letters.js';

/** Writes emails whose links lead to the dashboard at this origin. */
export class LetterWriter implements EmailWriter {
  constructor(private readonly publicUrl: string) {}

  write<Kind extends EmailKind>(kind: Kind, data: EmailData[Kind], context: EmailContext): WrittenEmail {
    const page = (path: string): string => `${this.publicUrl}${path}`;
    const letter = LETTERS[kind](data, { page, facts: context.facts });
    const settingsUrl = WITHOUT_SETTINGS.has(kind) ? null : page('/settings/notifications');
    return layout(letter, { name: context.name, settingsUrl, unsubscribeUrl: context.unsubscribeUrl });
  }
}
