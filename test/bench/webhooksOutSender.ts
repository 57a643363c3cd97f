/** The sending half of `webhooksOut.ts`, as a worker runs it, in its own process: its memory is the one measured. */
import { argv } from 'node:process';

import { pino } from 'pino';

import { PostgresEvents } from '../../src/adapters/events/postgresEvents.js';
import { HttpWebhookSender } from '../../src/adapters/webhooks/httpSender.js';
import { parseNetworks } from '../../src/adapters/webhooks/networks.js';
import { PostgresDatabase } from '../../src/db/database.js';
import { WebhookDeliverer } from '../../src/domain/accounts/webhooks/deliverer.js';
import { WebhookSecrets } from '../../src/domain/accounts/webhooks/webhookSecrets.js';

const { url, masterKey } = JSON.parse(argv[2]!) as { url: string; masterKey: string };
const logger = pino({ level: 'silent' });
const db = await PostgresDatabase.connect({ url, maxConnections: 20 });
const deliverer = new WebhookDeliverer({
  db,
  secrets: new WebhookSecrets({ current: Buffer.from(masterKey, 'base64'), previous: [] }),
  sender: new HttpWebhookSender({ allowsHttp: true, allowedNetworks: parseNetworks('127.0.0.0/8') }),
  logger,
});
const events = new PostgresEvents({
  url,
  logger,
  onEvent: (event) => event.kind === 'event' && deliverer.wake(event.accountId),
});
events.start();
deliverer.start();
process.on('SIGTERM', () => {
  void Promise.all([deliverer.stop(), events.stop()]).then(() => db.close());
});
// What it holds once everything that can be collected is.
process.on('message', () => {
  gc!();
  process.send?.(Math.round(process.memoryUsage().heapUsed / 1024 / 1024));
});
process.send?.('started');
process.channel?.unref();
