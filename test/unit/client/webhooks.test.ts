import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';

import { verifyWebhook, WebhookVerificationError } from '../../../src/client/index.js';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OTHER = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const PAYLOAD = '{"id":"evt_1","type":"video.ready","timestamp":"2026-05-04T09:30:00.000Z","data":{"title":"Fête 🎬"}}';
const NOW = new Date('2026-05-04T09:30:10.000Z');

/** Signed by the library of the specification's authors. */
function signed(payload = PAYLOAD, secret = SECRET, at = NOW): Record<string, string> {
  return {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('evt_1', at, payload),
  };
}

describe('verifyWebhook', () => {
  it('returns the event of a signed message, from text, bytes, and any kind of headers', async () => {
    const event = JSON.parse(PAYLOAD) as object;
    const upper = Object.fromEntries(Object.entries(signed()).map(([name, value]) => [name.toUpperCase(), value]));
    for (const headers of [signed(), upper, new Headers(signed())]) {
      expect(await verifyWebhook(PAYLOAD, headers, SECRET, { now: NOW })).toEqual(event);
      expect(await verifyWebhook(new TextEncoder().encode(PAYLOAD), headers, SECRET, { now: NOW })).toEqual(event);
    }
  });

  it('accepts both secrets and both signatures during a rotation', async () => {
    const headers = signed();
    expect(await verifyWebhook(PAYLOAD, headers, [OTHER, SECRET], { now: NOW })).toMatchObject({ id: 'evt_1' });
    const both = `${signed(PAYLOAD, OTHER)['webhook-signature']!} ${headers['webhook-signature']!} v1a,AAAA`;
    const rotated = { ...headers, 'webhook-signature': both };
    expect(await verifyWebhook(PAYLOAD, rotated, SECRET, { now: NOW })).toMatchObject({ id: 'evt_1' });
  });

  it.each([
    ['another body', PAYLOAD.replace('ready', 'failed'), signed(), SECRET],
    ['a body with one more space', `${PAYLOAD} `, signed(), SECRET],
    ['another secret', PAYLOAD, signed(), OTHER],
    ['another id', PAYLOAD, { ...signed(), 'webhook-id': 'evt_2' }, SECRET],
    ['another time', PAYLOAD, { ...signed(), 'webhook-timestamp': '1777887011' }, SECRET],
    ['an old message', PAYLOAD, signed(PAYLOAD, SECRET, new Date(NOW.getTime() - 301_000)), SECRET],
    ['a message from the future', PAYLOAD, signed(PAYLOAD, SECRET, new Date(NOW.getTime() + 301_000)), SECRET],
    ['no signature', PAYLOAD, { ...signed(), 'webhook-signature': '' }, SECRET],
    ['a signature that is not base64', PAYLOAD, { ...signed(), 'webhook-signature': 'v1,%%%' }, SECRET],
    ['an empty signature', PAYLOAD, { ...signed(), 'webhook-signature': 'v1,' }, SECRET],
    [
      'another version',
      PAYLOAD,
      { ...signed(), 'webhook-signature': signed()['webhook-signature']!.replace('v1', 'v2') },
      SECRET,
    ],
    ['a time that is not a number', PAYLOAD, { ...signed(), 'webhook-timestamp': 'now' }, SECRET],
    ['no headers', PAYLOAD, {}, SECRET],
    ['an empty secret', PAYLOAD, signed(), ''],
    ['no secret', PAYLOAD, signed(), []],
  ])('refuses %s', async (_case, payload, headers, secret) => {
    await expect(verifyWebhook(payload, headers, secret, { now: NOW })).rejects.toBeInstanceOf(
      WebhookVerificationError,
    );
  });
});
