import type { Request } from 'express';

import { parseCredits } from '../../domain/ledger/credits.js';
import { LEDGER_ACCOUNTS, type LedgerAccountName } from '../../domain/ledger/ledgerAccounts.js';
import type { LedgerFilter } from '../../domain/ledger/ledgerFilter.js';
import { LEDGER_TX_TYPES } from '../../domain/ledger/ledgerRules.js';
import { AppError } from '../../errors.js';

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?Z$/;
const ACCOUNTS = Object.keys(LEDGER_ACCOUNTS) as LedgerAccountName[];

/** The filter in the address of `ledger.csv`. @throws INVALID_INPUT, so that an unknown filter sends no other entries */
export function ledgerFilterOf({ query }: Request): LedgerFilter {
  const { bucket, type, from, to, video, amount } = query;
  if (video !== undefined && typeof video !== 'string') throw invalid('video is one id.');
  return {
    accounts: bucket === undefined ? null : [oneOf(ACCOUNTS, bucket, 'bucket')],
    types: type === undefined ? null : [oneOf(LEDGER_TX_TYPES, type, 'type')],
    from: from === undefined ? null : timeOf(from, 'from'),
    to: to === undefined ? null : timeOf(to, 'to'),
    videoId: video ?? null,
    amountMicros: amount === undefined ? null : parseCredits(typeof amount === 'string' ? amount : ''),
  };
}

function oneOf<Name extends string>(names: readonly Name[], given: unknown, field: string): Name {
  const found = names.find((name) => name === given);
  if (found === undefined) throw invalid(`${field} is one of ${names.join(', ')}.`);
  return found;
}

function timeOf(given: unknown, field: string): Date {
  const time = typeof given === 'string' && TIME.test(given) ? new Date(given) : null;
  if (time === null || Number.isNaN(time.getTime())) throw invalid(`${field} is a time, such as 2026-10-01T00:00:00Z.`);
  return time;
}

function invalid(message: string): AppError {
  return new AppError('INVALID_INPUT', message);
}
