import { pino } from 'pino';

import { LetterWriter } from '../../src/adapters/mail/emails/emailWriter.js';
import type { Database } from '../../src/db/sql.js';
import { NoticeService, type NoticeDeps } from '../../src/domain/accounts/notices/notice.service.js';
import { UnsubscribeLinks } from '../../src/domain/accounts/notices/unsubscribeLinks.js';
import { invoiceAddressOf } from '../../src/domain/payments/billing/billingDetails.service.js';
import type { Email } from '../../src/ports/mailer.js';

/** A service that keeps what it sends in `emails`, with `deps` instead of its own parts. */
export function noticesOf(db: Database, emails: Email[], deps: Partial<NoticeDeps> = {}): NoticeService {
  return new NoticeService({
    db,
    mailer: { send: async (email) => void emails.push(email) },
    writer: new LetterWriter('https://video.example.com'),
    enclosureOf: () => Promise.resolve(null),
    otherAddressOf: invoiceAddressOf(db),
    unsubscribeLinks: new UnsubscribeLinks({ secret: Buffer.alloc(32, 7), publicUrl: 'https://video.example.com' }),
    host: 'video.example.com',
    logger: pino({ level: 'silent' }),
    keepDays: 90,
    ...deps,
  });
}
