import { createHmac } from 'node:crypto';

/** Before the base64 of a secret, as people see it. */
export const SECRET_PREFIX = 'whsec_';

/** The headers of Standard Webhooks, signed with each key. The same id stands for the same event in every attempt. */
export function signedHeaders(keys: readonly Buffer[], id: string, body: string, now: Date): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  const signatures = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  );
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
