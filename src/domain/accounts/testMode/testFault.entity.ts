import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** What is to go wrong with a video, key or webhook endpoint of a test account. */
export const TestFault = defineEntity({
  name: 'TestFault',
  tableName: 'test_fault',
  properties: {
    accountId: p.uuid().primary(),
    /** Of the video, key or endpoint. */
    subjectId: p.uuid().primary(),
    fault: p.text(),
    seconds: p.integer().nullable(),
  },
});
export type TestFault = InferEntity<typeof TestFault>;
