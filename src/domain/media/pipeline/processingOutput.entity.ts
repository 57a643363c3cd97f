import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** The prefix that one run writes to, kept until the store holds nothing of it. */
export const ProcessingOutput = defineEntity({
  name: 'ProcessingOutput',
  tableName: 'processing_output',
  properties: {
    accountId: p.uuid().primary(),
    videoId: p.uuid().primary(),
    attempt: p.integer().primary(),
    run: p.integer().primary(),
    prefix: p.text(),
    createdAt: p.datetime(),
    doomedAt: p.datetime().nullable(),
    sweeps: p.smallint(),
    sweepAfter: p.datetime().nullable(),
  },
});
export type ProcessingOutput = InferEntity<typeof ProcessingOutput>;
