import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';

import { mailboxName } from './attempts.js';

const LIFETIME_MS = 180 * 86_400_000;

/**
 * A cookie for browsers in which somebody has signed in. It proves that to this mailbox, and nothing else. Attempts
 * with it are counted separately, so that strangers cannot lock out an owner who has signed in before.
 */
export class KnownDevices {
  constructor(private readonly secret: string) {}

  issue(email: string, nowMs: number = Date.now()): { readonly value: string; readonly maxAgeSeconds: number } {
    const id = randomUUID();
    const expiresMs = nowMs + LIFETIME_MS;
    return { value: `${id}.${expiresMs}.${this.sign(email, id, expiresMs)}`, maxAgeSeconds: LIFETIME_MS / 1000 };
  }

  /** The id of the device; `null` if the cookie is for another mailbox, forged, or too old. */
  idOf(cookie: string | undefined, email: string, nowMs: number = Date.now()): string | null {
    const [, id, expires, signature] = /^([\da-f-]{36})\.(\d{13})\.([\w-]{43})$/.exec(cookie ?? '') ?? [];
    if (id === undefined || signature === undefined || Number(expires) <= nowMs) return null;
    const expected = Buffer.from(this.sign(email, id, Number(expires)));
    return timingSafeEqual(Buffer.from(signature), expected) ? id : null;
  }

  private sign(email: string, id: string, expiresMs: number): string {
    const text = `known-device|${mailboxName(email)}|${id}|${expiresMs}`;
    return createHmac('sha256', this.secret).update(text).digest('base64url');
  }
}
