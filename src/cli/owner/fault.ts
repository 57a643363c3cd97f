import { KEY_FAULTS, WEBHOOK_FAULTS } from '../../domain/accounts/testMode/testFaults.js';
import type { OwnerApi } from './api.js';
import type { Invocation, OwnerCommand } from './command.js';
import { ServiceError } from './errors.js';
import { UsageError } from '../usageError.js';

export const CREATE_TEST_KEY = `mutation ($name: String!, $fault: TestKeyFault!) {
  createApiKey(name: $name, testFault: $fault) { key apiKey { id } }
}`;
export const CREATE_TEST_ENDPOINT = `mutation ($url: String!, $description: String!, $fault: TestWebhookFault!) {
  createWebhookEndpoint(url: $url, description: $description, testFault: $fault) { secret endpoint { id url } }
}`;
const WALLET = 'available disputeHold debt payments { id amount dispute { state } }';
export const TEST_WALLET = `{ testWallet { ${WALLET} } }`;
export const SIMULATE_DISPUTE = 'mutation { simulatePaymentDispute { id amount } }';
export const END_DISPUTE = `mutation ($id: ID!, $outcome: TestDisputeOutcome!) {
  endPaymentDispute(paymentId: $id, outcome: $outcome) { id amount }
}`;
export const MOVE_CLOCK = 'mutation ($seconds: Int!) { moveTestClock(seconds: $seconds) { movedSeconds now } }';

interface CreatedKey {
  readonly createApiKey: { readonly key: string; readonly apiKey: { readonly id: string } };
}

interface CreatedEndpoint {
  readonly createWebhookEndpoint: {
    readonly secret: string;
    readonly endpoint: { readonly id: string; readonly url: string };
  };
}

interface TestWallet {
  readonly available: string;
  readonly disputeHold: string;
  readonly debt: string;
  readonly payments: readonly { readonly id: string; readonly dispute: { readonly state: string } | null }[];
}

const KEY_NAMES = KEY_FAULTS.map(named);
const WEBHOOK_NAMES = WEBHOOK_FAULTS.map(named);
/** What happens to the open dispute of the newest payment. */
const OUTCOMES: Readonly<Record<string, string>> = { 'dispute-won': 'WON', 'dispute-lost': 'LOST' };
const DISPUTE = 'payment-disputed';
const CLOCK = 'clock-moved';
const NAMES = [...KEY_NAMES, ...WEBHOOK_NAMES, CLOCK, DISPUTE, ...Object.keys(OUTCOMES)];
const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** The faults of docs/test-mode.md, except those of videos: uploads are for the dashboard alone. */
export const fault: OwnerCommand = {
  name: 'fault',
  positionals: ['<fault>'],
  options: { url: { type: 'string' }, by: { type: 'string' } },
  choices: { '<fault>': NAMES },
  summary:
    'makes something of test mode that fails on purpose [--url URL: where webhooks go] [--by 6h: a move of the clock]',
  async run(invocation: Invocation): Promise<void> {
    const { positionals, options, api } = invocation;
    const [name = ''] = positionals;
    if (!NAMES.includes(name)) throw new UsageError(`dhara fault takes one of ${NAMES.join(', ')}.`);
    const isWebhook = WEBHOOK_NAMES.includes(name);
    if (isWebhook !== (typeof options['url'] === 'string')) {
      throw new UsageError(`--url is the address for webhooks, with one of ${WEBHOOK_NAMES.join(', ')}.`);
    }
    const seconds = secondsOf(options['by']);
    if ((name === CLOCK) !== (seconds !== null)) {
      throw new UsageError(`--by is how far the clock moves, such as 90s, 10m, 6h or 3d, with ${CLOCK}.`);
    }
    const service = await api('test');
    if (seconds !== null) await moveClock(service, seconds, invocation);
    else if (name === DISPUTE || OUTCOMES[name]) await dispute(service, name, invocation);
    else if (isWebhook) await createEndpoint(service, name, invocation);
    else await createKey(service, name, invocation);
  },
};

async function moveClock(service: OwnerApi, seconds: number, { output }: Invocation): Promise<void> {
  const { moveTestClock: clock } = await service.ask<{ moveTestClock: { movedSeconds: number; now: string } }>(
    MOVE_CLOCK,
    { seconds },
  );
  output.line({ fault: CLOCK, ...clock }, `In test mode it is ${clock.now}.`);
}

async function dispute(service: OwnerApi, name: string, { output }: Invocation): Promise<void> {
  const outcome = OUTCOMES[name];
  if (outcome === undefined) {
    await service.ask(SIMULATE_DISPUTE);
  } else {
    const { testWallet: before } = await service.ask<{ testWallet: TestWallet }>(TEST_WALLET);
    const open = before.payments.find((payment) => payment.dispute?.state === 'OPEN');
    if (!open) throw new ServiceError(`No payment is disputed. Use dhara fault ${DISPUTE} first.`, 'INVALID_STATE');
    await service.ask(END_DISPUTE, { id: open.id, outcome });
  }
  const { testWallet } = await service.ask<{ testWallet: TestWallet }>(TEST_WALLET);
  const { available, disputeHold, debt } = testWallet;
  const said = outcome === undefined ? 'dispute.opened is in the event log of test mode. ' : '';
  output.line(
    { fault: name, available, disputeHold, debt },
    `${said}Credits available: ${available}, on hold: ${disputeHold}, debt: ${debt}.`,
  );
}

async function createEndpoint(service: OwnerApi, name: string, { options, output }: Invocation): Promise<void> {
  const variables = { url: options['url'], description: name, fault: enumOf(name) };
  const { endpoint, secret } = (await service.ask<CreatedEndpoint>(CREATE_TEST_ENDPOINT, variables))
    .createWebhookEndpoint;
  output.line({ fault: name, ...endpoint, secret }, `Webhooks to ${endpoint.url} are signed with ${secret}`);
}

async function createKey(service: OwnerApi, name: string, { output }: Invocation): Promise<void> {
  const variables = { name, fault: enumOf(name) };
  const { createApiKey: created } = await service.ask<CreatedKey>(CREATE_TEST_KEY, variables);
  output.line({ fault: name, id: created.apiKey.id, key: created.key }, created.key);
}

/** `null` for none. @throws UsageError for what is no time */
function secondsOf(by: unknown): number | null {
  if (typeof by !== 'string') return null;
  const [, count = '', unit = ''] = /^(\d{1,7})([smhd])$/.exec(by) ?? [];
  if (Number(count) === 0) throw new UsageError('--by takes a time such as 90s, 10m, 6h or 3d.');
  return Number(count) * SECONDS[unit]!;
}

/** OUT_OF_ORDER as people type it: out-of-order. */
function named(fault: string): string {
  return fault.toLowerCase().replaceAll('_', '-');
}

function enumOf(name: string): string {
  return name.toUpperCase().replaceAll('-', '_');
}
