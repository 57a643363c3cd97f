import { LEDGER_ACCOUNTS, SPENDABLE_ACCOUNTS, type LedgerAccountName } from './ledgerAccounts.js';

export const LEDGER_TX_TYPES = [
  'TOPUP',
  'ALLOCATION',
  'ESCROW_LOCK',
  'ESCROW_SETTLE',
  'ESCROW_RELEASE',
  'STORAGE',
  'REFERRAL_BONUS',
  'REFUND',
  'DISPUTE',
  'ADJUSTMENT',
] as const;
export type LedgerTxType = (typeof LEDGER_TX_TYPES)[number];

/** The accounts that one kind of posting may take from and give to. It need not touch all of them. */
export interface PostingShape {
  readonly type: LedgerTxType;
  /** Unique within its type. */
  readonly shape: string;
  readonly from: readonly LedgerAccountName[];
  readonly to: readonly LedgerAccountName[];
}

/** Incoming credits repay DEBT first. */
const PUT_IN = ['MASTER', 'DEBT'] as const;
const TAKE_OUT = [...SPENDABLE_ACCOUNTS, 'DEBT'] as const;

/**
 * Every allowed posting. The database refuses all others, no matter which role calls `ledger_post`. A posting must fit
 * one shape of its type as a whole, so that what one case may take cannot be given in another.
 *
 * To add a kind of movement, add a shape here; `dhara migrate` writes it to `ledger_rule`.
 */
export const POSTING_SHAPES: readonly PostingShape[] = [
  { type: 'TOPUP', shape: 'credited', from: ['CASH'], to: PUT_IN },
  { type: 'TOPUP', shape: 'suspense', from: ['CASH'], to: ['SUSPENSE'] },

  ...SPENDABLE_ACCOUNTS.flatMap((from) =>
    SPENDABLE_ACCOUNTS.filter((to) => to !== from).map(
      (to) => ({ type: 'ALLOCATION', shape: `${from} to ${to}`, from: [from], to: [to] }) as const,
    ),
  ),
  { type: 'ALLOCATION', shape: 'debt repaid', from: ['MASTER'], to: ['DEBT'] },

  ...SPENDABLE_ACCOUNTS.flatMap(
    (bucket) =>
      [
        { type: 'ESCROW_LOCK', shape: bucket, from: [bucket], to: ['ESCROW'] },
        { type: 'ESCROW_SETTLE', shape: bucket, from: ['ESCROW'], to: ['REVENUE_PROCESSING', bucket, 'DEBT'] },
        { type: 'ESCROW_RELEASE', shape: bucket, from: ['ESCROW'], to: [bucket, 'DEBT'] },
      ] as const,
  ),

  { type: 'STORAGE', shape: 'charged', from: ['CLOUD', 'MASTER', 'DEBT'], to: ['REVENUE_STORAGE'] },
  { type: 'STORAGE', shape: 'reversed', from: ['REVENUE_STORAGE'], to: ['CLOUD', 'MASTER', 'DEBT'] },

  { type: 'REFERRAL_BONUS', shape: 'granted', from: ['PROMO'], to: PUT_IN },

  { type: 'REFUND', shape: 'held', from: ['MASTER'], to: ['REFUND_HOLD'] },
  { type: 'REFUND', shape: 'taken', from: ['REFUND_HOLD', 'DISPUTE_HOLD', ...TAKE_OUT], to: ['CASH'] },
  { type: 'REFUND', shape: 'hold left', from: ['REFUND_HOLD'], to: [...TAKE_OUT, 'DISPUTE_HOLD', 'CASH'] },
  { type: 'REFUND', shape: 'given back', from: ['CASH', 'REFUND_HOLD'], to: [...TAKE_OUT, 'DISPUTE_HOLD'] },
  { type: 'REFUND', shape: 'bonus taken back', from: TAKE_OUT, to: ['PROMO'] },
  { type: 'REFUND', shape: 'out of suspense', from: ['SUSPENSE'], to: ['CASH'] },
  { type: 'REFUND', shape: 'into suspense', from: ['CASH'], to: ['SUSPENSE'] },
  { type: 'REFUND', shape: 'credit withdrawn', from: ['DISPUTE_HOLD', ...TAKE_OUT], to: ['SUSPENSE'] },
  {
    type: 'REFUND',
    shape: 'held credit withdrawn',
    from: ['DISPUTE_HOLD', ...SPENDABLE_ACCOUNTS],
    to: ['SUSPENSE', ...SPENDABLE_ACCOUNTS],
  },

  { type: 'DISPUTE', shape: 'held', from: SPENDABLE_ACCOUNTS, to: ['DISPUTE_HOLD'] },
  { type: 'DISPUTE', shape: 'hold left', from: ['DISPUTE_HOLD'], to: SPENDABLE_ACCOUNTS },
  { type: 'DISPUTE', shape: 'lost', from: ['DISPUTE_HOLD', ...TAKE_OUT], to: ['CASH'] },
  { type: 'DISPUTE', shape: 'given back', from: ['CASH'], to: [...TAKE_OUT, 'DISPUTE_HOLD'] },
  { type: 'DISPUTE', shape: 'out of suspense', from: ['SUSPENSE'], to: ['CASH'] },
  { type: 'DISPUTE', shape: 'into suspense', from: ['CASH'], to: ['SUSPENSE'] },

  { type: 'ADJUSTMENT', shape: 'up', from: ['ADJUSTMENT'], to: PUT_IN },
  { type: 'ADJUSTMENT', shape: 'down', from: ['MASTER'], to: ['ADJUSTMENT'] },
];

/** A row of `ledger_rule`: in this shape, this account may change in this direction. */
export interface LedgerRule {
  readonly type: LedgerTxType;
  readonly shape: string;
  readonly accountNo: number;
  /** 1 if the account may be given to, -1 if it may be taken from. */
  readonly direction: 1 | -1;
}

export const LEDGER_RULES: readonly LedgerRule[] = POSTING_SHAPES.flatMap(({ type, shape, from, to }) => [
  ...from.map((name) => ({ type, shape, accountNo: LEDGER_ACCOUNTS[name], direction: -1 as const })),
  ...to.map((name) => ({ type, shape, accountNo: LEDGER_ACCOUNTS[name], direction: 1 as const })),
]);
