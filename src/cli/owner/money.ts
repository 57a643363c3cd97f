import { IN_TEST_MODE, type Invocation, type OwnerCommand } from './command.js';
import { bytes, minute } from './output.js';
import { collect, type Page } from './pages.js';

export const WALLET = `{
  wallet { master creative cloud ai escrow refundHold disputeHold debt }
  storage { bytes creditsPerDay runwayDays }
}`;
export const STATEMENT = `query ($first: Int!, $after: String) {
  wallet {
    entries(first: $first, after: $after) {
      edges { node { id createdAt type account amount balanceAfter reference videoId } }
      pageInfo { endCursor hasNextPage }
    }
  }
}`;
export const KEYS = '{ apiKeys { id name prefix last4 dailyQuota usedToday createdAt revokedAt } }';

interface WalletData {
  readonly wallet: Readonly<Record<string, string>>;
  readonly storage: { readonly bytes: number; readonly creditsPerDay: string; readonly runwayDays: number | null };
}

interface Entry {
  readonly createdAt: string;
  readonly type: string;
  readonly account: string;
  readonly amount: string;
  readonly balanceAfter: string;
  readonly reference: string | null;
  readonly videoId: string | null;
}

interface EntryPage {
  readonly wallet: {
    readonly entries: Page<Entry>;
  };
}

interface Key {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly last4: string;
  readonly dailyQuota: number;
  readonly usedToday: number;
  readonly createdAt: string;
  readonly revokedAt: string | null;
}

export const wallet: OwnerCommand = {
  name: 'wallet',
  positionals: [],
  options: {},
  summary: 'shows your credits and what storage costs',
  async run({ output, api }: Invocation): Promise<void> {
    const data = await (await api()).ask<WalletData>(WALLET);
    const { wallet: balances, storage } = data;
    const names: [key: string, name: string][] = [
      ['master', 'Unallocated'],
      ['creative', 'Creative'],
      ['cloud', 'Cloud'],
      ['ai', 'AI'],
      ['escrow', 'In escrow'],
      ['refundHold', 'Held for refunds'],
      ['disputeHold', 'Held for disputes'],
      ['debt', 'Unpaid balance'],
    ];
    const runway = storage.runwayDays === null ? '' : `, paid for ${storage.runwayDays} days`;
    output.list(data, [
      ...names.map(([key, name]): readonly [string, string] => [name, balances[key]!]),
      ['Storage', `${bytes(storage.bytes)}, ${storage.creditsPerDay} credits a day${runway}`],
    ]);
  },
};

export const statement: OwnerCommand = {
  name: 'statement',
  positionals: [],
  options: { limit: { type: 'string' } },
  summary: 'lists ledger entries, newest first [--limit N]',
  async run({ options, output, api }: Invocation): Promise<void> {
    const entries = await collect(
      { options, api },
      async (service, position) => (await service.ask<EntryPage>(STATEMENT, { ...position })).wallet.entries,
    );
    const found = entries.map((entry) => ({
      ...entry,
      type: entry.type.toLowerCase(),
      account: entry.account.toLowerCase(),
    }));
    output.table(
      found,
      ['WHEN (UTC)', 'TYPE', 'ACCOUNT', 'AMOUNT', 'BALANCE', 'WHAT'],
      found.map((entry) => [
        minute(entry.createdAt),
        entry.type,
        entry.account,
        entry.amount,
        entry.balanceAfter,
        entry.videoId ?? entry.reference ?? '',
      ]),
      'No ledger entries.',
    );
  },
};

export const keys: OwnerCommand = {
  name: 'keys',
  positionals: [],
  options: IN_TEST_MODE,
  summary: 'lists your API keys',
  async run({ output, api }: Invocation): Promise<void> {
    const { apiKeys } = await (await api()).ask<{ apiKeys: readonly Key[] }>(KEYS);
    output.table(
      apiKeys,
      ['ID', 'NAME', 'KEY', 'CREATED', 'REVOKED'],
      apiKeys.map((key) => [
        key.id,
        key.name,
        `${key.prefix}…${key.last4}`,
        minute(key.createdAt),
        minute(key.revokedAt),
      ]),
      'No API keys.',
    );
  },
};

export const quota: OwnerCommand = {
  name: 'quota',
  positionals: [],
  options: IN_TEST_MODE,
  summary: 'shows what each key has used of its daily playback tokens',
  async run({ output, api }: Invocation): Promise<void> {
    const { apiKeys } = await (await api()).ask<{ apiKeys: readonly Key[] }>(KEYS);
    const live = apiKeys.filter(({ revokedAt }) => revokedAt === null);
    output.table(
      live.map(({ id, name, usedToday, dailyQuota }) => ({ id, name, usedToday, dailyQuota })),
      ['NAME', 'KEY', 'USED TODAY', 'DAILY QUOTA'],
      live.map((key) => [key.name, `${key.prefix}…${key.last4}`, String(key.usedToday), String(key.dailyQuota)]),
      'No API keys.',
    );
  },
};
