import { parseVideoId, videoIdOf } from '../../../domain/shared/ids.js';
import type { LedgerLine } from '../../../domain/ledger/ledgerLines.js';
import type { Balances } from '../../../domain/ledger/wallet.service.js';
import type { LedgerAccount } from '../types/enums.js';
import type { LedgerCause } from '../types/ledgerCause.js';
import type { LedgerEntry, Wallet } from '../types/wallet.js';

export function walletView(accountId: string, balances: Balances): Wallet {
  return {
    accountId,
    master: balances.MASTER,
    cloud: balances.CLOUD,
    ai: balances.AI,
    creative: balances.CREATIVE,
    escrow: balances.ESCROW,
    refundHold: balances.REFUND_HOLD,
    disputeHold: balances.DISPUTE_HOLD,
    debt: balances.DEBT,
  };
}

export function ledgerEntryView(accountId: string, line: LedgerLine): LedgerEntry {
  return {
    id: line.id,
    transactionId: line.txId,
    type: line.type,
    // Owners never see the company's ledger accounts.
    account: line.account as LedgerAccount,
    amount: line.deltaMicros,
    balanceAfter: line.balanceAfterMicros,
    reference: line.reference,
    videoId: videoIdIn(line),
    cause: causeView(accountId, line),
    createdAt: line.createdAt,
  };
}

function videoIdIn({ type, reference }: LedgerLine): string | null {
  const isAboutVideo = type === 'ESCROW_LOCK' || type === 'ESCROW_SETTLE' || type === 'ESCROW_RELEASE';
  const uuid = isAboutVideo && reference !== null ? parseVideoId(reference) : null;
  return uuid && videoIdOf(uuid);
}

function causeView(accountId: string, { cause, txId, createdAtText }: LedgerLine): LedgerCause | null {
  if (cause?.kind === 'video') return { ...cause, accountId, uuid: cause.videoId, videoId: videoIdOf(cause.videoId) };
  if (cause?.kind === 'allocation') {
    const { videoId, date: drawnForDay, ...rest } = cause;
    const drawnFor = videoId === null ? null : videoIdOf(videoId);
    return { ...rest, drawnFor, drawnForDay, accountId, txId, at: createdAtText };
  }
  return cause;
}
