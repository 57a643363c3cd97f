import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Client } from '../../support/graphql/client.js';
import { credits } from './parents.js';
import { GraphqlService } from './service.js';

const SET_WARNING = 'mutation ($credits: Credits) { setLowBalanceWarning(credits: $credits) { lowBalanceWarning } }';

let service: GraphqlService;
let owner: Client;

beforeAll(async () => {
  service = await GraphqlService.start();
  owner = await service.signedIn('owner@example.com');
});
afterAll(() => service.stop());

describe('credits over GraphQL', () => {
  it('beyond 2^53 micro-credits are exact to the last digit', async () => {
    await credits(service, owner.accountId, { masterMicros: 9_007_199_254_740_993n });
    const { wallet } = await owner.data('{ wallet { master entries { edges { node { amount balanceAfter } } } } }');
    expect(wallet.master).toBe('9007199254.740993');
    expect(wallet.entries.edges[0].node).toEqual({ amount: '9007199254.740993', balanceAfter: '9007199254.740993' });
    const set = async (amount: string) => (await owner.data(SET_WARNING, { credits: amount }))['setLowBalanceWarning'];
    for (const amount of ['9007199254.740993', '9223372036854.775807', '0.000001']) {
      expect(await set(amount)).toEqual({ lowBalanceWarning: amount });
    }
  });

  it.each([
    '0.0000001',
    '1.1234567',
    '1e3',
    '9223372036854.775808',
    '99999999999999',
    ' 1',
    '1,5',
    '',
    '0x1',
    'NaN',
    '1.',
  ])('are refused, never rounded: %j', async (amount) => {
    await owner.data(SET_WARNING, { credits: '7' });
    expect((await owner.ask(SET_WARNING, { credits: amount })).errors).toHaveLength(1);
    expect((await owner.ask(SET_WARNING.replace('$credits)', `"${amount}")`), {})).errors.length).toBeGreaterThan(0);
    expect(await warning()).toBe('7');
  });

  it.each(['9007199254740993', '9007199254740992', '5', '5.5', '1e21'])(
    'are refused as JSON numbers: %s',
    async (number) => {
      await owner.data(SET_WARNING, { credits: '7' });
      const variables = await owner.send(
        `{"query": ${JSON.stringify(SET_WARNING)}, "variables": {"credits": ${number}}}`,
      );
      expect(variables.errors).toHaveLength(1);
      const literal = await owner.ask(`mutation { setLowBalanceWarning(credits: ${number}) { master } }`);
      expect(literal.errors).toHaveLength(1);
      expect(await warning()).toBe('7');
    },
  );
});

async function warning(): Promise<string | null> {
  return (await owner.data('{ wallet { lowBalanceWarning } }'))['wallet'].lowBalanceWarning;
}
