import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/**
 * What is to go wrong with a video, key or webhook endpoint of a test account, and what was simulated in it: see
 * `testFacts.ts`. Rows are never changed, except that `fold_test_facts` sums up old ones.
 */
export const TestFault = defineEntity({
  name: 'TestFault',
  tableName: 'test_fault',
  properties: {
    accountId: p.uuid().primary(),
    /** Of the video, key or endpoint; the fact's own id. */
    subjectId: p.uuid().primary(),
    fault: p.text(),
    /** Of READY_AFTER_N_SECONDS and CLOCK_MOVED. */
    seconds: p.integer().nullable(),
    /** Of earlier moves that a CLOCK_MOVED stands for, too. */
    foldedSeconds: p.double().nullable(),
    /** The payment of a dispute; the dispute that was won or lost. */
    aboutId: p.uuid().nullable(),
    /** Of PAYMENT_MADE and STORAGE_CHARGED. */
    amountMicros: p.bigint('bigint').nullable(),
    /** `null` for most faults. */
    createdAt: p.datetime().nullable(),
  },
});
export type TestFault = InferEntity<typeof TestFault>;
