import { env } from 'node:process';

import { pino } from 'pino';

import { HttpWebhookSender } from '../../../src/adapters/webhooks/httpSender.js';
import { parseNetworks } from '../../../src/adapters/webhooks/networks.js';
import { PostgresDatabase } from '../../../src/db/database.js';
import { WebhookDeliverer } from '../../../src/domain/accounts/webhooks/deliverer.js';
import { WebhookSecrets } from '../../../src/domain/accounts/webhooks/webhookSecrets.js';

/** A deliverer in its own process, to be killed. */
const { DATABASE_URL: url = '', MASTER_KEY: masterKey = '' } = env;
const db = await PostgresDatabase.connect({ url, maxConnections: 10 });
new WebhookDeliverer({
  db,
  secrets: new WebhookSecrets({ current: Buffer.from(masterKey, 'base64'), previous: [] }),
  sender: new HttpWebhookSender({ allowsHttp: true, allowedNetworks: parseNetworks('127.0.0.0/8') }),
  logger: pino({ level: 'silent' }),
  pollMs: 50,
}).start();
process.stdout.write('started\n');
