import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

import type { QuoteLine } from '../../ledger/prices.js';

/** A binding price for processing one video. Until it expires, exactly this amount is locked. */
export const Quote = defineEntity({
  name: 'Quote',
  tableName: 'quote',
  properties: {
    accountId: p.uuid().primary(),
    id: p.uuid().primary(),
    videoId: p.uuid(),
    quality: p.text(),
    branding: p.boolean(),
    encryption: p.boolean(),
    durationMs: p.bigint('bigint'),
    lines: p.json().$type<QuoteLine[]>(),
    totalMicros: p.bigint('bigint'),
    createdAt: p.datetime(),
    expiresAt: p.datetime(),
    normalizeLoudness: p.boolean(),
  },
});
export type Quote = InferEntity<typeof Quote>;
