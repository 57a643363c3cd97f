import { parseVideoId, videoIdOf } from '../../domain/ids.js';
import type { Balances, LedgerLine } from '../../domain/wallet/wallet.service.js';
import type { LedgerAccount } from '../types/enums.js';
import type { LedgerEntry, Wallet } from '../types/wallet.js';

export function walletView(accountId: string, balances: Balances): Wallet {
  return {
    accountId,
    master: balances.MASTER,
    cloud: balances.CLOUD,
    ai: balances.AI,
    creative: balances.CREATIVE,
    escrow: balances.ESCROW,
    debt: balances.DEBT,
  };
}

export function ledgerEntryView(line: LedgerLine): LedgerEntry {
  return {
    id: line.id,
    transactionId: line.txId,
    type: line.type,
    // The service shows owners no account of the company's.
    account: line.account as LedgerAccount,
    amount: line.deltaMicros,
    balanceAfter: line.balanceAfterMicros,
    reference: line.reference,
    videoId: videoIdIn(line),
    createdAt: line.createdAt,
  };
}

function videoIdIn({ type, reference }: LedgerLine): string | null {
  const isAboutVideo = type === 'ESCROW_LOCK' || type === 'ESCROW_SETTLE' || type === 'ESCROW_RELEASE';
  const uuid = isAboutVideo && reference !== null ? parseVideoId(reference) : null;
  return uuid && videoIdOf(uuid);
}
