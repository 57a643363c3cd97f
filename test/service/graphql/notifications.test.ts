import { afterAll, beforeAll, expect, it } from 'vitest';

import type { Client } from '../../support/graphql/client.js';
import { GraphqlService } from './service.js';

const LIST = '{ notifications { kind email dashboard } }';
const SET = `mutation ($kind: SwitchableNotification!, $email: Boolean, $dashboard: Boolean) {
  setNotification(kind: $kind, email: $email, dashboard: $dashboard) { kind email dashboard }
}`;

let service: GraphqlService;
let asha: Client;
let bina: Client;

beforeAll(async () => {
  service = await GraphqlService.start();
  asha = await service.signedIn('asha@example.com');
  bina = await service.signedIn('bina@example.com');
});
afterAll(() => service?.stop());

it('owners choose what they hear of, by kind and channel, each for their own account', async () => {
  const { notifications } = await asha.data(LIST);
  expect(notifications).toEqual([
    { kind: 'VIDEO_READY', email: true, dashboard: true },
    { kind: 'VIDEO_FAILED', email: true, dashboard: true },
    { kind: 'WALLET_LOW', email: true, dashboard: null },
    { kind: 'WALLET_RUNWAY_SHORT', email: true, dashboard: null },
    { kind: 'WEBHOOK_DISABLED', email: true, dashboard: null },
  ]);
  // Two channels that are changed at once keep both changes.
  await Promise.all([
    asha.data(SET, { kind: 'VIDEO_READY', email: false }),
    asha.data(SET, { kind: 'VIDEO_READY', dashboard: false }),
  ]);
  const after = await asha.data(LIST);
  expect(after['notifications'][0]).toEqual({ kind: 'VIDEO_READY', email: false, dashboard: false });
  expect(after['notifications'].slice(1)).toEqual(notifications.slice(1));
  expect((await bina.data(LIST))['notifications']).toEqual(notifications);
});

it('refuses a channel that a kind does not have, and kinds that are always sent', async () => {
  expect(await asha.code(SET, { kind: 'WALLET_LOW', dashboard: false })).toBe('INVALID_INPUT');
  for (const kind of ['TOPUP_CREDITED', 'PASSWORD_CHANGED', 'STORAGE_ARREARS']) {
    expect((await asha.ask(SET, { kind, email: false })).errors).toHaveLength(1);
  }
});
