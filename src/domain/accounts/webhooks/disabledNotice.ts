import type { NewNotice } from '../notices/queueNotice.js';
import type { DisabledReason } from './endpoint.sql.js';

/** Tells the owner that nothing is sent to an endpoint any more. */
export function disabledNotice(endpoint: {
  readonly accountId: string;
  readonly endpointId: string;
  readonly url: string;
  readonly reason: DisabledReason;
  readonly at: Date;
}): NewNotice {
  const { accountId, endpointId, url, reason, at } = endpoint;
  const why =
    reason === 'gone'
      ? 'It responded with 410 Gone.'
      : 'Every attempt to deliver an event to it failed for three days.';
  return {
    accountId,
    key: `webhook:disabled:${endpointId}:${at.toISOString()}`,
    subject: 'A webhook endpoint was disabled',
    body: [
      `Dhara no longer sends events to this webhook endpoint:`,
      '',
      url,
      '',
      why,
      '',
      'The log of attempts is on the Webhooks page of your dashboard. Enable the endpoint there when it works again. Events',
      'that were waiting are then sent, and you can replay those that happened in between.',
    ].join('\n'),
  };
}
