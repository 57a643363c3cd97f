import { KEY_FAULTS, WEBHOOK_FAULTS } from '../../domain/accounts/testMode/testFaults.js';
import type { OwnerApi } from './api.js';
import type { Invocation, OwnerCommand } from './command.js';
import { UsageError } from './errors.js';

export const CREATE_TEST_KEY = `mutation ($name: String!, $fault: TestKeyFault!) {
  createApiKey(name: $name, testFault: $fault) { key apiKey { id } }
}`;
export const CREATE_TEST_ENDPOINT = `mutation ($url: String!, $description: String!, $fault: TestWebhookFault!) {
  createWebhookEndpoint(url: $url, description: $description, testFault: $fault) { secret endpoint { id url } }
}`;
export const SIMULATE_DISPUTE = 'mutation { simulatePaymentDispute }';

interface CreatedKey {
  readonly createApiKey: { readonly key: string; readonly apiKey: { readonly id: string } };
}

interface CreatedEndpoint {
  readonly createWebhookEndpoint: {
    readonly secret: string;
    readonly endpoint: { readonly id: string; readonly url: string };
  };
}

const DISPUTE = 'payment-disputed';
const KEY_NAMES = KEY_FAULTS.map(named);
const WEBHOOK_NAMES = WEBHOOK_FAULTS.map(named);
const NAMES = [...KEY_NAMES, ...WEBHOOK_NAMES, DISPUTE];

/** The faults of docs/test-mode.md, except those of videos: uploads are for the dashboard alone. */
export const fault: OwnerCommand = {
  name: 'fault',
  positionals: ['<fault>'],
  options: { url: { type: 'string' } },
  choices: { '<fault>': NAMES },
  summary: 'makes something of test mode that fails on purpose [--url URL: where webhooks go]',
  async run({ positionals: [name = ''], options, output, api }: Invocation): Promise<void> {
    if (!NAMES.includes(name)) throw new UsageError(`dhara fault takes one of ${NAMES.join(', ')}.`);
    const url = options['url'];
    const isWebhook = WEBHOOK_NAMES.includes(name);
    if (isWebhook !== (typeof url === 'string')) {
      throw new UsageError(`--url is the address for webhooks, with one of ${WEBHOOK_NAMES.join(', ')}.`);
    }
    const service = await api('test');
    if (name === DISPUTE) {
      await service.ask(SIMULATE_DISPUTE);
      output.line({ fault: name }, 'dispute.opened is in the event log of test mode.');
    } else if (isWebhook) {
      const { endpoint, secret } = await createEndpoint(service, name, url as string);
      output.line({ fault: name, ...endpoint, secret }, `Webhooks to ${endpoint.url} are signed with ${secret}`);
    } else {
      const variables = { name, fault: enumOf(name) };
      const { createApiKey: created } = await service.ask<CreatedKey>(CREATE_TEST_KEY, variables);
      output.line({ fault: name, id: created.apiKey.id, key: created.key }, created.key);
    }
  },
};

async function createEndpoint(service: OwnerApi, name: string, url: string) {
  const variables = { url, description: name, fault: enumOf(name) };
  return (await service.ask<CreatedEndpoint>(CREATE_TEST_ENDPOINT, variables)).createWebhookEndpoint;
}

/** OUT_OF_ORDER as people type it: out-of-order. */
function named(fault: string): string {
  return fault.toLowerCase().replaceAll('_', '-');
}

function enumOf(name: string): string {
  return name.toUpperCase().replaceAll('-', '_');
}
