import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

export type EscrowStatus = 'locked' | 'settled' | 'released';

/** Credits locked for one attempt at processing a video. A posting resolves it once. */
export const Escrow = defineEntity({
  name: 'Escrow',
  tableName: 'escrow',
  properties: {
    accountId: p.uuid().primary(),
    videoId: p.uuid().primary(),
    attempt: p.integer().primary(),
    bucket: p.smallint(),
    lockedMicros: p.bigint('bigint'),
    settledMicros: p.bigint('bigint'),
    status: p.text().$type<EscrowStatus>(),
    createdAt: p.datetime(),
    resolvedAt: p.datetime().nullable(),
  },
});
export type Escrow = InferEntity<typeof Escrow>;
