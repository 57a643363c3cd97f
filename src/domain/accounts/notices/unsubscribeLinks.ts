import { createHmac, timingSafeEqual } from 'node:crypto';

import { isUuid } from '../../shared/ids.js';
import { isNotificationKind, type NotificationKind } from './notifications.service.js';

const MAX_TOKEN_LENGTH = 200;

/**
 * Links in emails that switch off one kind of email of one account, without a sign-in. They do not expire: an old email
 * must still be able to stop the next one, and that is all that its link can do.
 */
export class UnsubscribeLinks {
  constructor(private readonly options: { readonly secret: Buffer; readonly publicUrl: string }) {}

  /** `null` if emails of this kind are always sent. */
  urlFor(accountId: string, kind: string): string | null {
    if (!isNotificationKind(kind)) return null;
    return `${this.options.publicUrl}/unsubscribe?token=${accountId}.${kind}.${this.sign(accountId, kind)}`;
  }

  /** What the token switches off; `null` if we did not write it. */
  read(token: unknown): { readonly accountId: string; readonly kind: NotificationKind } | null {
    if (typeof token !== 'string' || token.length > MAX_TOKEN_LENGTH) return null;
    const [, accountId = '', kind = '', signature = ''] = /^([^.]+)\.(.+)\.([\w-]{43})$/.exec(token) ?? [];
    if (!isUuid(accountId) || !isNotificationKind(kind)) return null;
    const expected = Buffer.from(this.sign(accountId, kind));
    return timingSafeEqual(Buffer.from(signature), expected) ? { accountId, kind } : null;
  }

  private sign(accountId: string, kind: string): string {
    return createHmac('sha256', this.options.secret).update(`unsubscribe|${accountId}|${kind}`).digest('base64url');
  }
}
