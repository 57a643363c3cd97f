import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** One closing of an account, from `closedAt` until its owner reopened it or its data was erased. */
export const AccountClosing = defineEntity({
  name: 'AccountClosing',
  tableName: 'account_closing',
  properties: {
    accountId: p.uuid().primary(),
    id: p.uuid().primary(),
    closedAt: p.datetime(),
    eraseAfter: p.datetime(),
    /** Since then no job is left, and everything that can be refunded was requested. */
    settledAt: p.datetime().nullable(),
    /** When a chore last took it up to settle it, and to erase its account: those that waited longest come first. */
    settleTriedAt: p.datetime().nullable(),
    eraseTriedAt: p.datetime().nullable(),
    reopenedAt: p.datetime().nullable(),
    erasedAt: p.datetime().nullable(),
    /** When it was erased, or its money last moved after that. Null again a day later, if nothing is owed. */
    owedAt: p.datetime().nullable(),
    /** Credits that no payment stood for, which ended with the account. */
    lapsedMicros: p.bigint('bigint').nullable(),
  },
});
export type AccountClosing = InferEntity<typeof AccountClosing>;
