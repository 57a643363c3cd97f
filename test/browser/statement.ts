import { readFile } from 'node:fs/promises';

import type { Page } from 'playwright-core';

import { parseCsv } from '../support/billing/csv.js';

export interface ReadStatement {
  /** Account and amount of each entry, by type; sorted by the account's name. */
  readonly changes: Record<string, [account: string, amount: string][]>;
  readonly closing: Record<string, string>;
  /** Entries whose balance is not the previous one plus the change. */
  readonly faults: string[];
}

/** Reads a month's statement as an accountant does: recalculates every balance. */
export function readStatement(csv: Buffer): ReadStatement {
  const balances = new Map<string, bigint>();
  const statement: ReadStatement = { changes: {}, closing: {}, faults: [] };
  for (const [record, , account = '', type = '', , amount = '', balance = ''] of parseCsv(csv.toString())) {
    const before = balances.get(account) ?? 0n;
    if (record === 'opening') balances.set(account, micros(balance));
    if (record === 'entry') {
      balances.set(account, before + micros(amount));
      (statement.changes[type] ??= []).push([account, amount]);
    }
    if (record === 'closing') statement.closing[account] = balance;
    if (record !== 'entry' && record !== 'closing') continue;
    if (balances.get(account) !== micros(balance)) statement.faults.push(`${record} ${account} ${type}: ${balance}`);
  }
  for (const entries of Object.values(statement.changes)) entries.sort(([one], [other]) => (one < other ? -1 : 1));
  return statement;
}

function micros(credits: string): bigint {
  const [, sign = '', whole = '', part = ''] = /^(-?)(\d+)(?:\.(\d{1,6}))?$/.exec(credits) ?? [];
  return BigInt(`${sign}${whole}${part.padEnd(6, '0')}`);
}

/** The file that a link on the page downloads. */
export async function download(page: Page, name: RegExp): Promise<Buffer> {
  const started = page.waitForEvent('download');
  await page.getByRole('link', { name }).first().click();
  return readFile(await (await started).path());
}
