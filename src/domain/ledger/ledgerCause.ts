import { isUuid } from '../shared/ids.js';
import type { LedgerTxType } from './ledgerRules.js';

/** What a posting records about itself. */
export interface PostingFacts {
  readonly type: LedgerTxType;
  readonly idempotencyKey: string;
  readonly reference: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

/** What caused a posting. The ids are those recorded in the books; what they refer to may be deleted by now. */
export type LedgerCause =
  | { readonly kind: 'video'; readonly videoId: string; readonly attempt: number | null }
  | { readonly kind: 'topUp'; readonly topUpId: string | null; readonly provider: string; readonly paymentId: string }
  | { readonly kind: 'refund'; readonly topUpId: string | null; readonly provider: string; readonly refundId: string }
  | { readonly kind: 'dispute'; readonly topUpId: string | null; readonly provider: string; readonly disputeId: string }
  | { readonly kind: 'storage'; readonly date: string; readonly isReversal: boolean }
  | { readonly kind: 'referral'; readonly role: 'referrer' | 'invitee'; readonly isClawBack: boolean }
  | { readonly kind: 'adjustment'; readonly reason: string }
  | Allocation;

/** The video or the UTC day for which a bucket drew the credits from MASTER; both `null` if the owner moved them. */
interface Allocation {
  readonly kind: 'allocation';
  readonly repaysDebt: boolean;
  readonly videoId: string | null;
  readonly date: string | null;
  /** Whether a storage charge was reversed, and what was drawn for it went back. */
  readonly isReversal: boolean;
}

const ISO_DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Derives the cause from a posting; `null` if the posting does not say. */
export function causeOf({ type, idempotencyKey, reference, metadata }: PostingFacts): LedgerCause | null {
  const [subject, ...parts] = idempotencyKey.split(':');
  const payment = {
    topUpId: reference !== null && isUuid(reference) ? reference : null,
    provider: metadata['provider'] ?? parts[0] ?? '',
  };
  switch (type) {
    case 'ESCROW_LOCK':
    case 'ESCROW_SETTLE':
    case 'ESCROW_RELEASE':
      return reference === null ? null : { kind: 'video', videoId: reference, attempt: attemptIn(parts) };
    case 'TOPUP':
      return { kind: 'topUp', ...payment, paymentId: metadata['payment'] ?? parts[1] ?? '' };
    case 'REFUND':
      // A clawed-back bonus is caused by a refund but is not a refund.
      if (subject === 'referral') return { kind: 'referral', role: roleIn(parts), isClawBack: true };
      return { kind: 'refund', ...payment, refundId: metadata['refund'] ?? metadata['request'] ?? parts[1] ?? '' };
    case 'DISPUTE':
      return { kind: 'dispute', ...payment, disputeId: metadata['dispute'] ?? parts[1] ?? '' };
    case 'STORAGE': {
      const date = parts.find((part) => ISO_DATE.test(part));
      return date === undefined ? null : { kind: 'storage', date, isReversal: parts.at(-1) === 'reversed' };
    }
    case 'REFERRAL_BONUS':
      return { kind: 'referral', role: roleIn(parts), isClawBack: false };
    case 'ALLOCATION':
      return {
        kind: 'allocation',
        repaysDebt: subject === 'debt',
        videoId: subject === 'escrow' ? reference : null,
        date: subject === 'storage' ? reference : null,
        isReversal: subject === 'storage' && parts.at(-1) === 'reversed',
      };
    case 'ADJUSTMENT':
      return { kind: 'adjustment', reason: metadata['reason'] ?? '' };
  }
}

function roleIn(parts: readonly string[]): 'referrer' | 'invitee' {
  return parts.includes('referrer') ? 'referrer' : 'invitee';
}

function attemptIn(parts: readonly string[]): number | null {
  const last = Number(parts.at(-1));
  return Number.isSafeInteger(last) && last > 0 ? last : null;
}
